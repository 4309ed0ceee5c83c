import type { IncomingHttpHeaders } from 'node:http';

const TRACKING = /^(?:utm_[^=]*|fbclid|gclid|msclkid)(?:=|$)/i;

/** The page that a target names. What campaigns hang on links tells pages nothing and would split them needlessly. */
export function pageKey(path: string, query: string): string {
  if (query === '') return path;
  const kept = query
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '' && !TRACKING.test(pair));
  return kept.length === 0 ? path : `${path}?${kept.join('&')}`;
}

const MAX_VARY_NAMES = 16;
const MAX_VARY_BYTES = 1024;

/** Why pages with this Vary header are not cached, for the site's owner: every lookup of such a page reads each name. */
export function varyProblem(vary = ''): string | undefined {
  const names = vary.split(',').length;
  if (names <= MAX_VARY_NAMES && vary.length <= MAX_VARY_BYTES) return undefined;
  return (
    `This page is not cached: its Vary header has ${names.toLocaleString('en')} names in ` +
    `${vary.length.toLocaleString('en')} bytes; the limits are ${MAX_VARY_NAMES} names and ${MAX_VARY_BYTES} bytes. ` +
    'Find the plugin or theme that sends the header, and have it name only request headers that change the page.'
  );
}

/** The headers that an answer depends on, lower-case and sorted; undefined where nothing can be said (`*`). */
export function varyNames(vary: string | undefined): readonly string[] | undefined {
  if (vary === undefined) return NONE;
  const names = vary.split(',').map((name) => name.trim().toLowerCase());
  if (names.includes('*')) return undefined;
  // Compression is the edge's own.
  return names.filter((name) => name !== '' && name !== 'accept-encoding').sort();
}

const NONE: readonly string[] = [];

/**
 * The key of one variant of a page. A line feed can be in no target and no header. Cached pages are asked for without
 * cookies, so that these make no variants.
 */
export function variantKey(key: string, names: readonly string[], headers: IncomingHttpHeaders): string {
  return names
    .filter((name) => name !== 'cookie')
    .reduce((made, name) => `${made}\n${name}:${headers[name] ?? ''}`, key);
}
