import { isUnder } from '../path-prefix.ts';
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
