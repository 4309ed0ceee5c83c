import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { Cycle, CycleBasis } from './usage.cycle.ts';

export type TeamCycle = CycleBasis & { id: string; cycle_start: Date; cycle_end: Date };

const COLUMNS = sql`id, sub_id, interval, period_start, period_end, cycle_anchor, timezone, cycle_start, cycle_end`;

/** Held until the transaction ends, so that nothing is counted while its cycle moves. */
export async function lockCycle(db: Db, teamId: string): Promise<TeamCycle> {
  const { rows } = await sql<TeamCycle>`
    select ${COLUMNS} from teams where id = ${teamId} for no key update`.execute(db);
  return rows[0] as TeamCycle;
}

/**
 * The teams whose cycle is over or was counted in another time zone. A month that is paid for follows the provider, who
 * alone knows when the next one begins.
 */
export async function takeDueCycles(db: Db, limit: number): Promise<TeamCycle[]> {
  const { rows } = await sql<TeamCycle>`
    select ${COLUMNS} from teams
    where cycle_timezone <> timezone
      or (cycle_end <= now() and (period_end is null or (interval = 'year' and period_end > now())))
    order by id limit ${limit} for no key update skip locked`.execute(db);
  return rows;
}

/**
 * Sets the cycle and counts anew what was used within it, from the hours. Whoever calls holds the team, and sites are
 * locked after it in the order of their ids, as everybody does.
 */
export async function writeCycle(db: Db, teamId: string, { start, end }: Cycle): Promise<void> {
  await sql`
    with used as (
      select coalesce(sum(visits), 0) as visits, coalesce(sum(bytes), 0) as bytes
      from team_usage where team_id = ${teamId} and hour >= ${start}
    )
    update teams t set cycle_start = ${start}, cycle_end = ${end}, cycle_timezone = t.timezone,
      current_cycle_visits = used.visits, current_cycle_bandwidth = used.bytes
    from used where t.id = ${teamId}`.execute(db);
  await sql`
    with held as materialized (
      select id from sites where team_id = ${teamId} order by id for no key update
    ), used as (
      select held.id, coalesce(sum(visits), 0) as visits, coalesce(sum(bytes), 0) as bytes,
        coalesce(sum(cached_bytes), 0) as cached_bytes, coalesce(sum(cache_hits), 0) as cache_hits,
        coalesce(sum(cache_misses), 0) as cache_misses
      from held left join site_usage u on u.site_id = held.id and u.hour >= ${start} group by held.id
    )
    update sites s set current_cycle_visits = used.visits, current_cycle_bandwidth = used.bytes,
      current_cycle_cached_bandwidth = used.cached_bytes, current_cycle_cache_hits = used.cache_hits,
      current_cycle_cache_misses = used.cache_misses
    from used where s.id = used.id`.execute(db);
}
