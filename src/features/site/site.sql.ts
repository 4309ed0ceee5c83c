import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { DB } from '#core/db/schema.generated.ts';
import { type Listing, listNewest, type Paging } from '#core/pages.ts';

/** A site as it is stored; what the contract adds is computed from it. */
export type SiteRow = Selectable<DB['sites']>;
export type NewSiteRow = Insertable<DB['sites']>;

export async function siteIsInTeam(db: Db, siteId: string, teamId: string): Promise<boolean> {
  const { rows } = await sql`select from sites where id = ${siteId} and team_id = ${teamId}`.execute(db);
  return rows.length > 0;
}

export async function findSite(db: Db, fqdn: string): Promise<SiteRow | undefined> {
  return (await sql<SiteRow>`select * from sites where fqdn = ${fqdn}`.execute(db)).rows[0];
}

export async function findSiteById(db: Db, id: string): Promise<SiteRow | undefined> {
  return (await sql<SiteRow>`select * from sites where id = ${id}`.execute(db)).rows[0];
}

/** The site, kept from changing until the transaction ends. Teams are locked before sites, everywhere. */
export async function lockSite(db: Db, id: string): Promise<SiteRow | undefined> {
  return (await sql<SiteRow>`select * from sites where id = ${id} for no key update`.execute(db)).rows[0];
}

/** All the sites of a team, kept from changing, in the order in which everybody locks them. */
export async function lockTeamSites(db: Db, teamId: string): Promise<SiteRow[]> {
  const { rows } = await sql<SiteRow>`
    select * from sites where team_id = ${teamId} order by id for no key update`.execute(db);
  return rows;
}

export async function listSiteNames(db: Db, teamId: string): Promise<string[]> {
  const { rows } = await sql<{ fqdn: string }>`select fqdn from sites where team_id = ${teamId}`.execute(db);
  return rows.map(({ fqdn }) => fqdn);
}

/** Each team's newest come off its own index and are merged, so that nobody sorts all the sites of all the teams. */
export async function listSitesOfTeams(db: Db, teamIds: string[], { page, size }: Paging): Promise<Listing<SiteRow>> {
  const offset = (page - 1) * size;
  const counted = await sql<{ count: number }>`
    select count(*)::int as count from sites where team_id = any(${teamIds}::uuid[])`.execute(db);
  const { count } = counted.rows[0] as { count: number };
  if (offset >= count) return { count, rows: [] };
  const { rows } = await sql<SiteRow>`
    with keys as (
      select of_team.* from unnest(${teamIds}::uuid[]) as source (team_id), lateral (
        select id, created_at from sites where team_id = source.team_id order by created_at desc, id desc limit ${offset + size}
      ) of_team order by created_at desc, id desc limit ${size} offset ${offset}
    )
    select sites.* from keys join sites using (id) order by sites.created_at desc, sites.id desc`.execute(db);
  return { count, rows };
}

/** Those with the text in their name, whatever its case; names are kept in lower case. An index on parts of names serves it. */
export async function findSites(db: Db, teamIds: string[], text: string, paging: Paging): Promise<Listing<SiteRow>> {
  const pattern = `%${text.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;
  const where = sql`team_id = any(${teamIds}::uuid[]) and fqdn like ${pattern}`;
  return listNewest<SiteRow>(db, { table: 'sites', where, columns: sql`sites.*` }, paging);
}

/** Undefined when the name is taken, be it by a rename that is still running. */
export async function insertSite(db: Db, site: NewSiteRow): Promise<SiteRow | undefined> {
  const row = await db
    .insertInto('sites')
    .values(site)
    .onConflict((conflict) => conflict.column('fqdn').doNothing())
    .returningAll()
    .executeTakeFirst();
  return row && (await claimName(db, row.fqdn, row.id)) ? row : undefined;
}

/** False when another site has the name, or this one has it already. */
export async function claimName(db: Db, fqdn: string, siteId: string): Promise<boolean> {
  const { rows } = await sql`insert into site_names (fqdn, site_id) values (${fqdn}, ${siteId})
    on conflict (fqdn) do nothing returning fqdn`.execute(db);
  return rows.length > 0;
}

/** Whether the name leads to a site here, or is about to. */
export async function nameIsClaimed(db: Db, fqdn: string): Promise<boolean> {
  return (await sql`select from site_names where fqdn = ${fqdn}`.execute(db)).rows.length > 0;
}

/** Frees a name that never led anywhere: that of a creation or a rename that failed. */
export async function dropName(db: Db, fqdn: string, siteId: string): Promise<void> {
  await sql`delete from site_names where fqdn = ${fqdn} and site_id = ${siteId}`.execute(db);
}

/** Frees a name at once, and remembers whose it was. */
export async function releaseName(db: Db, fqdn: string, siteId: string, teamId: string): Promise<void> {
  await dropName(db, fqdn, siteId);
  await sql`insert into released_names (fqdn, team_id) values (${fqdn}, ${teamId})
    on conflict (fqdn) do update set team_id = excluded.team_id, released_at = now()`.execute(db);
}

/** Whether another team had the name within thirty days. To be asked by whoever has claimed it, so that nobody lets go of it meanwhile. */
export async function nameIsHeld(db: Db, fqdn: string, teamId: string): Promise<boolean> {
  const { rows } = await sql`select from released_names
    where fqdn = ${fqdn} and team_id <> ${teamId} and released_at > now() - interval '30 days'`.execute(db);
  return rows.length > 0;
}

export async function updateSite(db: Db, id: string, change: Updateable<DB['sites']>): Promise<SiteRow | undefined> {
  return db.updateTable('sites').set(change).where('id', '=', id).returningAll().executeTakeFirst();
}

export type NamedSite = Pick<SiteRow, 'id' | 'fqdn' | 'region_id'>;

/** Sites with a domain of their own whose zone nobody has looked at for so long, new names first. */
export async function findZonesToLookAt(db: Db, everyHours: number, limit: number): Promise<NamedSite[]> {
  const { rows } = await sql<NamedSite>`
    select id, fqdn, region_id from sites
    where domain_option = 'custom' and (zone_looked_at is null or zone_looked_at < now() - make_interval(hours => ${everyHours}))
    order by zone_looked_at nulls first limit ${limit}`.execute(db);
  return rows;
}

/** What the name servers of a site's zone turned out to be; undefined where they could not be asked. */
export async function noteZone(db: Db, { id, fqdn }: NamedSite, isNsRoot: boolean | undefined): Promise<void> {
  await sql`update sites set is_ns_root = coalesce(${isNsRoot ?? null}, is_ns_root), zone_looked_at = now()
    where id = ${id} and fqdn = ${fqdn}`.execute(db);
}

/** The end of a creation that failed: the row goes, and its names with it. */
export async function deleteSite(db: Db, id: string): Promise<void> {
  await sql`delete from sites where id = ${id}`.execute(db);
}

export interface TeamSlots {
  sites: number;
  free_sites: number;
}

/** How many sites a team has. Whoever is about to add one has locked the team. */
export async function countSites(db: Db, teamId: string): Promise<TeamSlots> {
  const { rows } = await sql<TeamSlots>`
    select count(*)::int as sites, count(*) filter (where is_free)::int as free_sites
    from sites where team_id = ${teamId}`.execute(db);
  return rows[0] as TeamSlots;
}
