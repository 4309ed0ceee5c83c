import type { Db } from '#core/db/database.ts';
import { teamNotFound } from '#core/policy.ts';
import type { Services } from '#core/services.ts';
import { PLANS, priceOf } from '#features/plan/plan.ts';
import { countSites } from '#features/site/site.ts';
import type { TeamBilling } from './billing.schema.ts';
import { type BilledTeam, findBilledTeam, type UsedInCycle } from './billing.sql.ts';
import { GRACE_MS } from './billing.state.ts';

export async function getTeamBilling(db: Db, { payments }: Services, teamId: string): Promise<TeamBilling> {
  const team = await findBilledTeam(db, teamId);
  if (!team) throw teamNotFound();
  const plan = PLANS[team.plan_type_name];
  const additional = team.additional_sites ?? 0;
  const { sites, free_sites } = await countSites(db, teamId);
  const endsAt = team.cancel_at;
  return {
    plan_name: plan.name,
    interval: team.interval,
    price_cents: team.price_cents ?? 0,
    currency: team.currency ?? plan.currency,
    additional_sites: additional,
    additional_site_cents: team.additional_site_cents ?? priceOf('free', team.interval ?? 'month', 1),
    state: stateOf(team),
    renews_at: endsAt === null ? team.period_end : null,
    ends_at: endsAt,
    trial_ends_on: team.trial_ends_on,
    unpaid_since: team.unpaid_since,
    expires_at: team.unpaid_since && new Date(team.unpaid_since.getTime() + GRACE_MS),
    cycle_start: team.cycle_start,
    cycle_end: team.cycle_end,
    provider: payments ? (payments.account === 'test' ? 'test' : 'stripe') : null,
    forecast: forecastOf(team),
    limits: {
      // The one free site of a paid team takes none of the slots that it pays for.
      sites: { used: plan.name === 'free' ? sites : sites - free_sites, allowed: plan.sites + additional },
      storage_bytes: { used: team.storage_usage, allowed: plan.storage_bytes },
      visits: { used: team.current_cycle_visits, allowed: plan.visits },
      bandwidth_bytes: { used: team.current_cycle_bandwidth, allowed: plan.bandwidth_bytes },
    },
  };
}

const DAY_MS = 86_400_000;

/** A straight line from the beginning of the cycle through now. One day is too little to draw it from. */
export function forecastOf(
  team: Pick<UsedInCycle, 'cycle_start' | 'cycle_end' | 'current_cycle_visits' | 'current_cycle_bandwidth'>,
  now = Date.now(),
): TeamBilling['forecast'] {
  const [start, end] = [team.cycle_start.getTime(), team.cycle_end.getTime()];
  if (now - start < DAY_MS || end <= start) return null;
  const share = Math.min(1, (now - start) / (end - start));
  const whole = (used: number) => Math.round(used / share);
  return { visits: whole(team.current_cycle_visits), bandwidth_bytes: whole(team.current_cycle_bandwidth) };
}

function stateOf(team: BilledTeam): TeamBilling['state'] {
  if (team.is_expired) return 'expired';
  if (team.unpaid_since !== null) return team.sub_id === null ? 'grace' : 'past_due';
  if (team.cancel_at !== null) return 'canceled';
  return team.trial_ends_on !== null && team.trial_ends_on.getTime() > Date.now() ? 'trialing' : 'active';
}
