import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { SiteRow } from '#features/instance/instance.ts';

/** Which of these instances are on a host. */
export async function ownSites(db: Db, host: string, siteIds: readonly string[]): Promise<SiteRow[]> {
  const { rows } =
    await sql<SiteRow>`select * from sites where host = ${host} and id = any(${siteIds}::uuid[])`.execute(db);
  return rows;
}

/** All that is on a host, deleted or not, or what of these is. */
export async function ownIds(db: Db, host: string, siteIds?: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select id from (
      select id from sites where host = ${host} union all select id from deleted_sites where host = ${host}) own
    where ${siteIds === undefined ? sql`true` : sql`id = any(${siteIds}::uuid[])`}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Whether there is such a site anywhere, deleted or not: one that moves is on two hosts for a while. */
export async function isKnownSite(db: Db, siteId: string): Promise<boolean> {
  const { rows } = await sql`
    select from sites where id = ${siteId} union all select from deleted_sites where id = ${siteId}`.execute(db);
  return rows.length > 0;
}

/** Which host each of these is on. */
export async function hostsOf(db: Db, siteIds: readonly string[]): Promise<{ id: string; host: string }[]> {
  const { rows } = await sql<{ id: string; host: string }>`
    select id, host from sites where id = any(${siteIds}::uuid[])
    union all select id, host from deleted_sites where id = any(${siteIds}::uuid[])`.execute(db);
  return rows;
}
