import type { Db } from '#core/db/database.ts';
import { teamNotFound } from '#core/policy.ts';
import type { Services } from '#core/services.ts';
import { PLANS, priceOf } from '#features/plan/plan.ts';
import { countSites } from '#features/site/site.ts';
import { countSlots, forecastOf, stateOf } from './billing.rules.ts';
import type { TeamBilling } from './billing.schema.ts';
import { findBilledTeam } from './billing.sql.ts';
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
      sites: countSlots(plan, { sites, free_sites, additional }),
      storage_bytes: { used: team.storage_usage, allowed: plan.storage_bytes },
      visits: { used: team.current_cycle_visits, allowed: plan.visits },
      bandwidth_bytes: { used: team.current_cycle_bandwidth, allowed: plan.bandwidth_bytes },
    },
  };
}
