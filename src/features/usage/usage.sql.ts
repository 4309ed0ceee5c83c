import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import { deleteInBatches } from '#core/db/delete-in-batches.ts';
import type { Listing, Paging } from '#core/pages.ts';
import type { UsageRange } from './usage.range.ts';
import type { SITE_USAGE_ORDERS, SiteUse, TeamUsagePoint } from './usage.schema.ts';

/** The counters of a team in equal steps of UTC, with zeros where nothing happened. */
export async function readTeamUsage(db: Db, teamId: string, { from, to, step }: UsageRange): Promise<TeamUsagePoint[]> {
  const { rows } = await sql<TeamUsagePoint>`
    with counted as (
      select date_trunc(${step}, hour, 'UTC') as at, sum(visits) as visits, sum(bytes) as bytes
      from team_usage where team_id = ${teamId} and hour >= ${from} and hour < ${to} group by 1
    )
    select at, coalesce(visits, 0)::bigint as visits, coalesce(bytes, 0)::bigint as bytes
    from generate_series(${from}::timestamptz, ${to}::timestamptz - interval '1 millisecond', ${`1 ${step}`}::interval, 'UTC') as at
    left join counted using (at) order by at`.execute(db);
  return rows;
}

/** Each has an index that begins with the team; of counters it has their class, within which they are sorted. */
const SITE_ORDERS = {
  visits: sql`visits_class desc, current_cycle_visits desc, id desc`,
  bandwidth: sql`bandwidth_class desc, current_cycle_bandwidth desc, id desc`,
  storage: sql`storage_bytes desc, id desc`,
  name: sql`fqdn, id`,
};

/** What each site of a team uses, the most first. Staging sites are added for the page alone. */
export async function listSiteUse(
  db: Db,
  teamId: string,
  orderBy: (typeof SITE_USAGE_ORDERS)[number],
  { page, size }: Paging,
): Promise<Listing<SiteUse>> {
  const order = SITE_ORDERS[orderBy];
  const { rows } = await sql<SiteUse & { count: number }>`
    with page as (
      select first.*, row_number() over () as place from (
        select id, fqdn, current_cycle_visits, current_cycle_bandwidth, storage_bytes from sites
        where team_id = ${teamId} and kind = 'live' order by ${order} limit ${size} offset ${(page - 1) * size}
      ) first
    )
    select counted.count, s.id as site_id, s.fqdn, s.current_cycle_visits as visits, s.current_cycle_bandwidth as bandwidth_bytes,
      (s.storage_bytes + coalesce((select sum(storage_bytes) from sites c where c.of_site_id = s.id and c.kind = 'stage'), 0))::bigint
        as storage_bytes
    from (select count(*)::int as count from sites where team_id = ${teamId} and kind = 'live') counted
    left join page s on true order by s.place`.execute(db);
  return { count: rows[0]?.count ?? 0, rows: rows.filter(({ site_id }) => site_id !== null) };
}

export type LimitedResource = 'visits' | 'bandwidth' | 'storage';

/** Deleted sites count while they are kept, as wherever the storage of a plan is asked for. */
const KEPT = sql`(select team_id, sum(storage_bytes)::bigint as bytes from deleted_sites group by team_id) kept`;
const STORAGE_USED = sql`t.storage_usage + coalesce(kept.bytes, 0)`;

/** Writes down whose storage is used up and whose is no longer: of one team, or of all. */
export async function markUsedUpStorage(
  db: Db,
  plans: readonly { name: string; storage_bytes: number }[],
  teamId?: string,
): Promise<void> {
  await sql`
    with plan as (
      select * from unnest(${plans.map(({ name }) => name)}::text[],
        ${plans.map(({ storage_bytes }) => storage_bytes)}::bigint[]) as plan (name, storage)
    )
    update teams set storage_is_used_up = not storage_is_used_up where id in (
      select t.id from teams t join plan on plan.name = t.plan_type_name left join ${KEPT} on kept.team_id = t.id
      where t.storage_is_used_up <> (${STORAGE_USED} >= plan.storage)
        and ${teamId === undefined ? sql`true` : sql`t.id = ${teamId}`}
      order by t.id for no key update of t)`.execute(db);
}

export interface ReachedLimit {
  team_id: string;
  user_id: string;
  team_name: string;
  plan_type_name: string;
  resource: LimitedResource;
  percent: number;
  used: number;
  allowed: number;
  cycle_end: Date;
}

/**
 * Finds who reached a part of what the plan has and remembers that they are told: each limit once in a cycle. Of several
 * that were reached at once only the highest is worth telling.
 */
export async function takeReachedLimits(
  db: Db,
  plans: readonly { name: string; visits: number; bandwidth_bytes: number; storage_bytes: number }[],
  percents: readonly number[],
): Promise<ReachedLimit[]> {
  const { rows } = await sql<ReachedLimit>`
    with plan as (
      select * from unnest(${plans.map(({ name }) => name)}::text[], ${plans.map(({ visits }) => visits)}::bigint[],
        ${plans.map(({ bandwidth_bytes }) => bandwidth_bytes)}::bigint[],
        ${plans.map(({ storage_bytes }) => storage_bytes)}::bigint[]) as plan (name, visits, bandwidth, storage)
    ), used as (
      select t.id as team_id, t.user_id, t.name as team_name, t.plan_type_name, t.cycle_start, t.cycle_end, r.resource, r.used, r.allowed
      from teams t join plan on plan.name = t.plan_type_name left join ${KEPT} on kept.team_id = t.id
      cross join lateral (values ('visits', t.current_cycle_visits, plan.visits),
        ('bandwidth', t.current_cycle_bandwidth, plan.bandwidth),
        ('storage', ${STORAGE_USED}, plan.storage)) as r (resource, used, allowed)
    ), reached as (
      select used.*, percent from used, unnest(${[...percents]}::integer[]) as percent where used * 100 >= allowed * percent
    ), told as (
      insert into limit_notices (team_id, cycle_start, plan_type_name, resource, percent)
      select team_id, cycle_start, plan_type_name, resource, percent from reached
      on conflict do nothing returning team_id, resource, percent
    )
    select distinct on (r.team_id, r.resource) r.team_id, r.user_id, r.team_name, r.plan_type_name, r.resource, r.percent, r.used,
      r.allowed, r.cycle_end
    from reached r join told using (team_id, resource, percent) order by r.team_id, r.resource, r.percent desc`.execute(
    db,
  );
  return rows;
}

/** A cycle that is over is told of no more, and two years by the hour are what anybody compares. */
export async function forgetOldUsage(db: Db): Promise<void> {
  await deleteInBatches(db, 'limit_notices', sql`created_at < now() - interval '2 months'`);
  await deleteInBatches(db, 'site_usage', sql`hour < now() - interval '800 days'`);
  await deleteInBatches(db, 'team_usage', sql`hour < now() - interval '800 days'`);
}
