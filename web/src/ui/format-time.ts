import { dateFormat } from './clock.ts';

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'long' });
const exact = dateFormat({ dateStyle: 'medium', timeStyle: 'medium' });
const dateOnly = dateFormat({ dateStyle: 'medium' });
const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** The one format of a time: "Nov 19, 2026, 2:36:46 PM", by the reader's own clock. */
export function formatMoment(time: string | number): string {
  return exact.format(new Date(time));
}

/** The one format of a date: "Nov 19, 2026", by the reader's own clock. */
export function formatDate(time: string | number): string {
  return dateOnly.format(new Date(time));
}

/** What hovering over a time shows, the same for every reader: "2026-11-19 14:36:46 UTC". */
export function formatUtc(time: string | number): string {
  return `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** "5 minutes ago". */
export function formatRelative(iso: string, nowMs: number): string {
  const seconds = (new Date(iso).getTime() - nowMs) / 1000;
  const unit = units.find(([, size]) => Math.abs(seconds) >= size);
  return unit ? relative.format(Math.round(seconds / unit[1]), unit[0]) : 'just now';
}

const INSTANT = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/;

/** Splits a sentence of the API at the instants that it names. */
export function splitAtInstants(text: string): (string | { iso: string })[] {
  const parts: (string | { iso: string })[] = [];
  let rest = text;
  for (let found = INSTANT.exec(rest); found; found = INSTANT.exec(rest)) {
    const [iso] = found;
    if (found.index > 0) parts.push(rest.slice(0, found.index));
    parts.push({ iso });
    rest = rest.slice(found.index + iso.length);
  }
  return rest === '' ? parts : [...parts, rest];
}
