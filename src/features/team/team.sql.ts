import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import { type Listing, listNewest, type Paging, patternOf } from '#core/pages.ts';
import type { PlanName } from '#features/plan/plan.ts';
import type { Team, TeamChange } from './team.schema.ts';

/** A team as it is stored; what the contract adds is computed from it. */
export type TeamRow = Omit<
  Team,
  | 'user'
  | 'role'
  | 'is_limited'
  | 'plan_type'
  | 'should_allow_storefront_payment'
  | 'visits_usage_percentage'
  | 'storage_usage_percentage'
>;

const TEAM_COLUMNS = sql`id, name, user_id, tenant_id, timezone, plan_type_name, is_default, is_active, is_expired, additional_sites,
  metrics_org_id, analytics_team_id, sub_id, interval, currency, cancel_at, cancel_at_period_end, trial_ends_on, cycle_start, cycle_end,
  current_cycle_visits, current_cycle_bandwidth, storage_usage, storage_is_used_up, update_policy, update_plugins, created_at`;

export async function insertTeam(
  db: Db,
  team: { user_id: string; name: string; tenant_id: string; is_default: boolean; plan_type_name: PlanName },
): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into teams (user_id, name, tenant_id, is_default, plan_type_name, granted_plan, cycle_start, cycle_end)
    values (${team.user_id}, ${team.name}, ${team.tenant_id}, ${team.is_default}, ${team.plan_type_name}, ${team.plan_type_name === 'free' ? null : team.plan_type_name}, now(), now() + interval '1 month')
    returning id`.execute(db);
  return (rows[0] as { id: string }).id;
}

export async function findTeam(db: Db, id: string): Promise<TeamRow | undefined> {
  return (await sql<TeamRow>`select ${TEAM_COLUMNS} from teams where id = ${id}`.execute(db)).rows[0];
}

/** Returns the team that registering created for this person, if they still own it. */
export async function findDefaultTeamId(db: Db, userId: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from teams where user_id = ${userId} and is_default and deleted_at is null`.execute(db);
  return rows[0]?.id;
}

/** The team, kept from changing until the transaction ends: whoever counts what it has holds this. */
export async function lockTeam(db: Db, id: string): Promise<TeamRow | undefined> {
  const { rows } = await sql<TeamRow>`select ${TEAM_COLUMNS} from teams where id = ${id} for no key update`.execute(db);
  return rows[0];
}

/** The teams of an owner, kept from changing, in the order in which everybody locks them. */
export async function lockOwnedTeams(db: Db, userId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from teams where user_id = ${userId} and deleted_at is null order by id for no key update`.execute(db);
  return rows.map(({ id }) => id);
}

export async function findTeams(db: Db, ids: string[]): Promise<TeamRow[]> {
  return (await sql<TeamRow>`select ${TEAM_COLUMNS} from teams where id = any(${ids}::uuid[])`.execute(db)).rows;
}

/** Never below nothing, whatever was measured when. */
export async function addStorage(db: Db, id: string, bytes: number): Promise<void> {
  await sql`update teams set storage_usage = greatest(0, storage_usage + ${bytes}) where id = ${id}`.execute(db);
}

export async function listTeams(db: Db, ids: string[], paging: Paging): Promise<Listing<TeamRow>> {
  return listNewest<TeamRow>(
    db,
    { table: 'teams', where: sql`id = any(${ids}::uuid[])`, columns: TEAM_COLUMNS },
    paging,
  );
}

/** Every team, those of a person, or those with the text in what they are called; an index on parts of names serves it. */
export async function listAllTeams(
  db: Db,
  { search, user_id }: { search?: string; user_id?: string },
  paging: Paging,
): Promise<Listing<TeamRow>> {
  const parts = [sql`deleted_at is null`];
  if (search !== undefined) parts.push(sql`lower(name || ' ' || tenant_id) like ${patternOf(search)}`);
  if (user_id !== undefined) parts.push(sql`id in (select team_id from team_members where user_id = ${user_id})`);
  const where = sql.join(parts, sql` and `);
  return listNewest<TeamRow>(db, { table: 'teams', where, columns: TEAM_COLUMNS }, paging);
}

export interface PlanRevenue {
  plan: PlanName;
  teams: number;
  /** What they pay in a month, a twelfth of what they pay in a year. */
  month_cents: number;
}

/** What teams with a subscription pay, by plan; whoever tries it out or has not paid for two weeks pays nothing. */
export async function revenueByPlan(db: Db): Promise<PlanRevenue[]> {
  const { rows } = await sql<PlanRevenue>`
    select plan_type_name as plan, count(*)::int as teams,
      coalesce(sum(price_cents / case when interval = 'year' then 12.0 else 1 end), 0)::float8 as month_cents
    from teams where deleted_at is null and sub_id is not null and not is_expired and (trial_ends_on is null or trial_ends_on <= now())
    group by plan_type_name`.execute(db);
  return rows;
}

export async function countTeams(
  db: Db,
): Promise<{ teams: number; suspended: number; unpaid: number; ending: number }> {
  const { rows } = await sql<{ teams: number; suspended: number; unpaid: number; ending: number }>`
    select count(*)::int as teams, count(*) filter (where not is_active)::int as suspended,
      count(*) filter (where unpaid_since is not null)::int as unpaid, count(*) filter (where cancel_at_period_end)::int as ending
    from teams where deleted_at is null`.execute(db);
  return rows[0] as { teams: number; suspended: number; unpaid: number; ending: number };
}

export async function updateTeam(db: Db, id: string, change: TeamChange): Promise<void> {
  const { name, timezone, update_policy, update_plugins } = change;
  await sql`update teams set name = coalesce(${name ?? null}, name), timezone = coalesce(${timezone ?? null}, timezone),
      update_policy = coalesce(${update_policy ?? null}, update_policy), update_plugins = coalesce(${update_plugins ?? null}::text[], update_plugins)
    where id = ${id}`.execute(db);
}

export async function setOwner(db: Db, id: string, userId: string): Promise<void> {
  await sql`update teams set user_id = ${userId}, is_default = false where id = ${id}`.execute(db);
}

export async function markDeleted(db: Db, id: string): Promise<void> {
  await sql`update teams set deleted_at = now() where id = ${id}`.execute(db);
}

/** False when it was so already. */
export async function setActive(db: Db, id: string, isActive: boolean): Promise<boolean> {
  const { rows } = await sql`update teams set is_active = ${isActive} where id = ${id} and is_active <> ${isActive}
    returning id`.execute(db);
  return rows.length > 0;
}
