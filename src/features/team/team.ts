import { randomBytes } from 'node:crypto';
import type { Caller } from '#core/auth/caller.ts';
import type { Db } from '#core/db/database.ts';
import { recordEvent } from '#core/events/events.ts';
import { teamNotFound } from '#core/policy.ts';
import { PLANS, type Plan, type PlanName } from '#features/plan/plan.ts';
import { type User, usersById } from '#features/user/user.ts';
import { insertMember } from './member.sql.ts';
import { type Team, type TeamChange, teamExpired, teamSuspended } from './team.schema.ts';
import {
  findTeam,
  findTeams,
  insertTeam,
  lockTeam,
  setActive,
  type TeamRow,
  updateTeam as writeTeam,
} from './team.sql.ts';

export { insertMember, isMemberByEmail, teamIdsOf } from './member.sql.ts';
export { changeOwner, closeTeam, joinSites, leaveTeams, removeOtherMembers } from './member.ts';
export {
  addStorage,
  countTeams,
  findDefaultTeamId,
  findTeam,
  lockOwnedTeams,
  lockTeam,
  revenueByPlan,
  type TeamRow,
} from './team.sql.ts';

export async function createTeam(
  db: Db,
  { owner, name, isDefault, plan = 'free' }: { owner: User; name: string; isDefault: boolean; plan?: PlanName },
): Promise<string> {
  // Ten letters and digits: short enough for a database or user name in every runtime, and never the same twice.
  const tenantId = `t${BigInt(`0x${randomBytes(6).toString('hex')}`)
    .toString(36)
    .padStart(10, '0')}`;
  const id = await insertTeam(db, {
    user_id: owner.id,
    name,
    tenant_id: tenantId,
    is_default: isDefault,
    plan_type_name: plan,
  });
  await insertMember(db, id, owner.id, 'owner');
  return id;
}

/** Locks the team that is about to get a site; two who want the last slot come one after the other. */
export async function lockWorkingTeam(db: Db, teamId: string): Promise<TeamRow> {
  return requireWorking(await lockTeam(db, teamId));
}

export async function findWorkingTeam(db: Db, teamId: string): Promise<TeamRow> {
  return requireWorking(await findTeam(db, teamId));
}

function requireWorking(team: TeamRow | undefined): TeamRow {
  if (!team) throw teamNotFound();
  if (!team.is_active) throw teamSuspended();
  if (team.is_expired) throw teamExpired();
  return team;
}

export async function getTeam(db: Db, caller: Caller, id: string): Promise<Team> {
  const row = await findTeam(db, id);
  if (!row) throw teamNotFound();
  return (await completeTeams(db, caller, [row]))[0] as Team;
}

/** The teams behind a page of rows, in two queries. */
export async function teamsById(db: Db, caller: Caller, ids: Iterable<string>): Promise<Map<string, Team>> {
  const unique = [...new Set(ids)];
  if (unique.length === 0) return new Map();
  const teams = await completeTeams(db, caller, await findTeams(db, unique));
  return new Map(teams.map((team) => [team.id, team]));
}

/** Adds to stored teams what is computed: the owner, the caller's role, the plan's figures, how much of them is used. */
export async function completeTeams(db: Db, caller: Caller, rows: TeamRow[]): Promise<Team[]> {
  const owners = await usersById(
    db,
    rows.map((row) => row.user_id),
  );
  return rows.map((row) => {
    const plan = PLANS[row.plan_type_name];
    const seen = caller.limitedTo.has(row.id) ? { ...row, ...UNSEEN } : row;
    return {
      ...seen,
      user: owners.get(row.user_id) as User,
      role: caller.roles.get(row.id) ?? null,
      is_limited: caller.limitedTo.has(row.id),
      plan_type: plan,
      should_allow_storefront_payment: row.plan_type_name !== 'free',
      visits_usage_percentage: percentage(seen.current_cycle_visits, plan.visits),
      storage_usage_percentage: percentage(seen.storage_usage, plan.storage_bytes),
    };
  });
}

/** What all sites of a team use and who pays how is not for whoever is limited to some. */
const UNSEEN = { current_cycle_visits: 0, current_cycle_bandwidth: 0, storage_usage: 0, sub_id: null };

const percentage = (used: number, available: number): number => Math.round((100 * used) / available);

export async function planOf(db: Db, teamId: string): Promise<Plan> {
  const row = await findTeam(db, teamId);
  if (!row) throw teamNotFound();
  return PLANS[row.plan_type_name];
}

const FIELDS = {
  name: 'name',
  timezone: 'timezone',
  update_policy: 'policy for updates',
  update_plugins: 'plugins that update by themselves',
} as const;

export async function updateTeam(db: Db, caller: Caller, teamId: string, change: TeamChange): Promise<Team> {
  const name = change.name?.trim();
  await writeTeam(db, teamId, { ...change, ...(name !== undefined && { name }) });
  const changed = Object.keys(change).filter((key) => key in FIELDS) as (keyof typeof FIELDS)[];
  if (changed.length > 0) {
    const activity = `${caller.fullName} changed the team's ${changed.map((key) => FIELDS[key]).join(' and ')}`;
    const detail = { changed: Object.fromEntries(changed.map((key) => [key, change[key]])) };
    await recordUpdate(db, caller, teamId, activity, detail);
  }
  return getTeam(db, caller, teamId);
}

/** A suspended team keeps everything; its sites show a page that says so. */
export async function suspendTeam(db: Db, caller: Caller, teamId: string, isActive: boolean): Promise<Team> {
  if (await setActive(db, teamId, isActive)) {
    const activity = isActive ? 'The platform lifted the suspension of the team' : 'The platform suspended the team';
    await recordUpdate(db, caller, teamId, activity, { is_active: isActive });
  }
  return getTeam(db, caller, teamId);
}

async function recordUpdate(db: Db, caller: Caller, teamId: string, activity: string, detail: object): Promise<void> {
  const event = {
    scope: 'team',
    event_type: 'team.updated',
    activity,
    by: caller,
    team_id: teamId,
    item_id: teamId,
  } as const;
  await recordEvent(db, { ...event, detail: { ...detail } });
}
