import { sql } from 'kysely';
import type { SiteHome } from '#core/cluster.ts';
import type { Db } from '#core/db/database.ts';

/** What a cluster has to know of a site, deleted or not; undefined where there is none. */
export async function findHome(db: Db, siteId: string): Promise<SiteHome | undefined> {
  const { rows } = await sql<{ plan: string }>`select t.plan_type_name as plan from (
      select id, team_id from sites union all select id, team_id from deleted_sites) s
    join teams t on t.id = s.team_id where s.id = ${siteId}`.execute(db);
  const [row] = rows;
  return row && { siteId, plan: row.plan };
}

/** All sites that have their home on a cluster. Their stages and previews are in it. */
export async function listHomes(db: Db, cluster: string): Promise<SiteHome[]> {
  const { rows } = await sql<{ id: string; plan: string }>`select s.id, t.plan_type_name as plan from (
      select id, team_id, host from sites union all select id, team_id, host from deleted_sites) s
    join teams t on t.id = s.team_id where s.host = ${`${cluster}.`}::text || s.id::text`.execute(db);
  return rows.map(({ id, plan }) => ({ siteId: id, plan }));
}

/** The hosts of a cluster's sites whose pods nobody has asked anything of for so long. A pod that was killed may still be written down. */
export async function listIdleHosts(db: Db, cluster: string, idleMs: number): Promise<string[]> {
  const { rows } = await sql<{ host: string }>`select host from platform_processes
    where host like ${`${cluster}.%`} and seen_at > now() - interval '30 seconds'
    group by host having bool_and(address is not null and idle_since is not null)
      and max(idle_since) < now() - make_interval(secs => ${idleMs / 1000})`.execute(db);
  return rows.map(({ host }) => host);
}
