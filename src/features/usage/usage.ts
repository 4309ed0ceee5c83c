import { type Db, inTransaction } from '#core/db/database.ts';
import { recordEvent } from '#core/events/events.ts';
import type { Services } from '#core/services.ts';
import { PLANS } from '#features/plan/plan.ts';
import { lockCycle, type TeamCycle, takeDueCycles, writeCycle } from './usage.cycle.sql.ts';
import { cycleAt } from './usage.cycle.ts';
import { mailLimitReached } from './usage.jobs.ts';
import { readUsageRange } from './usage.range.ts';
import type { TeamUsage, UsageQuery } from './usage.schema.ts';
import { markUsedUpStorage, type ReachedLimit, readTeamUsage, takeReachedLimits } from './usage.sql.ts';

export { readUsageRange, type UsageRange } from './usage.range.ts';

/** What teams use within a cycle: when a cycle begins, what was counted in it, and who is told of a limit. */
const AT_ONCE = 200;
const TOLD_AT_PERCENT = [80, 100];

export async function getTeamUsage(db: Db, teamId: string, query: UsageQuery): Promise<TeamUsage> {
  const range = readUsageRange(query);
  return { ...range, points: await readTeamUsage(db, teamId, range) };
}

/** To be called when what a team's cycle is counted from has changed. */
export async function moveCycle(db: Db, teamId: string): Promise<void> {
  await moveTo(db, await lockCycle(db, teamId));
}

/** Begins the next cycle of the teams whose last one is over. Running it again changes nothing. */
export async function startDueCycles({ db }: Pick<Services, 'db'>): Promise<void> {
  for (let taken = AT_ONCE; taken === AT_ONCE; ) {
    taken = await inTransaction(db, async (tx) => {
      const due = await takeDueCycles(tx, AT_ONCE);
      for (const team of due) await moveTo(tx, team);
      return due.length;
    });
  }
}

async function moveTo(db: Db, team: TeamCycle): Promise<void> {
  await writeCycle(db, team.id, cycleAt(new Date(), team));
}

/** While a team's storage is used up its sites take no uploads. To be called when its plan has changed, too. */
export function followStorage(db: Db, teamId?: string): Promise<void> {
  return markUsedUpStorage(db, Object.values(PLANS), teamId);
}

/** A notice and a mail; never an outage. */
export async function tellReachedLimits(services: Services): Promise<void> {
  await inTransaction(services.db, async (tx) => {
    for (const limit of await takeReachedLimits(tx, Object.values(PLANS), TOLD_AT_PERCENT))
      await tell(tx, services, limit);
  });
}

async function tell(tx: Db, { jobs }: Services, limit: ReachedLimit): Promise<void> {
  const { team_id, user_id, resource, percent, used, allowed, plan_type_name, team_name } = limit;
  await recordEvent(tx, {
    scope: 'team',
    event_type: 'billing.limit_reached',
    activity: `The team has used ${percent} % of the ${resource} of the plan ${plan_type_name}`,
    by: null,
    team_id,
    item_id: team_id,
    detail: { resource, percent, used, allowed },
  });
  const told = { userId: user_id, teamId: team_id, teamName: team_name, resource, percent, plan: plan_type_name };
  await jobs.enqueue(tx, mailLimitReached, { ...told, cycleEnd: limit.cycle_end.toISOString() });
}
