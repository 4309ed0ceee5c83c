import { Random } from '#testkit/random.ts';

/** A day of a fleet, minute by minute. Who visits what, and so which sites are awake, is drawn; everything else follows from it. */
interface DayOptions {
  sites: number;
  /** Page views of the median site in a day that no cache answers. */
  medianViews: number;
  /** How far apart sites are: the logarithm of what one in six has more than. */
  spread: number;
  idleMinutes: number;
  /** Of the requests that reach WordPress, so many change something. */
  writeShare: number;
}

export interface Day {
  awakeMean: number;
  awakePeak: number;
  /** Sites that are not visited once in the day. */
  neverAwake: number;
  wakesPerMinutePeak: number;
  wakesPerDay: number;
  /** Minutes in which a site ran something, of all sites together: each is a look by the backup clock. */
  touchedMinutes: number;
  /** Those in which it changed something: each is a snapshot. */
  changedMinutes: number;
}

const MINUTES = 1440;
/** The busiest minute of a day. */
const EVENING = 18 * 60;
/** A day begins with nobody awake, so its first hour says nothing of how many wake. */
const SETTLED = 60;

export function simulateDay({ sites, medianViews, spread, idleMinutes, writeShare }: DayOptions, seed = 19): Day {
  const random = new Random(seed);
  const awake = new Uint32Array(MINUTES);
  const wakes = new Uint32Array(MINUTES);
  let neverAwake = 0;
  let touchedMinutes = 0;
  let changedMinutes = 0;
  const share = dayShape();
  for (let site = 0; site < sites; site++) {
    const views = medianViews * Math.exp(spread * normal(random));
    let awakeUntil = -1;
    let wasAwake = false;
    // From one request to the next instead of through every minute: most sites have few.
    for (const minute of requestMinutes(random, views, share)) {
      touchedMinutes++;
      const requests = Math.max(1, views * (share[minute] as number));
      if (random.fraction() < 1 - (1 - writeShare) ** requests) changedMinutes++;
      if (minute > awakeUntil) wakes[minute] = (wakes[minute] as number) + 1;
      for (let at = Math.max(minute, awakeUntil + 1); at <= Math.min(minute + idleMinutes, MINUTES - 1); at++)
        awake[at] = (awake[at] as number) + 1;
      awakeUntil = Math.max(awakeUntil, minute + idleMinutes);
      wasAwake = true;
    }
    if (!wasAwake) neverAwake++;
  }
  return {
    awakeMean: awake.reduce((sum, count) => sum + count, 0) / MINUTES,
    awakePeak: Math.max(...awake),
    neverAwake,
    wakesPerMinutePeak: Math.max(...wakes.subarray(SETTLED)),
    wakesPerDay: wakes.reduce((sum, count) => sum + count, 0),
    touchedMinutes,
    changedMinutes,
  };
}

/** The minutes in which somebody asks for something: of a Poisson process whose rate follows the hour. */
function* requestMinutes(random: Random, views: number, share: Float64Array): Generator<number> {
  const busiest = views * (share[EVENING] as number);
  for (let minute = -1; ; ) {
    // Skips as far as the busiest hour would, then thins out.
    const chance = 1 - Math.exp(-busiest);
    minute += chance >= 1 ? 1 : Math.max(1, Math.ceil(Math.log(1 - random.fraction()) / Math.log(1 - chance)));
    if (minute >= MINUTES) return;
    const here = 1 - Math.exp(-views * (share[minute] as number));
    if (random.fraction() < here / chance) yield minute;
  }
}

/** Twice as much in the evening as on average, next to nothing before dawn. */
function dayShape(): Float64Array {
  const shape = Float64Array.from(
    { length: MINUTES },
    (_, minute) => 1 + 0.9 * Math.cos(((minute - EVENING) / MINUTES) * 2 * Math.PI),
  );
  const sum = shape.reduce((total, each) => total + each, 0);
  return shape.map((each) => each / sum);
}

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.fraction())) * Math.cos(2 * Math.PI * random.fraction());
}

/** `node bench/scale-day.ts`: the days that docs/scale.md tells of. */
if (import.meta.main) {
  const usual = { sites: 100_000, medianViews: 30, spread: 1.6, idleMinutes: 10, writeShare: 0.1 };
  const days = [usual, { ...usual, idleMinutes: 5 }, { ...usual, idleMinutes: 20 }, { ...usual, medianViews: 10 }];
  console.table(
    days.map((options) => ({ ...options, ...simulateDay(options) })),
    [
      'medianViews',
      'idleMinutes',
      'awakeMean',
      'awakePeak',
      'neverAwake',
      'wakesPerMinutePeak',
      'wakesPerDay',
      'touchedMinutes',
      'changedMinutes',
    ],
  );
}
