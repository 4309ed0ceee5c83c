import type { Services } from '#core/services.ts';
import type { HeldWork } from '#features/hold/hold.ts';
import type { SiteRef } from '#host/site-host.ts';
import { findSiteById, type SiteRow } from './instance.sql.ts';
import { siteUrl } from './spec-of.ts';

/**
 * What the works that hold a site share. Each finds in the site's row whether it is still its turn, does what lies outside
 * of the database in a way that can be repeated, and ends with one transaction that writes the result, releases the site and
 * ends the event. When every retry failed, `undo` and `abandon` leave things as they were before.
 */
export const nothing = async () => {};

/** The site, if this work still has it. */
export async function findOwn({ db }: Services, { siteId, eventId }: HeldWork): Promise<SiteRow | undefined> {
  const site = await findSiteById(db, siteId);
  return site?.busy_event_id === eventId ? site : undefined;
}

/** Rewrites the addresses in the site's database to those of its name. */
export function moveDatabase(services: Services, site: SiteRef, fqdn: string): Promise<void> {
  return services.hosts.moveDatabase(site, siteUrl(services, fqdn));
}
