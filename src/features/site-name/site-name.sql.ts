import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { NewSiteRow, SiteRow } from '#features/instance/instance.ts';

/** An instance with its name. Undefined when the name is taken, be it by a rename that is still running. */
export async function insertNamedSite(db: Db, site: NewSiteRow): Promise<SiteRow | undefined> {
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

/** Those of the names whose records led here when they were looked at last. */
export async function verifiedNames(db: Db, fqdns: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ fqdn: string }>`
    select fqdn from site_names where fqdn = any(${[...fqdns]}::text[]) and verified_at is not null`.execute(db);
  return new Set(rows.map(({ fqdn }) => fqdn));
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

/** Frees all the names of a site that goes, and remembers whose they were. */
export async function releaseNames(db: Db, siteId: string, teamId: string): Promise<void> {
  await sql`insert into released_names (fqdn, team_id) select fqdn, ${teamId} from site_names where site_id = ${siteId}
    on conflict (fqdn) do update set team_id = excluded.team_id, released_at = now()`.execute(db);
  await sql`delete from site_names where site_id = ${siteId}`.execute(db);
}

/** Whether the site has this name, be it not its main one. */
export async function siteHasName(db: Db, fqdn: string, siteId: string): Promise<boolean> {
  return (await sql`select from site_names where fqdn = ${fqdn} and site_id = ${siteId}`.execute(db)).rows.length > 0;
}

/** To be asked by whoever has locked the site, after it took its new name. */
export async function countNames(db: Db, siteId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from site_names where site_id = ${siteId}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** What a site's main name was goes on, and leads to the one that it has now. */
export async function keepAsRedirect(db: Db, fqdn: string, siteId: string): Promise<void> {
  await sql`update site_names set mode = 'redirect' where fqdn = ${fqdn} and site_id = ${siteId}`.execute(db);
}

/** Whether another team had the name within thirty days. To be asked by whoever has claimed it, so that nobody lets go of it meanwhile. */
export async function nameIsHeld(db: Db, fqdn: string, teamId: string): Promise<boolean> {
  const { rows } = await sql`select from released_names
    where fqdn = ${fqdn} and team_id <> ${teamId} and released_at > now() - interval '30 days'`.execute(db);
  return rows.length > 0;
}

export async function forgetReleasedNames(db: Db): Promise<void> {
  await sql`delete from released_names where released_at < now() - interval '30 days'`.execute(db);
}

/** Another team that has a name, with its site, or that had it within thirty days. */
export interface NameHolder {
  team_id: string;
  site_id: string | null;
}

export async function findHolder(db: Db, fqdn: string, teamId: string): Promise<NameHolder | undefined> {
  const { rows } = await sql<NameHolder>`
    select s.team_id, s.id as site_id from site_names n join sites s on s.id = n.site_id
      where n.fqdn = ${fqdn} and s.team_id <> ${teamId}
    union all
    select team_id, null from released_names
      where fqdn = ${fqdn} and team_id <> ${teamId} and released_at > now() - interval '30 days'
    order by site_id nulls last limit 1`.execute(db);
  return rows[0];
}
