import type { Usage } from '../../api/usage-queries.ts';

/** Days are counted in UTC and named so; hours are the reader's own. */
const formats = {
  hour: {
    short: new Intl.DateTimeFormat(undefined, { hour: 'numeric' }),
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
