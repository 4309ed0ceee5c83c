import type { Call } from '#core/http/operation.ts';
import { teamNotFound } from '#core/policy.ts';
import type { PlanName } from '#features/plan/plan.ts';
import type { Team } from '#features/team/team.schema.ts';
import { getTeam } from '#features/team/team.ts';
import { planIsPaid } from './billing.schema.ts';
import { lockBilledTeams, writeGrantedPlan } from './billing.sql.ts';
import { followPayments } from './billing.sync.ts';

/** Grants a team a plan without payment. `free` revokes it, with the grace period of an expired plan. */
export async function setTeamPlan(
  { db, services, caller }: Pick<Call, 'db' | 'services' | 'caller'>,
  teamId: string,
  plan: PlanName,
): Promise<Team> {
  const [team] = await lockBilledTeams(db, [teamId]);
  if (!team) throw teamNotFound();
  if (team.sub_id !== null) throw planIsPaid();
  const granted_plan = plan === 'free' ? null : plan;
  await writeGrantedPlan(db, teamId, granted_plan);
  await followPayments(db, services, { ...team, granted_plan }, [], caller);
  return getTeam(db, caller, teamId);
}
