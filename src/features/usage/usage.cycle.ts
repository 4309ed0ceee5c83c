/** The stretch of time that a plan's visits and traffic are for. */
export interface Cycle {
  start: Date;
  end: Date;
}

/** What a cycle is counted from: the provider's period of a paid team, an anchor of its own for any other. */
export interface CycleBasis {
  sub_id: string | null;
  interval: string | null;
  period_start: Date | null;
  period_end: Date | null;
  cycle_anchor: Date;
  timezone: string;
}

const DAY_MS = 86_400_000;

export function cycleAt(at: Date, team: CycleBasis): Cycle {
  const { sub_id, interval, period_start, period_end, timezone } = team;
  if (sub_id === null || period_start === null || period_end === null)
    return monthAround(at, team.cycle_anchor, timezone);
  if (interval !== 'year') return { start: period_start, end: period_end };
  // A year that is over has no thirteenth month: until the next year is paid, the last one goes on.
  const within = new Date(Math.min(Math.max(at.getTime(), period_start.getTime()), period_end.getTime() - DAY_MS));
  const { start, end } = monthAround(within, period_start, timezone);
  // The provider's year ends in UTC, which may be an hour beside ours.
  return { start, end: end.getTime() > period_end.getTime() - DAY_MS ? period_end : end };
}

/**
 * The month around a moment. Months are counted from the anchor in local time and not from one another: what begins on
 * the 31st of January begins on the last day of February and on the 31st of March again, at the same hour of the clock.
 */
export function monthAround(at: Date, anchor: Date, timeZone: string): Cycle {
  const first = localTime(anchor, timeZone);
  const boundary = (months: number) => instantOf(addMonths(first, months), timeZone);
  const now = localTime(at, timeZone);
  let months = 12 * (now.getUTCFullYear() - first.getUTCFullYear()) + now.getUTCMonth() - first.getUTCMonth();
  while (boundary(months) > at) months--;
  while (boundary(months + 1) <= at) months++;
  return { start: boundary(months), end: boundary(months + 1) };
}

/** What a clock in that zone shows, as if it were UTC. */
function localTime(instant: Date, timeZone: string): Date {
  return new Date(instant.getTime() + offsetMs(instant, timeZone));
}

function instantOf(local: Date, timeZone: string): Date {
  const guess = new Date(local.getTime() - offsetMs(local, timeZone));
  return new Date(local.getTime() - offsetMs(guess, timeZone));
}

function offsetMs(instant: Date, timeZone: string): number {
  const parts = formatOf(timeZone).formatToParts(instant);
  const value = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  const shown = Date.UTC(
    value('year'),
    value('month') - 1,
    value('day'),
    value('hour'),
    value('minute'),
    value('second'),
  );
  return shown - Math.floor(instant.getTime() / 1000) * 1000;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Making one costs more than using it a thousand times. */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const numeric = { year: 'numeric', month: 'numeric', day: 'numeric' } as const;
  const clock = { hour: 'numeric', minute: 'numeric', second: 'numeric', hourCycle: 'h23' } as const;
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('en-US', { timeZone, ...numeric, ...clock });
  formats.set(timeZone, format);
  return format;
}

function addMonths(local: Date, months: number): Date {
  const result = new Date(local);
  result.setUTCDate(1);
  result.setUTCMonth(result.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(result.getUTCFullYear(), result.getUTCMonth() + 1, 0)).getUTCDate();
  result.setUTCDate(Math.min(local.getUTCDate(), lastDay));
  return result;
}
