import { sql } from 'kysely';
import type { SiteHome } from '#core/cluster.ts';
import type { Db } from '#core/db/database.ts';
import { type PlanName, SHARES } from '#features/plan/plan.ts';

const ASLEEP_SECONDS = 15;
/** Of a pod: it says every twenty seconds that it lives. */
const HEARD_SECONDS = 45;

/** What a cluster has to know of a site, deleted or not; undefined where there is none. */
export async function findHome(db: Db, siteId: string): Promise<SiteHome | undefined> {
  const { rows } = await sql<{ plan: PlanName }>`select t.plan_type_name as plan from (
      select id, team_id from sites union all select id, team_id from deleted_sites) s
    join teams t on t.id = s.team_id where s.id = ${siteId}`.execute(db);
  const [row] = rows;
  return row && homeOf(siteId, row.plan);
}

/** All sites that have their home on a cluster. Their stages and previews are in it. */
export async function listHomes(db: Db, cluster: string): Promise<SiteHome[]> {
  const { rows } = await sql<{ id: string; plan: PlanName }>`select s.id, t.plan_type_name as plan from (
      select id, team_id, host from sites union all select id, team_id, host from deleted_sites) s
    join teams t on t.id = s.team_id where s.host = ${`${cluster}.`}::text || s.id::text`.execute(db);
  return rows.map(({ id, plan }) => homeOf(id, plan));
}

const homeOf = (siteId: string, plan: PlanName): SiteHome => ({ siteId, plan, processors: SHARES[plan].processors });

/** What a site took up when it was last measured. */
export async function findStorage(db: Db, siteId: string): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`select storage_bytes as bytes from sites where id = ${siteId}`.execute(
    db,
  );
  return rows[0]?.bytes ?? 0;
}

/** A site and its stage and previews. */
export async function listOnHost(db: Db, host: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select id from sites where host = ${host}`.execute(db);
  return rows.map(({ id }) => id);
}

/**
 * The hosts of a cluster's sites whose pods nobody has asked anything of for so long; where the site itself sleeps or is deleted, the
 * platform alone asked for something, and a moment is enough. But where a backup is due, or one is not told of, the pod would be
 * woken again for that. A pod that was killed may still be written down.
 */
export async function listIdleHosts(db: Db, cluster: string, idleMs: number): Promise<string[]> {
  const asleep = sql`not exists (select from sites s where s.host = p.host and s.kind = 'live' and not s.is_sleeping)`;
  const due = sql`exists (select from sites s join backup_clocks c on c.site_id = s.id
      where s.host = p.host and c.failures = 0 and c.due_at < now() + interval '2 minutes')`;
  const untold = sql`exists (select from sites s join backups b on b.site_id = s.id where s.host = p.host and not b.is_told)`;
  const idleFor = (seconds: number) => sql`max(idle_since) < now() - make_interval(secs => ${seconds}::float8)`;
  const { rows } = await sql<{ host: string }>`select host from platform_processes p
    where host like ${`${cluster}.%`} and seen_at > now() - make_interval(secs => ${HEARD_SECONDS})
    group by host having bool_and(address is not null and idle_since is not null)
      and ${idleFor(Math.min(ASLEEP_SECONDS, idleMs / 1000))}
      and (${idleFor(idleMs / 1000)} or (${asleep} and not ${due} and not ${untold}))`.execute(db);
  return rows.map(({ host }) => host);
}

/** Whether a process that has this host inside said lately that it lives. */
export async function isHostHeard(db: Db, host: string): Promise<boolean> {
  const { rows } = await sql`select from platform_processes
    where host = ${host} and seen_at > now() - make_interval(secs => ${HEARD_SECONDS})`.execute(db);
  return rows.length > 0;
}
