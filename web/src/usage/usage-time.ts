import type { Usage } from './usage-queries.ts';

/** "8 AM" where the clock has twelve hours, "08:00" where it has 24. */
const hasTwelveHours = new Intl.DateTimeFormat(undefined, { hour: 'numeric' }).resolvedOptions().hour12;
const hourOnly: Intl.DateTimeFormatOptions = hasTwelveHours
  ? { hour: 'numeric' }
  : { hour: 'numeric', minute: '2-digit' };

/** Days are counted in UTC and named so; hours are the reader's own. */
const formats = {
  hour: {
    short: new Intl.DateTimeFormat(undefined, hourOnly),
    long: new Intl.DateTimeFormat(undefined, { weekday: 'short', hour: 'numeric', minute: '2-digit' }),
  },
  day: {
    short: new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' }),
    long: new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' }),
  },
};

export function formatStep(iso: string, step: Usage['step'], length: 'short' | 'long'): string {
  return formats[step][length].format(new Date(iso));
}
