import { sql } from 'kysely';
import type { Caller } from '#core/auth/caller.ts';
import type { Db } from '#core/db/database.ts';
import { type Listing, listNewest, type Paging, patternOf } from '#core/pages.ts';
import type { SiteRow } from '#features/instance/instance.ts';

// What is listed and counted is live sites; a copy is part of the one that it belongs to.

export async function listSiteNames(db: Db, teamId: string): Promise<string[]> {
  const { rows } = await sql<{ fqdn: string }>`
    select fqdn from sites where team_id = ${teamId} and kind = 'live'`.execute(db);
  return rows.map(({ fqdn }) => fqdn);
}

/** Whole teams, and single sites of teams that somebody is limited in. */
export interface SitesAmong {
  teamIds: string[];
  siteIds: string[];
}

/** Those that somebody may see: of one team, or of all of theirs. */
export function sitesFor(caller: Caller, teamId?: string): SitesAmong {
  const isAsked = (id: string) => teamId === undefined || id === teamId;
  return {
    teamIds: [...caller.roles.keys()].filter(isAsked),
    siteIds: [...caller.siteRoles].flatMap(([id, on]) => (isAsked(on.teamId) ? [id] : [])),
  };
}

const among = ({ teamIds, siteIds }: SitesAmong) =>
  siteIds.length === 0
    ? sql`team_id = any(${teamIds}::uuid[])`
    : sql`(team_id = any(${teamIds}::uuid[]) or sites.id = any(${siteIds}::uuid[]))`;

/** Each team's newest come off its own index and are merged, so that nobody sorts all the sites of all the teams. */
export async function listSitesAmong(db: Db, asked: SitesAmong, { page, size }: Paging): Promise<Listing<SiteRow>> {
  const { teamIds, siteIds } = asked;
  const offset = (page - 1) * size;
  const counted = await sql<{ count: number }>`
    select count(*)::int as count from sites where ${among(asked)} and kind = 'live'`.execute(db);
  const { count } = counted.rows[0] as { count: number };
  if (offset >= count) return { count, rows: [] };
  const { rows } = await sql<SiteRow>`
    with keys as (
      select of_team.* from unnest(${teamIds}::uuid[]) as source (team_id), lateral (
        select id, created_at from sites where team_id = source.team_id and kind = 'live'
        order by created_at desc, id desc limit ${offset + size}
      ) of_team
      union all select id, created_at from sites where id = any(${siteIds}::uuid[]) and kind = 'live'
      order by created_at desc, id desc limit ${size} offset ${offset}
    )
    select sites.* from keys join sites using (id) order by sites.created_at desc, sites.id desc`.execute(db);
  return { count, rows };
}

/** Those with the text in their name, whatever its case; names are kept in lower case. An index on parts of names serves it. */
export async function findSites(db: Db, asked: SitesAmong, text: string, paging: Paging): Promise<Listing<SiteRow>> {
  const where = sql`${among(asked)} and kind = 'live' and fqdn like ${patternOf(text)}`;
  return listNewest<SiteRow>(db, { table: 'sites', where, columns: sql`sites.*` }, paging);
}

/** Live sites of the whole platform or of a team, and those with the text in their name. */
export async function listAllSites(
  db: Db,
  { search, team_id }: { search?: string; team_id?: string },
  paging: Paging,
): Promise<Listing<SiteRow>> {
  const parts = [sql`kind = 'live'`];
  if (search !== undefined) parts.push(sql`fqdn like ${patternOf(search)}`);
  if (team_id !== undefined) parts.push(sql`team_id = ${team_id}`);
  const where = sql.join(parts, sql` and `);
  return listNewest<SiteRow>(db, { table: 'sites', where, columns: sql`sites.*` }, paging);
}

export interface TeamSlots {
  sites: number;
  free_sites: number;
}

/** How many sites a team has. Whoever is about to add one has locked the team. */
export async function countSites(db: Db, teamId: string): Promise<TeamSlots> {
  const { rows } = await sql<TeamSlots>`
    select count(*)::int as sites, count(*) filter (where is_free)::int as free_sites
    from sites where team_id = ${teamId} and kind = 'live'`.execute(db);
  return rows[0] as TeamSlots;
}

/** How many sites there are, by what they are doing. */
export async function countSitesByState(db: Db): Promise<{ ready: number; sleeping: number; busy: number }> {
  const { rows } = await sql<{ ready: number; sleeping: number; busy: number }>`
    select count(*) filter (where busy is not null)::int as busy,
      count(*) filter (where busy is null and is_sleeping)::int as sleeping,
      count(*) filter (where busy is null and not is_sleeping)::int as ready from sites where kind = 'live'`.execute(
    db,
  );
  return rows[0] as { ready: number; sleeping: number; busy: number };
}
