import { type RawBuilder, sql } from 'kysely';
import type { Caller } from '#core/auth/caller.ts';
import type { Db } from '#core/db/database.ts';
import { type Listing, type Paging, patternOf } from '#core/pages.ts';
import type { SiteRow } from '#features/instance/instance.ts';
import type { SiteSort, SiteState } from './site.schema.ts';

/** Which sites, and in which order. */
export interface SiteQuery {
  search?: string | undefined;
  label?: string | undefined;
  state?: SiteState | undefined;
  sort?: SiteSort | undefined;
}

/** Each has an index that begins with the team; of visits it has their class, within which they are sorted. */
const ORDERS: Record<SiteSort, RawBuilder<unknown>> = {
  newest: sql`created_at desc, id desc`,
  name: sql`fqdn, id`,
  visits: sql`visits_class desc, current_cycle_visits desc, id desc`,
  storage: sql`storage_bytes desc, id desc`,
};

const STATES: Record<SiteState, RawBuilder<unknown>> = {
  awake: sql`not is_sleeping and busy is null`,
  asleep: sql`is_sleeping and busy is null`,
  busy: sql`busy is not null`,
  outdated: sql`updates_waiting > 0`,
  // As the index has it.
  insecure: sql`updates_waiting > 0 and security_update is not null`,
};

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

/**
 * A page of the live sites of teams, and of single sites. Each team's first ones come off its own index and are merged, so that nobody sorts all the sites of
 * all the teams; what somebody searches for comes off the index on parts of names and titles.
 */
export async function listSites(
  db: Db,
  asked: SitesAmong,
  { search, label, state, sort = 'newest' }: SiteQuery,
  { page, size }: Paging,
): Promise<Listing<SiteRow>> {
  const { teamIds, siteIds } = asked;
  const offset = (page - 1) * size;
  const order = ORDERS[sort];
  const matching = sql.join([sql`kind = 'live'`, ...filters({ search, label, state })], sql` and `);
  const counted = await sql<{ count: number }>`
    select count(*)::int as count from sites where ${among(asked)} and ${matching}`.execute(db);
  const { count } = counted.rows[0] as { count: number };
  if (offset >= count) return { count, rows: [] };
  const { rows } = await sql<SiteRow>`
    with keys as (
      select of_team.* from unnest(${teamIds}::uuid[]) as source (team_id), lateral (
        select id, created_at, fqdn, visits_class, current_cycle_visits, storage_bytes from sites
        where team_id = source.team_id and ${matching} order by ${order} limit ${offset + size}
      ) of_team
      union all
      select id, created_at, fqdn, visits_class, current_cycle_visits, storage_bytes from sites where id = any(${siteIds}::uuid[]) and ${matching}
      order by ${order} limit ${size} offset ${offset}
    )
    select sites.* from (select id, row_number() over (order by ${order}) as place from keys) keys
    join sites using (id) order by keys.place`.execute(db);
  return { count, rows };
}

function filters({ search, label, state }: SiteQuery): RawBuilder<unknown>[] {
  const found: RawBuilder<unknown>[] = [];
  if (search !== undefined) {
    // Names are kept in lower case.
    const pattern = patternOf(search);
    found.push(sql`(fqdn like ${pattern} or lower(title) like ${pattern})`);
  }
  if (label !== undefined) found.push(sql`labels <> '{}' and labels @> ${[label]}::text[]`);
  if (state !== undefined) found.push(STATES[state]);
  return found;
}

/** How many visits each site had on each of the last days, oldest first, in one look along the index of each. */
export async function visitsByDay(db: Db, siteIds: string[], days: number): Promise<Map<string, number[]>> {
  const { rows } = await sql<{ site_id: string; ago: number; visits: number }>`
    select site_id, ((now() at time zone 'UTC')::date - (hour at time zone 'UTC')::date)::int as ago, least(sum(visits), 2147483647)::int as visits
    from site_usage
    where site_id = any(${siteIds}::uuid[]) and hour >= date_trunc('day', now(), 'UTC') - make_interval(days => ${days - 1})
    group by 1, 2`.execute(db);
  const found = new Map(siteIds.map((id) => [id, new Array<number>(days).fill(0)]));
  for (const { site_id, ago, visits } of rows) {
    const points = found.get(site_id);
    if (points && ago >= 0 && ago < days) points[days - 1 - ago] = visits;
  }
  return found;
}

/** Returns the coming names of those sites whose rename runs, by the id of the site. */
export async function newNames(
  db: Db,
  rows: readonly Pick<SiteRow, 'busy' | 'busy_event_id'>[],
): Promise<Map<string, string>> {
  const eventIds = rows.flatMap(({ busy, busy_event_id }) => (busy === 'updating' ? (busy_event_id ?? []) : []));
  if (eventIds.length === 0) return new Map();
  const { rows: found } = await sql<{ item_id: string; new_fqdn: string }>`
    select item_id, detail->>'new_fqdn' as new_fqdn from events
    where id = any(${eventIds}::uuid[]) and detail ? 'new_fqdn'`.execute(db);
  return new Map(found.map(({ item_id, new_fqdn }) => [item_id, new_fqdn]));
}
