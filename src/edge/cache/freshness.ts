import type { IncomingHttpHeaders } from 'node:http';

const DEFAULT_FRESH_MS = 10 * 60_000;
// WordPress says when something changed, so what is old is not wrong.
const DEFAULT_STALE_MS = 24 * 3_600_000;
const NOT_FOUND_FRESH_MS = 10_000;
const LONGEST_MS = 365 * 24 * 3_600_000;

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
  const directives = parseDirectives(headers['cache-control']);
  if (directives.has('no-store') || directives.has('private') || directives.has('no-cache')) return undefined;
  const stated = statedFreshMs(directives, headers.expires, nowMs);
  if (stated === undefined && needsPermission) return undefined;
  const freshMs = Math.min(stated ?? DEFAULT_FRESH_MS, LONGEST_MS);
  const isStrict = directives.has('must-revalidate') || directives.has('proxy-revalidate');
  const statedStaleMs = seconds(directives.get('stale-while-revalidate'));
  const staleMs = isStrict ? 0 : (statedStaleMs ?? (stated === undefined ? DEFAULT_STALE_MS : 0));
  const kept =
    status === 404
      ? { freshMs: Math.min(freshMs, NOT_FOUND_FRESH_MS), staleMs: 0 }
      : { freshMs, staleMs: Math.min(staleMs, LONGEST_MS) };
  return kept.freshMs > 0 || kept.staleMs > 0 ? kept : undefined;
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
