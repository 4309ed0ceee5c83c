/** How long answers took, as counts: one place for each doubling of the milliseconds, from under 2 ms to over a minute. */
const PLACES = 17;

export class Durations {
  #counts: number[] = [];

  add(durationMs: number): void {
    const place = Math.min(PLACES - 1, Math.floor(Math.log2(Math.max(1, durationMs))));
    while (this.#counts.length <= place) this.#counts.push(0);
    this.#counts[place] = (this.#counts[place] as number) + 1;
  }

  take(): number[] {
    const counts = this.#counts;
    this.#counts = [];
    return counts;
  }

  giveBack(counts: readonly number[]): void {
    this.#counts = sumDurations([this.#counts, counts]);
  }
}

/** Of several times together. */
export function sumDurations(all: readonly (readonly number[])[]): number[] {
  const sum: number[] = [];
  for (const counts of all) for (const [place, count] of counts.entries()) sum[place] = (sum[place] ?? 0) + count;
  return sum;
}

/** The duration that this share of the answers stayed below, in milliseconds; null where there were none. Evenly spread within a place. */
export function quantileMs(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  let left = total * share;
  for (const [place, count] of counts.entries()) {
    if (count >= left && count > 0) {
      const from = place === 0 ? 0 : 2 ** place;
      return Math.round(from + (2 ** (place + 1) - from) * (left / count));
    }
    left -= count;
  }
  return null;
}
