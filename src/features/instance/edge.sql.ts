import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { SiteUsage } from '#edge/route.ts';
import type { PlanName } from '#features/plan/plan.ts';
import type { SiteRow } from './instance.sql.ts';

/** Of pages that visitors asked for. Fewer may be one visitor who asks for one broken page again. */
export const FAILED_IN_A_ROW = 3;

/** What a route is made of; a site has one for each of its names. */
export interface RouteRow
  extends Pick<
    SiteRow,
    | 'id'
    | 'kind'
    | 'expires_at'
    | 'team_id'
    | 'fqdn'
    | 'busy'
    | 'is_sleeping'
    | 'http_auth_enabled'
    | 'http_auth_password_sealed'
    | 'cdn_dev_mode_enabled'
    | 'cdn_firewall_enabled'
    | 'cdn_firewall_allowed_ips'
    | 'core_version'
    | 'php_version'
    | 'debug_enabled'
    | 'host'
    | 'driver'
  > {
  name: string;
  name_mode: 'redirect' | 'serve';
  is_active: boolean;
  is_expired: boolean;
  plan_type_name: PlanName;
  storage_is_used_up: boolean;
  has_deleted_sites: boolean;
  external_paths: { path: string; target: string }[];
}

/** All of them, or those of sites or on a host. */
export async function listRoutes(
  db: Db,
  only: { siteIds?: readonly string[]; host?: string } = {},
): Promise<RouteRow[]> {
  const { siteIds, host } = only;
  const { rows } = await sql<RouteRow>`
    select n.fqdn as name, n.mode as name_mode, s.id, s.kind, s.expires_at, s.team_id, s.fqdn, s.busy, s.is_sleeping, s.http_auth_enabled, s.http_auth_password_sealed,
      s.cdn_dev_mode_enabled, s.cdn_firewall_enabled, s.cdn_firewall_allowed_ips, s.core_version, s.php_version, s.debug_enabled,
      s.host, s.driver,
      t.is_active, t.is_expired, t.plan_type_name,
      -- What is uploaded into a preview is gone within the hour.
      t.storage_is_used_up and s.kind <> 'preview' as storage_is_used_up,
      t.storage_is_used_up and exists (select from deleted_sites d where d.team_id = t.id) as has_deleted_sites, coalesce((
        select json_agg(json_build_object('path', p.path, 'target', p.external_name)) from external_paths p where p.site_id = s.id
      ), '[]') as external_paths
    from site_names n join sites s on s.id = n.site_id join teams t on t.id = s.team_id
    where ${siteIds === undefined ? sql`true` : sql`s.id = any(${siteIds}::uuid[])`}
      and ${host === undefined ? sql`true` : sql`s.host = ${host}`}`.execute(db);
  return rows;
}

/** The site as it is now awake; undefined when it was not asleep. */
export async function markAwake(db: Db, id: string): Promise<SiteRow | undefined> {
  const { rows } = await sql<SiteRow>`
    update sites set is_sleeping = false, last_visited_at = now() where id = ${id} and is_sleeping returning *`.execute(
    db,
  );
  return rows[0];
}

export async function announcePurge(db: Db, siteId: string): Promise<void> {
  await sql`select pg_notify('site_purged', ${siteId})`.execute(db);
}

/** Where counting ends: as far as numbers are exact everywhere. What one site claims must never keep the others from being counted. */
const MOST = sql.lit(9_000_000_000_000_000);
const upTo = (sum: string) => sql`least(${sql.raw(sum)}, ${MOST})`;
const raised = (row: string, names: readonly string[], by: string) =>
  sql.join(names.map((name) => sql`${sql.ref(name)} = ${upTo(`${row}.${name} + ${by}.${name}`)}`));
const summed = (names: readonly string[]) => sql.join(names.map((name) => upTo(`sum(c.${name})`)));
const COUNTERS = ['visits', 'requests', 'bytes', 'cached_bytes', 'cache_hits', 'cache_misses', 'errors'];

/**
 * Adds what an edge counted to teams, sites and hours, in one statement. Teams are locked first, then sites, each in the
 * order of their ids, as everybody does, so that two edges never wait for one another. What a site did before it was
 * deleted is still its team's.
 */
export async function addUsage(db: Db, usage: readonly SiteUsage[]): Promise<void> {
  const column = <T>(read: (entry: SiteUsage) => T) => usage.map(read);
  await sql`
    with counted as (
      select * from unnest(${column((u) => u.siteId)}::uuid[], ${column((u) => u.teamId)}::uuid[], ${column((u) => u.visits)}::bigint[],
        ${column((u) => u.requests)}::bigint[], ${column((u) => u.bytes)}::bigint[], ${column((u) => u.cachedBytes)}::bigint[],
        ${column((u) => u.cacheHits)}::bigint[], ${column((u) => u.cacheMisses)}::bigint[], ${column((u) => u.cacheObjects)}::bigint[],
        ${column((u) => u.cacheBytes)}::bigint[], ${column((u) => u.lastVisitAt)}::timestamptz[], ${column((u) => u.errors)}::bigint[],
        ${column((u) => `{${u.durations}}`)}::text[], ${column((u) => u.pages)}::bigint[], ${column((u) => u.pagesFailedLast)}::bigint[])
        as u (site_id, team_id, visits, requests, bytes, cached_bytes, cache_hits, cache_misses, cache_objects, cache_bytes, last_visit_at,
          errors, durations, pages, pages_failed_last)
    ), counted_sites as (
      -- A site that moved is there once for each of its teams.
      select site_id, sum(visits) as visits, sum(requests) as requests, sum(bytes) as bytes, sum(cached_bytes) as cached_bytes,
        sum(cache_hits) as cache_hits, sum(cache_misses) as cache_misses, max(cache_objects) as cache_objects,
        max(cache_bytes) as cache_bytes, max(last_visit_at) as last_visit_at,
        sum(pages) as pages, sum(pages_failed_last) as pages_failed_last
      from counted group by site_id
    ), held as materialized (
      -- A cycle that began within this hour is counted from then on, so that no row belongs to two cycles.
      select id, greatest(date_trunc('hour', now(), 'UTC'), cycle_start) as hour
      from teams where id in (select team_id from counted) order by id for no key update
    ), held_sites as materialized (
      -- The count is never below zero; asking for it makes the teams come first.
      select id from sites where id in (select site_id from counted) and (select count(*) from held) >= 0
      order by id for no key update
    ), of_teams as (
      update teams t set current_cycle_visits = ${upTo('t.current_cycle_visits + c.visits')},
        current_cycle_bandwidth = ${upTo('t.current_cycle_bandwidth + c.bytes')}
      from (select team_id, sum(visits) as visits, sum(bytes) as bytes from counted group by team_id) c join held on held.id = c.team_id
      where t.id = c.team_id
    ), hours_of_teams as (
      insert into team_usage as u (team_id, hour, visits, bytes)
      select c.team_id, held.hour, ${summed(['visits', 'bytes'])} from counted c join held on held.id = c.team_id group by 1, 2
      on conflict (team_id, hour) do update set ${raised('u', ['visits', 'bytes'], 'excluded')}
    ), of_sites as (
      update sites s set current_cycle_visits = ${upTo('s.current_cycle_visits + c.visits')},
        current_cycle_bandwidth = ${upTo('s.current_cycle_bandwidth + c.bytes')},
        current_cycle_cached_bandwidth = ${upTo('s.current_cycle_cached_bandwidth + c.cached_bytes')},
        current_cycle_cache_hits = ${upTo('s.current_cycle_cache_hits + c.cache_hits')},
        current_cycle_cache_misses = ${upTo('s.current_cycle_cache_misses + c.cache_misses')},
        cache_objects = c.cache_objects, cache_bytes = c.cache_bytes,
        -- An editor at work makes requests that are no visits, and the site is not idle all the same.
        last_visited_at = greatest(s.last_visited_at, c.last_visit_at, case when c.requests > 0 then now() end),
        storage_is_stale = s.storage_is_stale or c.requests > c.cache_hits,
        failing_since = case when c.pages = 0 then s.failing_since when c.pages_failed_last > 0 then
          case when c.pages = c.pages_failed_last then coalesce(s.failing_since, now()) else now() end end,
        failed_answers = case when c.pages = 0 then s.failed_answers when c.pages_failed_last > 0 then least(1000000,
          case when c.pages = c.pages_failed_last then coalesce(s.failed_answers, 0) else 0 end + c.pages_failed_last) end
      from counted_sites c join held_sites on held_sites.id = c.site_id where s.id = c.site_id
      returning s.id
    )
    insert into site_usage as u (site_id, hour, ${sql.join(COUNTERS.map((name) => sql.ref(name)))}, durations)
    select c.site_id, held.hour, ${summed(COUNTERS)}, sum_counts(c.durations::int[])
    from counted c join of_sites on of_sites.id = c.site_id join held on held.id = c.team_id group by 1, 2
    on conflict (site_id, hour) do update set ${raised('u', COUNTERS, 'excluded')},
      durations = add_counts(u.durations, excluded.durations)`.execute(db);
}
