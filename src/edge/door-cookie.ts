import type { IncomingHttpHeaders } from 'node:http';

/** The cookies by which the edge knows whom it let in: to a preview, or past the HTTP sign-in. Sites see nothing of them. */
type Door = 'preview' | 'pass';

export interface Visitor {
  headers: IncomingHttpHeaders;
  protocol: string;
}

export const DOOR_COOKIE = /^\s*(?:__Host-)?siteyard_(?:preview|pass)\s*(?:=|$)/i;

/** Browsers take a cookie whose name begins so from nobody but the host itself, over https alone. */
export function doorCookie({ protocol }: Visitor, door: Door): string {
  return `${protocol === 'https' ? '__Host-' : ''}siteyard_${door}`;
}

/** Each is checked at each request, so whoever sends very many has only the first of them checked. */
const AT_MOST = 8;

/** Several: on plain http another site of the same domain can add a cookie of this name, so any good one counts. */
export function cookiesOf(visitor: Visitor, door: Door): string[] {
  const start = `${doorCookie(visitor, door)}=`;
  const pairs = (visitor.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  const own = pairs.filter((pair) => pair.startsWith(start)).slice(0, AT_MOST);
  return own.map((pair) => pair.slice(start.length));
}

export function setDoorCookie({ protocol }: Visitor, name: string, value: string, ageMs: number): string {
  const secure = protocol === 'https' ? ['Secure'] : [];
  return [
    `${name}=${value}`,
    'Path=/',
    `Max-Age=${Math.ceil(ageMs / 1000)}`,
    'HttpOnly',
    'SameSite=Lax',
    ...secure,
  ].join('; ');
}

/**
 * For whoever comes in a frame of the dashboard, which is another site to the browser: it keeps no cookie then but one that says so, and for that frame alone. The
 * other one is for the same address in a tab.
 */
export function setDoorCookies(visitor: Visitor, name: string, value: string, ageMs: number): string | string[] {
  const cookie = setDoorCookie(visitor, name, value, ageMs);
  if (visitor.headers['sec-fetch-dest'] !== 'iframe') return cookie;
  const framed = cookie.replace('SameSite=Lax', 'SameSite=None').replace(/; Secure$/, '');
  return [cookie, `${framed}; Secure; Partitioned`];
}

/** A Cookie header as WordPress gets it. Undefined: nothing is left of it. */
export function withoutDoorCookies(cookie: string): string | undefined {
  const kept = cookie.split(';').filter((pair) => !DOOR_COOKIE.test(pair));
  return kept.length === 0 ? undefined : kept.join(';').trim();
}
