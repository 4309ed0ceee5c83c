import type { IncomingHttpHeaders } from 'node:http';

const DEFAULT_FRESH_MS = 10 * 60_000;
// WordPress says when something changed, so what is old is not wrong.
const DEFAULT_STALE_MS = 24 * 3_600_000;
const NOT_FOUND_MS = 30_000;
/**
 * Pages carry nonces, which WordPress takes for 12 to 24 hours. None is shown for longer than this, whatever it says, so that
 * whoever gets it last has hours to send its form. A site whose nonces live shorter says so by the header.
 */
const LONGEST_MS = 8 * 3_600_000;
const KEEP_HEADER = 'x-siteyard-keep';

export interface Freshness {
  freshMs: number;
  /** How long after that it may still be shown while a new one is fetched. */
  staleMs: number;
}

/** How long the answer may be kept, or undefined. */
export function freshnessOf(
  status: number,
  headers: IncomingHttpHeaders,
  needsPermission: boolean,
  nowMs: number,
): Freshness | undefined {
  if (status !== 200 && status !== 301 && status !== 308 && status !== 404) return undefined;
  if (headers['set-cookie'] !== undefined || (headers['content-encoding'] ?? 'identity') !== 'identity')
    return undefined;
  const keep = headers[KEEP_HEADER];
  const mostMs = Math.min(seconds(keep?.toString()) ?? LONGEST_MS, LONGEST_MS);
  if (status !== 404) return within(mostMs, statedFreshness(headers, needsPermission, nowMs));
  // WordPress lets nobody keep its 404 pages, but tells us for how long we may: we hear of every change.
  const stated =
    keep === undefined ? statedFreshness(headers, needsPermission, nowMs) : { freshMs: mostMs, staleMs: 0 };
  return within(NOT_FOUND_MS, stated && { ...stated, staleMs: 0 });
}

/** What the answer says to every cache. */
function statedFreshness(headers: IncomingHttpHeaders, needsPermission: boolean, nowMs: number): Freshness | undefined {
  const directives = parseDirectives(headers['cache-control']);
  if (directives.has('no-store') || directives.has('private') || directives.has('no-cache')) return undefined;
  const stated = statedFreshMs(directives, headers.expires, nowMs);
  if (stated === undefined && needsPermission) return undefined;
  const isStrict = directives.has('must-revalidate') || directives.has('proxy-revalidate');
  const statedStaleMs = seconds(directives.get('stale-while-revalidate'));
  const staleMs = isStrict ? 0 : (statedStaleMs ?? (stated === undefined ? DEFAULT_STALE_MS : 0));
  return { freshMs: stated ?? DEFAULT_FRESH_MS, staleMs };
}

function within(mostMs: number, freshness: Freshness | undefined): Freshness | undefined {
  if (!freshness) return undefined;
  const freshMs = Math.min(freshness.freshMs, mostMs);
  const staleMs = Math.min(freshness.staleMs, mostMs - freshMs);
  return freshMs > 0 || staleMs > 0 ? { freshMs, staleMs } : undefined;
}

function statedFreshMs(
  directives: Map<string, string>,
  expires: string | undefined,
  nowMs: number,
): number | undefined {
  const age = seconds(directives.get('s-maxage')) ?? seconds(directives.get('max-age'));
  if (age !== undefined || expires === undefined) return age;
  const at = Date.parse(expires);
  // A date that is none, such as 0, lies in the past.
  return Number.isNaN(at) ? 0 : Math.max(0, at - nowMs);
}

function parseDirectives(value: string | undefined): Map<string, string> {
  const directives = new Map<string, string>();
  for (const part of value?.split(',') ?? []) {
    const [name = '', argument = ''] = part.split('=');
    directives.set(name.trim().toLowerCase(), argument.trim().replace(/^"|"$/g, ''));
  }
  return directives;
}

function seconds(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return /^\d{1,10}$/.test(text) ? Number(text) * 1000 : 0;
}
