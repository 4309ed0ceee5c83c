import type { Services } from '#core/services.ts';
import { findSiteById, type SiteRow } from './site.sql.ts';

/**
 * What the works that have a site to themselves share. Each finds in the site's row whether it is still its turn, does
 * what lies outside of the database in a way that can be repeated, and ends with one transaction that writes the result,
 * clears `busy` and ends the event. When every retry failed, `undo` and `abandon` leave things as they were before.
 */
export interface SiteWork {
  siteId: string;
  eventId: string;
}

export const IDLE = { busy: null, busy_event_id: null };
export const nothing = async () => {};

/** The site, if this work still has it. */
export async function findOwn({ db }: Services, { siteId, eventId }: SiteWork): Promise<SiteRow | undefined> {
  const site = await findSiteById(db, siteId);
  return site?.busy_event_id === eventId ? site : undefined;
}
