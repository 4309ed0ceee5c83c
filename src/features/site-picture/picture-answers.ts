import type { PageAnswer } from '#core/browser.ts';
import type { Services } from '#core/services.ts';
import { placesOf, readPath } from '#edge/static/static-path.ts';
import { type SiteRow, specOf, visitSite } from '#features/instance/instance.ts';

const PAGE_MS = 15_000;
const MAX_PAGE_BYTES = 2 * 1024 * 1024;
const MAX_FILE_BYTES = 6 * 1024 * 1024;
/** A page that asks for more pages than that is no page. */
const MAX_PAGES = 20;

/**
 * What a picture of a site is made of: its pages and files, past the edge, as somebody who is not signed in. It is no visit, it knows no cookie, and
 * what belongs to another name is not there at all.
 */
export function answersOf(services: Services, site: SiteRow): (url: URL) => Promise<PageAnswer | undefined> {
  const spec = specOf(services, site);
  const own = new URL(spec.url).host;
  let pages = 0;
  return async (url) => {
    if (url.host !== own || !/^https?:$/.test(url.protocol)) return undefined;
    const read = readPath(url.pathname);
    if (read === 'denied') return undefined;
    if (read !== 'dynamic') {
      for (const { root, path } of placesOf(read.path, spec)) {
        const content = (await services.hosts.readFile(root, path, MAX_FILE_BYTES))?.content;
        if (content) return { status: 200, headers: { 'content-type': read.contentType }, body: content };
      }
      return undefined;
    }
    if (++pages > MAX_PAGES) return undefined;
    return pageOf(services, site.id, url.pathname + url.search);
  };
}

export async function pageOf(services: Services, siteId: string, path: string): Promise<PageAnswer> {
  const request = { method: 'GET', path, timeoutMs: PAGE_MS, maxBytes: MAX_PAGE_BYTES };
  const { status, headers, body } = await visitSite(services, siteId, request);
  const plain = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  );
  return { status, headers: Object.fromEntries(plain), body };
}
