/** What part of the past is on screen, and where in it a moment stands. All of it is plain arithmetic. */
export type View = { startMs: number; endMs: number };

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

export const zooms = {
  hour: { label: 'Hour', spanMs: hourMs },
  day: { label: 'Day', spanMs: dayMs },
  week: { label: 'Week', spanMs: 7 * dayMs },
  month: { label: 'Month', spanMs: 30 * dayMs },
};
export type Zoom = keyof typeof zooms;

/** Of a young site an hour says more than a day. */
export function firstZoom(oldestMs: number, nowMs: number): Zoom {
  return nowMs - oldestMs < 2 * hourMs ? 'hour' : 'day';
}

/**
 * The newest stretch of that length, or the one around a chosen moment that lies before it. A day is a day, also of a site that is younger; of an
 * older one nothing before its oldest backup is shown.
 */
export function viewOf(zoom: Zoom, oldestMs: number, nowMs: number, chosenMs = nowMs): View {
  const { spanMs } = zooms[zoom];
  const isPast = chosenMs < nowMs - spanMs;
  const endMs = isPast ? Math.min(nowMs, Math.max(chosenMs + spanMs / 2, oldestMs + spanMs)) : nowMs;
  // Air at both ends, so that the first and the last bar are whole.
  const airMs = spanMs / 50;
  return { startMs: endMs - spanMs - airMs, endMs: endMs + airMs };
}

/** From 0 at the left to 1 at the right. */
export function placeOf(ms: number, { startMs, endMs }: View): number {
  return (ms - startMs) / (endMs - startMs);
}

export function momentAt(place: number, { startMs, endMs }: View): number {
  return startMs + place * (endMs - startMs);
}

type Timed = { atMs: number };

/** The one closest in time. `sorted` is in order of time. */
export function nearest<T extends Timed>(sorted: T[], ms: number): T | undefined {
  const [before, after] = [lastUntil(sorted, ms), sorted[indexAfter(sorted, ms)]];
  if (!before || !after) return before ?? after;
  return ms - before.atMs <= after.atMs - ms ? before : after;
}

/** How many are at or before the moment, which is the place of the first one after it. */
function indexAfter(sorted: Timed[], ms: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as Timed).atMs <= ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

const lastUntil = <T extends Timed>(sorted: T[], ms: number) => sorted[indexAfter(sorted, ms) - 1];

/** Where a key leads from the chosen one; undefined for keys that mean nothing here. */
export function stepTo<T extends Timed>(sorted: T[], chosen: T | undefined, key: string): T | undefined {
  // Before one is chosen every key leads to the newest, but for the one that means the oldest.
  if (!chosen && key !== 'Home') return key in steps ? sorted.at(-1) : undefined;
  return steps[key]?.(sorted, (chosen ?? sorted[0]) as T) as T | undefined;
}

const steps: Record<string, (sorted: Timed[], chosen: Timed) => Timed | undefined> = {
  ArrowLeft: (sorted, { atMs }) => lastUntil(sorted, atMs - 1) ?? sorted[0],
  ArrowRight: (sorted, { atMs }) => sorted[indexAfter(sorted, atMs)] ?? sorted.at(-1),
  Home: (sorted) => sorted[0],
  End: (sorted) => sorted.at(-1),
  // By an hour, and by at least one backup where the next is further away than that.
  PageDown: (sorted, { atMs }) => lastUntil(sorted, atMs - hourMs) ?? sorted[0],
  PageUp: (sorted, { atMs }) => {
    const hourLater = lastUntil(sorted, atMs + hourMs);
    return hourLater && hourLater.atMs > atMs ? hourLater : (sorted[indexAfter(sorted, atMs)] ?? sorted.at(-1));
  },
};
steps.ArrowDown = steps.ArrowLeft as (typeof steps)[string];
steps.ArrowUp = steps.ArrowRight as (typeof steps)[string];

export type Bar = { place: number; files: number; tables: number };

/** The backups of a view in as many columns as a screen can show apart. */
export function barsOf(sorted: (Timed & { files: number; tables: number })[], view: View, columns: number): Bar[] {
  const bars = new Map<number, Bar>();
  const last = indexAfter(sorted, view.endMs);
  for (let index = indexAfter(sorted, view.startMs); index < last; index++) {
    const { atMs, files, tables } = sorted[index] as (typeof sorted)[number];
    const column = Math.floor(placeOf(atMs, view) * columns);
    const bar = bars.get(column) ?? { place: column / columns, files: 0, tables: 0 };
    bars.set(column, { ...bar, files: bar.files + files, tables: bar.tables + tables });
  }
  return [...bars.values()];
}

const tickSteps = [1, 5, 10, 15, 30, 60, 180, 360, 720].map((minutes) => minutes * minuteMs);

/** Round moments of the reader's own clock, about as many as wanted. */
export function ticksOf(view: View, wanted: number): number[] {
  const spanMs = view.endMs - view.startMs;
  const stepMs = tickSteps.find((step) => spanMs / step <= wanted) ?? Math.ceil(spanMs / wanted / dayMs) * dayMs;
  const ticks: number[] = [];
  // Counted from a local midnight; the calendar's own days keep it right when clocks change.
  const midnight = new Date(view.startMs);
  midnight.setHours(0, 0, 0, 0);
  for (let ms = midnight.getTime(); ms <= view.endMs; ms = nextTick(ms, stepMs)) {
    if (ms >= view.startMs) ticks.push(ms);
  }
  return ticks;
}

function nextTick(ms: number, stepMs: number): number {
  if (stepMs < dayMs) return ms + stepMs;
  const next = new Date(ms);
  next.setDate(next.getDate() + stepMs / dayMs);
  return next.getTime();
}
