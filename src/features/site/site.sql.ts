import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import { type Listing, listNewest, type Paging, patternOf } from '#core/pages.ts';
import type { SiteRow } from '#features/instance/instance.ts';

// What is listed and counted is live sites; a copy is part of the one that it belongs to.

export async function listSiteNames(db: Db, teamId: string): Promise<string[]> {
  const { rows } = await sql<{ fqdn: string }>`
    select fqdn from sites where team_id = ${teamId} and kind = 'live'`.execute(db);
  return rows.map(({ fqdn }) => fqdn);
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
