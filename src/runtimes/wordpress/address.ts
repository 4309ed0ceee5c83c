import type { SqlRow } from '#runtimes/runtime.ts';
import { rewriteSerialized } from './serialized.ts';

/** Where a database keeps the address that it names as its own. */
export const SITE_URL_QUERY = "select option_value from wp_options where option_name = 'home' limit 1";

export function readSiteUrl([row]: SqlRow[]): URL {
  const url = URL.parse(String(row?.option_value));
  if (!url) throw new Error("the site's database does not name the site's address");
  return url;
}

/** How a text looks when the site has moved: also inside serialised values, JSON and encoded URLs. */
export function moveText(from: URL, to: URL): (text: string) => string {
  const rewrite = rewriteUrls(from, to);
  return (text) => rewriteSerialized(text, rewrite) ?? rewrite(text);
}

/** How the slashes and the colon of a URL are written: plainly, in JSON, and in a query string; and what no such text is without. */
const SPELLINGS = [
  { colon: ':', slashes: '//', mark: '//' },
  { colon: ':', slashes: '\\/\\/', mark: '\\/\\/' },
  { colon: '%3A', slashes: '%2F%2F', mark: '%2' },
];

export function rewriteUrls(from: URL, to: URL): (text: string) => string {
  const patterns = SPELLINGS.map(({ colon, slashes, mark }) => {
    const host = (url: URL) => url.hostname + (url.port && colon + url.port);
    // Not the beginning of a longer host name or of another port; a full stop may end the sentence.
    const end = '(?![\\w-]|\\.\\w|:\\d|%3A\\d)';
    const pattern = new RegExp(`(https?${colon})?${escapePattern(slashes)}${escapePattern(host(from))}${end}`, 'gi');
    const scheme = to.protocol.slice(0, -1) + colon;
    return { pattern, scheme, rest: slashes + host(to), mark };
  });
  return (text) =>
    patterns.reduce(
      (result, { pattern, scheme, rest, mark }) =>
        result.includes(mark)
          ? result.replace(pattern, (_match, given?: string) => (given ? scheme : '') + rest)
          : result,
      text,
    );
}

function escapePattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
