import { dateFormat, hasTwelveHours } from '../ui/clock.ts';
import type { Usage } from './usage-queries.ts';

const hour = dateFormat({ hour: 'numeric' });
const hourAndMinute = dateFormat({ hour: 'numeric', minute: '2-digit' });

/** Days are counted in UTC and named so; hours are the reader's own. */
const formats = {
  hour: {
    // "8 AM" where the clock has twelve hours, "08:00" where it has 24.
    short: { format: (moment: Date) => (hasTwelveHours() ? hour : hourAndMinute).format(moment) },
    long: dateFormat({ weekday: 'short', hour: 'numeric', minute: '2-digit' }),
  },
  day: {
    short: dateFormat({ day: 'numeric', month: 'short', timeZone: 'UTC' }),
    long: dateFormat({ weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' }),
  },
};

export function formatStep(iso: string, step: Usage['step'], length: 'short' | 'long'): string {
  return formats[step][length].format(new Date(iso));
}
