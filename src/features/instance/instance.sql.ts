import { type InsertObject, type Selectable, sql, type Updateable } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { DB } from '#core/db/schema.generated.ts';

/** An instance as it is stored: a live site or a copy of one. What the contract adds to a site is computed from it. */
export type SiteRow = Selectable<DB['sites']>;
export type NewSiteRow = InsertObject<DB, 'sites'>;

/** Returns the live site that has this name: its current one, one of its other domains, or one that a running rename has claimed. */
export async function findSite(db: Db, fqdn: string): Promise<SiteRow | undefined> {
  const { rows } = await sql<SiteRow>`
    select s.* from site_names n join sites s on s.id = n.site_id
    where n.fqdn = ${fqdn} and s.kind = 'live'`.execute(db);
  return rows[0];
}

/** Of whatever kind. */
export async function findSiteById(db: Db, id: string): Promise<SiteRow | undefined> {
  return (await sql<SiteRow>`select * from sites where id = ${id}`.execute(db)).rows[0];
}

/** The sites and stages that are on a host; previews come and go. */
export async function listSitesOn(db: Db, host: string): Promise<SiteRow[]> {
  return (await sql<SiteRow>`select * from sites where host = ${host} and kind <> 'preview' order by id`.execute(db))
    .rows;
}

/**
 * The site, and its stage if it has one, kept from changing until the transaction ends. Teams are locked before sites, everywhere, and sites in
 * the order of their ids.
 */
export async function lockSite(db: Db, id: string): Promise<SiteRow | undefined> {
  const { rows } = await sql<SiteRow>`
    select * from sites where id = ${id} or (of_site_id = ${id} and kind = 'stage') order by id for no key update`.execute(
    db,
  );
  return rows.find((row) => row.id === id);
}

export async function siteIsInTeam(db: Db, siteId: string, teamId: string, kind = 'live'): Promise<boolean> {
  const { rows } = await sql`select from sites
    where id = ${siteId} and team_id = ${teamId} and kind = ${kind}`.execute(db);
  return rows.length > 0;
}

export async function updateSite(db: Db, id: string, change: Updateable<DB['sites']>): Promise<SiteRow | undefined> {
  return db.updateTable('sites').set(change).where('id', '=', id).returningAll().executeTakeFirst();
}

/** The end of a creation that failed, or of a copy: the row goes, and its names with it. */
export async function deleteSite(db: Db, id: string): Promise<void> {
  await sql`delete from sites where id = ${id}`.execute(db);
}

/** The last of a site that is gone. */
export async function deleteUsage(db: Db, id: string): Promise<void> {
  await sql`delete from site_usage where site_id = ${id}`.execute(db);
}

/** To be called for what runs past the edge, which tells of all else. */
export async function markStorageStale(db: Db, id: string): Promise<void> {
  await sql`update sites set storage_is_stale = true where id = ${id} and not storage_is_stale`.execute(db);
}

/** Whether it was deleted and is still kept for the operator. */
export async function isKeptDeleted(db: Db, id: string): Promise<boolean> {
  return (await sql`select from deleted_sites where id = ${id}`.execute(db)).rows.length > 0;
}

/** What the deleted sites of a team take until they are purged. */
export async function keptStorageBytes(db: Db, teamId: string): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(storage_bytes), 0)::bigint as bytes from deleted_sites where team_id = ${teamId}`.execute(db);
  return rows[0]?.bytes ?? 0;
}
