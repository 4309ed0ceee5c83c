import type { SiteDatabase } from '#runtimes/runtime.ts';
import { rewriteSerialized } from './serialized.ts';

/**
 * Moves a site to an address: every URL of the address that the database names as its own is rewritten, also inside
 * serialised values, JSON and encoded URLs. Doing it again changes nothing, since the database then names the new one.
 */
export async function setSiteUrl(database: SiteDatabase, url: string): Promise<void> {
  const current = await readSiteUrl(database);
  if (current === url) return;
  const from = new URL(current);
  const rewrite = rewriteUrls(from, new URL(url));
  await database.rewriteText(from.hostname, (value) => rewriteSerialized(value, rewrite) ?? rewrite(value));
}

async function readSiteUrl(database: SiteDatabase): Promise<string> {
  return database.transaction(async (db) => {
    const [row] = await db.all("select option_value from wp_options where option_name = 'home'");
    return String(row?.option_value);
  });
}

/** How the slashes and the colon of a URL are written: plainly, in JSON, and in a query string. */
const SPELLINGS = [
  { colon: ':', slashes: '//' },
  { colon: ':', slashes: '\\/\\/' },
  { colon: '%3A', slashes: '%2F%2F' },
];

export function rewriteUrls(from: URL, to: URL): (text: string) => string {
  const patterns = SPELLINGS.map(({ colon, slashes }) => {
    const host = (url: URL) => url.hostname + (url.port && colon + url.port);
    // Not the beginning of a longer host name or of another port; a full stop may end the sentence.
    const end = '(?![\\w-]|\\.\\w|:\\d|%3A\\d)';
    const pattern = new RegExp(`(https?${colon})?${escapePattern(slashes)}${escapePattern(host(from))}${end}`, 'gi');
    const scheme = to.protocol.slice(0, -1) + colon;
    return { pattern, scheme, rest: slashes + host(to) };
  });
  return (text) =>
    patterns.reduce(
      (result, { pattern, scheme, rest }) =>
        result.replace(pattern, (_match, given?: string) => (given ? scheme : '') + rest),
      text,
    );
}

function escapePattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
