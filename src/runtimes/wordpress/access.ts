import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { SiteSpec } from '#runtimes/runtime.ts';

/**
 * The platform's signed access to a hosted WordPress: the site's must-use plugin (plugin/access.php) checks a signature
 * with the site's own key over method, path, body and time. The edge takes these headers off visitors' requests.
 */
export function signRequest(
  site: SiteSpec,
  request: { method: string; path: string; body?: string | Uint8Array },
  now = new Date(),
): Record<string, string> {
  const time = String(Math.floor(now.getTime() / 1000));
  const bodyHash = createHash('sha256')
    .update(request.body ?? '')
    .digest('hex');
  const text = [request.method, request.path, bodyHash, time].join('\n');
  return { 'x-siteyard-time': time, 'x-siteyard-signature': sign(site, 'request', text) };
}

/** Comes with each request while WordPress is to take no uploads, with the sentence that says why (plugin/uploads.php). */
export const UPLOADS_REFUSED_HEADER = 'x-siteyard-uploads-refused';

export function uploadHeaders(refusal: string | null): Record<string, string> {
  return refusal === null ? {} : { [UPLOADS_REFUSED_HEADER]: refusal };
}

const LOGIN_SECONDS = 60;

/** A link that signs whoever opens it in as the site's first administrator, once and within a minute. */
export function createLoginUrl(site: SiteSpec, now = new Date()): { url: string; expiresAt: Date } {
  const claim = `${Math.floor(now.getTime() / 1000)}.${randomBytes(16).toString('base64url')}`;
  const token = `${claim}.${sign(site, 'login', claim)}`;
  return {
    url: `${site.url}/wp-login.php?siteyard_login=${token}`,
    expiresAt: new Date(now.getTime() + LOGIN_SECONDS * 1000),
  };
}

/** Whether it is the end of such a link, and not too old. Whether it was used, the site alone knows. */
export function isLoginLink(site: SiteSpec, token: string, now = new Date()): boolean {
  const [time = '', nonce = '', signature = ''] = token.split('.');
  if (Math.abs(now.getTime() / 1000 - Number(time)) > LOGIN_SECONDS) return false;
  const [given, right] = [Buffer.from(signature), Buffer.from(sign(site, 'login', `${time}.${nonce}`))];
  return given.length === right.length && timingSafeEqual(given, right);
}

function sign(site: SiteSpec, purpose: string, text: string): string {
  return createHmac('sha256', site.accessKey).update(`${purpose}\n${text}`).digest('hex');
}
