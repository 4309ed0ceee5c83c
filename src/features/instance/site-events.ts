import type { Caller } from '#core/auth/caller.ts';
import type { Db } from '#core/db/database.ts';
import { type NewEvent, recordEvent } from '#core/events/events.ts';
import { siteNotFound } from './instance.schema.ts';
import { lockSite, type SiteRow } from './instance.sql.ts';

/** What happened to a site. The readable line starts with who did it, or with what `activity` says by itself. */
export function recordSiteEvent(
  db: Db,
  caller: Pick<Caller, 'userId'> | null,
  site: Pick<SiteRow, 'id' | 'team_id' | 'fqdn'> & Partial<Pick<SiteRow, 'kind' | 'of_site_id'>>,
  event: Pick<NewEvent, 'event_type' | 'activity' | 'description' | 'detail' | 'unfinished' | 'item_id'>,
): Promise<string> {
  return recordEvent(db, {
    item_id: site.id,
    ...event,
    scope: site.kind === 'stage' ? 'stage' : 'site',
    by: caller,
    team_id: site.team_id,
    // What happens to a copy is found with what happens to its site.
    site_live_id: site.of_site_id ?? site.id,
    fqdn: site.fqdn,
  });
}

/** Locks the site that the path named, unless it was moved to another team or deleted since it was looked up. */
export async function lockNamedSite(db: Db, named: Pick<SiteRow, 'id' | 'team_id'>): Promise<SiteRow> {
  const site = await lockSite(db, named.id);
  if (site?.team_id !== named.team_id) throw siteNotFound();
  return site;
}
