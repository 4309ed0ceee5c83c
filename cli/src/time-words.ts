import { Stop } from './exit.ts';

/**
 * Moments as people say them, in a time zone: "10 minutes ago", "yesterday 14:05", "monday 9am", "14:05", "2026-11-17 14:05".
 * Where a word could mean two moments it is the last one that has passed. What the clocks skip is taken an hour later, as clocks then are.
 */
const UNIT_MS: Record<string, number> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};
const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const AGO = /^(an?|\d+)\s*(s|secs?|seconds?|m|mins?|minutes?|h|hours?|hrs?|d|days?|w|weeks?)\s+ago$/;
const DATE = /^(\d{4})-(\d{1,2})-(\d{1,2})$/;
const CLOCK = /^(\d{1,2})(?::(\d{2}))?(?::(\d{2}))?\s*(am|pm)?$/;
const EXAMPLES = 'Try "10 minutes ago", "yesterday 14:05", "monday 9am" or "2026-11-17 14:05".';

interface Day {
  year: number;
  month: number;
  day: number;
}
interface Clock {
  hour: number;
  minute: number;
  second: number;
}

export function readTime(text: string, zone: string, now = new Date()): Date {
  const words = text.trim().toLowerCase().replaceAll(/\s+/g, ' ');
  if (words === 'now') return now;
  const ago = AGO.exec(words);
  if (ago) {
    const amount = /^an?$/.test(ago[1] as string) ? 1 : Number(ago[1]);
    return new Date(now.getTime() - amount * (UNIT_MS[(ago[2] as string)[0] as string] as number));
  }
  // With an offset it is the same moment everywhere.
  if (/^\d{4}-\d\d-\d\dt[\d:.]+(z|[+-]\d\d:?\d\d)$/.test(words)) {
    const exact = new Date(words.toUpperCase());
    if (!Number.isNaN(exact.getTime())) return exact;
  }
  return readDayAndClock(words, zone, now) ?? unclear(text);
}

function unclear(text: string): never {
  throw new Stop(`“${text}” is no time that I understand.`, { advice: EXAMPLES });
}

function readDayAndClock(words: string, zone: string, now: Date): Date | undefined {
  const [first = '', ...others] = words
    .replace(/^last /, '')
    .replace(/^(\d{4}-\d\d?-\d\d?)t(?=\d)/, '$1 ')
    .split(' ');
  const today = dayIn(zone, now);
  const day = readDay(first, today);
  const rest = (day ? others : [first, ...others]).filter((word) => word !== 'at').join(' ');
  const clock = rest === '' ? day && { hour: 0, minute: 0, second: 0 } : readClock(rest);
  if (!clock) return undefined;
  const moment = momentAt(day ?? today, clock, zone);
  // A clock alone, or a weekday that is today, is the last such moment.
  if (moment <= now || (day && !DAYS.some((name) => name === first || name.slice(0, 3) === first))) return moment;
  return momentAt(plusDays(day ?? today, day ? -7 : -1), clock, zone);
}

function readDay(word: string, today: Day): Day | undefined {
  if (word === 'today') return today;
  if (word === 'yesterday') return plusDays(today, -1);
  const date = DATE.exec(word);
  if (date) {
    const day = { year: Number(date[1]), month: Number(date[2]), day: Number(date[3]) };
    // Another day comes back where there is no such day.
    return sameDay(plusDays(day, 0), day) ? day : undefined;
  }
  const weekday = DAYS.findIndex((name) => name === word || name.slice(0, 3) === word);
  if (weekday < 0) return undefined;
  const back = (new Date(Date.UTC(today.year, today.month - 1, today.day)).getUTCDay() - weekday + 7) % 7;
  return plusDays(today, -back);
}

function readClock(text: string): Clock | undefined {
  if (text === 'noon') return { hour: 12, minute: 0, second: 0 };
  if (text === 'midnight') return { hour: 0, minute: 0, second: 0 };
  const [, hours, minutes, seconds = '0', half] = CLOCK.exec(text) ?? [];
  // A number alone is no time.
  if (hours === undefined || (minutes === undefined && half === undefined)) return undefined;
  const given = Number(hours);
  if (half && (given < 1 || given > 12)) return undefined;
  const hour = half ? (given % 12) + (half === 'pm' ? 12 : 0) : given;
  const clock = { hour, minute: Number(minutes ?? 0), second: Number(seconds) };
  return clock.hour < 24 && clock.minute < 60 && clock.second < 60 ? clock : undefined;
}

const plusDays = ({ year, month, day }: Day, days: number): Day => {
  const date = new Date(Date.UTC(year, month - 1, day + days));
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
};
const sameDay = (a: Day, b: Day) => a.year === b.year && a.month === b.month && a.day === b.day;

function dayIn(zone: string, at: Date): Day {
  const local = new Date(at.getTime() + offsetMs(zone, at));
  return { year: local.getUTCFullYear(), month: local.getUTCMonth() + 1, day: local.getUTCDate() };
}

/** Where the clocks show a time twice, it is the first one. */
function momentAt({ year, month, day }: Day, { hour, minute, second }: Clock, zone: string): Date {
  const local = Date.UTC(year, month - 1, day, hour, minute, second);
  const guesses = [-86_400_000, 86_400_000].map((apart) => local - offsetMs(zone, new Date(local + apart)));
  const right = guesses.filter((guess) => guess + offsetMs(zone, new Date(guess)) === local);
  return new Date(right.length > 0 ? Math.min(...right) : (guesses[0] as number));
}

function offsetMs(zone: string, at: Date): number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return (
    Date.UTC(year < 100 ? 2000 + year : year, month - 1, day, hour, minute, second) -
    Math.floor(at.getTime() / 1000) * 1000
  );
}
