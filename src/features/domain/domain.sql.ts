import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { SiteRow } from '#features/instance/instance.ts';

export type NamedSite = Pick<SiteRow, 'id' | 'fqdn' | 'region_id'>;

/** Sites with a domain of their own whose zone nobody has looked at for so long, new names first. */
export async function findZonesToLookAt(db: Db, everyHours: number, limit: number): Promise<NamedSite[]> {
  const { rows } = await sql<NamedSite>`
    select id, fqdn, region_id from sites
    where kind = 'live' and domain_option = 'custom' and (zone_looked_at is null or zone_looked_at < now() - make_interval(hours => ${everyHours}))
    order by zone_looked_at nulls first limit ${limit}`.execute(db);
  return rows;
}

/** What the name servers of a site's zone turned out to be; undefined where they could not be asked. */
export async function noteZone(db: Db, { id, fqdn }: NamedSite, isNsRoot: boolean | undefined): Promise<void> {
  await sql`update sites set is_ns_root = coalesce(${isNsRoot ?? null}, is_ns_root), zone_looked_at = now()
    where id = ${id} and fqdn = ${fqdn}`.execute(db);
}
