/**
 * The platform's own cookies, which no site may give a visitor. On https their names say `__Host-`: browsers take such a one
 * from the very host, over https, for all of its paths, and from nobody else. On http another host of the same domain can
 * add one, so two of a name are as good as none: which is whose can not be told.
 */
export type CookieName = 'session' | 'device' | 'view' | 'team' | 'clock';

export function cookieName(baseUrl: string, name: CookieName): string {
  return baseUrl.startsWith('https:') ? `__Host-${name}` : name;
}

/** Every value that came under this name. */
export function readCookies(baseUrl: string, name: CookieName, header: string | undefined): string[] {
  const start = `${cookieName(baseUrl, name)}=`;
  const pairs = (header ?? '').split(';').map((pair) => pair.trim());
  return pairs.filter((pair) => pair.startsWith(start)).map((pair) => pair.slice(start.length));
}

/** No Domain, so that the host alone gets it back; an age of 0 removes it. */
export function setCookie(
  baseUrl: string,
  name: CookieName,
  value: string,
  { maxAgeSeconds, sameSite }: { maxAgeSeconds: number; sameSite: 'Lax' | 'Strict' },
): string {
  const attributes = ['Path=/', `Max-Age=${maxAgeSeconds}`, 'HttpOnly', `SameSite=${sameSite}`];
  if (baseUrl.startsWith('https:')) attributes.push('Secure');
  return [`${cookieName(baseUrl, name)}=${value}`, ...attributes].join('; ');
}
