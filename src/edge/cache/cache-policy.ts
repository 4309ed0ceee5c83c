import type { IncomingHttpHeaders } from 'node:http';
import { isUnder } from '../gate.ts';
import type { Visit } from '../visit.ts';

/** When a page may come from memory, and for how long one may stay there. */

const DEFAULT_FRESH_MS = 10 * 60_000;
// WordPress says when something changed, so what is old is not wrong.
const DEFAULT_STALE_MS = 24 * 3_600_000;
const NOT_FOUND_FRESH_MS = 10_000;
const LONGEST_MS = 365 * 24 * 3_600_000;

const PERSONAL_COOKIE =
  /(?:^|;)\s*(?:wordpress_(?!test_cookie=)|wp-postpass_|comment_author_|woocommerce_|wp_woocommerce_session|edd_)/;
const NEVER_CACHED = [
  '/wp-admin',
  '/wp-login.php',
  '/wp-cron.php',
  '/wp-signup.php',
  '/wp-activate.php',
  '/wp-comments-post.php',
  '/xmlrpc.php',
];

/** Whether the visitor is nobody in particular and asks for what anybody may get. */
export function mayUseCache({ request, headers, gate, path, isSignedInAtEdge }: Visit): boolean {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  if (gate.route.devMode || headers.range !== undefined) return false;
  if (headers.authorization !== undefined && !isSignedInAtEdge) return false;
  if (headers.cookie !== undefined && PERSONAL_COOKIE.test(headers.cookie)) return false;
  // A script of the site asks, on somebody's behalf or for something else than the page.
  if (headers['x-requested-with'] !== undefined || headers['x-wp-nonce'] !== undefined) return false;
  // A read with a body could mean anything.
  if (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0) return false;
  return !isNeverCached(path);
}

function isNeverCached(path: string): boolean {
  // Nearly all pages differ from these in the fourth character at the latest; a doubled slash means the same to PHP.
  const name = path.startsWith('//') ? path.replace(/^\/+/, '/') : path;
  if (!name.startsWith('/wp-') && !name.startsWith('/x')) return false;
  return NEVER_CACHED.some((prefix) => isUnder(name, prefix));
}

/**
 * What is left out of a request whose answer may be kept: everything that could shape the page and is no part of its
 * key. Otherwise one visitor could decide what all others see.
 */
export function isLeftOut(name: string): boolean {
  return name === 'cookie' || name === 'accept-encoding' || name.startsWith('x-') || name.startsWith('if-');
}

/** Programs ask these; what they get is cached only where it says so itself. */
export function isRest(path: string, query: string): boolean {
  return isUnder(path, '/wp-json') || (query !== '' && /[?&]rest_route=/.test(query));
}

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
  if (status === 404) return { freshMs: Math.min(freshMs, NOT_FOUND_FRESH_MS), staleMs: 0 };
  return freshMs > 0 || staleMs > 0 ? { freshMs, staleMs: Math.min(staleMs, LONGEST_MS) } : undefined;
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
