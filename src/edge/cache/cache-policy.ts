import type { Asked } from '../asked.ts';
import { isUnder } from '../path-prefix.ts';
import type { ForwardedFacts } from '../proxy/headers.ts';
import type { RawHeaders } from '../raw-headers.ts';
import type { Visit } from '../visit.ts';

/** Who may get a page from memory, and how a page for everybody is asked for. */

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
export function mayUseCache(visit: Asked): boolean {
  const { method, headers, gate, path, isSignedInAtEdge } = visit;
  if (method !== 'GET' && method !== 'HEAD') return false;
  if (gate.preview || gate.route.devMode || headers.range !== undefined) return false;
  if (headers.authorization !== undefined && !isSignedInAtEdge) return false;
  if (headers.cookie !== undefined && PERSONAL_COOKIE.test(headers.cookie)) return false;
  // A script of the site asks, on somebody's behalf or for something else than the page.
  if (headers['x-requested-with'] !== undefined || headers['x-wp-nonce'] !== undefined) return false;
  if (headers.origin !== undefined || !(takesPages(headers.accept) || takesFeed(visit))) return false;
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

/** Whether a page is what the visitor can use, and not some other form of the same thing. */
function takesPages(accept: string | undefined): boolean {
  return accept === undefined || accept.includes('text/html') || accept.includes('*/*');
}

/** Many readers of feeds name nothing but kinds of XML. */
function takesFeed({ headers, path, query }: Asked): boolean {
  return isFeed(path, query) && (headers.accept?.includes('xml') ?? false);
}

export function isFeed(path: string, query: string): boolean {
  return /\/feed(?:\/|$)/.test(path) || /[?&]feed=/.test(query);
}

const HARMLESS_COOKIE = /^\s*(?:_ga|_gid|_gat|_gcl_|_fbp|_fbc|__utm|_hj|_pk_|_clck|_clsk|wordpress_test_cookie)[^=]*=/;

/**
 * Whether the page may be asked for in nobody's name. A visitor whose cookies could mean something reads what is there,
 * but asks in person for what is not: what a site does with a cookie nobody can tell.
 */
export function mayFillCache({ headers: { cookie } }: Visit): boolean {
  return cookie === undefined || cookie.split(';').every((one) => one.trim() === '' || HARMLESS_COOKIE.test(one));
}

/**
 * The headers of a request in nobody's name. Nothing of the visitor is in them but the page that they name: otherwise one
 * visitor could decide what all others see. `varied` are headers that this page is known to depend on, and that are
 * therefore part of its key.
 */
export function anonymousHeaders(visit: Visit, facts: ForwardedFacts, varied: readonly string[]): RawHeaders {
  const headers: RawHeaders = [
    ...['Host', facts.host, 'Accept', PAGE_ACCEPT, 'User-Agent', 'Mozilla/5.0 (compatible; Siteyard)'],
    ...['X-Forwarded-For', NOBODY, 'X-Real-IP', NOBODY],
    ...['X-Forwarded-Proto', facts.protocol, 'X-Forwarded-Host', visit.headers.host ?? ''],
  ];
  for (const name of varied) {
    const value = visit.headers[name];
    const at = headers.findIndex((one, index) => index % 2 === 0 && one.toLowerCase() === name);
    if (at >= 0) headers.splice(at, 2);
    if (typeof value === 'string') headers.push(name, value);
  }
  return headers;
}

const PAGE_ACCEPT = 'text/html,application/xhtml+xml,*/*;q=0.8';
const NOBODY = '127.0.0.1';

/** Headers whose every value that comes here leads to the same page. */
const SETTLED = new Set(['accept', 'accept-encoding', 'origin', 'cookie']);
/** Whoever depends on these depends on who asks. */
const PERSONAL = /^(?:authorization|host|x-forwarded-.*|x-real-ip|x-siteyard-.*)$/;

/** Of the headers that an answer depends on, those that a request in nobody's name has to carry. */
export function variedHeaders(names: readonly string[]): readonly string[] | undefined {
  const varied = names.filter((name) => !SETTLED.has(name));
  return varied.some((name) => PERSONAL.test(name)) ? undefined : varied;
}

/** Programs ask these; what they get is cached only where it says so itself. */
export function isRest(path: string, query: string): boolean {
  return isUnder(path, '/wp-json') || (query !== '' && /[?&]rest_route=/.test(query));
}
