import type { Asked } from '../asked.ts';
import { pageKey } from './cache-key.ts';
import { mayUseCache } from './cache-policy.ts';
import type { StoredPage } from './stored-page.ts';

/** What the cache has for a visit. */
export interface Lookup {
  key: string;
  page: StoredPage | undefined;
}

/** Looks a visit up; undefined where the cache is none of its business. */
export function lookUp(visit: Asked): Lookup | undefined {
  if (!mayUseCache(visit)) return undefined;
  // The host as sent, port included, and the protocol: a site may write both into its pages. A line feed can be in none
  // of the parts, so that where one ends is never in doubt.
  const key = `${visit.protocol}\n${visit.headers.host}\n${pageKey(visit.path, visit.query)}`;
  const { pages } = visit.gate.site;
  if (visit.headers.cookie !== undefined && pages.dependsOnCookies(key)) return undefined;
  return { key, page: pages.find(key, visit.headers) };
}
