/** From a millisecond on, each step is half as long again as the one before, which is how exact a percentile is: up to a minute and more. */
const FACTOR = 1.5;
const STEPS = 28;

/** How long answers took, as counts by length: small, whatever there is to count, and those of several edges can be added. */
export class Latency {
  counts = new Array<number>(STEPS).fill(0);

  add(ms: number): void {
    const step = Math.ceil(Math.log(Math.max(1, ms)) / Math.log(FACTOR));
    const at = Math.min(STEPS - 1, step);
    this.counts[at] = (this.counts[at] ?? 0) + 1;
  }
}

/** Which length so many of a hundred did not exceed; null where nothing was counted. */
export function percentileOf(counts: readonly number[], percent: number): number | null {
  const all = counts.reduce((sum, count) => sum + count, 0);
  if (all === 0) return null;
  let rest = (all * percent) / 100;
  for (const [step, count] of counts.entries()) {
    if (count === 0) continue;
    if (rest > count) {
      rest -= count;
      continue;
    }
    const from = step === 0 ? 0 : FACTOR ** (step - 1);
    return Math.round((from + (FACTOR ** step - from) * (rest / count)) * 10) / 10;
  }
  return null;
}
