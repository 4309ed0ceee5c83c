import type { Db } from '#core/db/database.ts';
import { teamNotFound } from '#core/policy.ts';
import type { Services } from '#core/services.ts';
import { PLANS, priceOf } from '#features/plan/plans.ts';
import { countSites } from '#features/site/site.ts';
import { findTeam } from '#features/team/team.ts';
import type { TeamBilling } from './billing.schema.ts';
import { type BilledTeam, findBilledTeam } from './billing.sql.ts';
import { GRACE_MS } from './billing.state.ts';

export async function getTeamBilling(db: Db, { payments }: Services, teamId: string): Promise<TeamBilling> {
  const [billed, team] = [await findBilledTeam(db, teamId), await findTeam(db, teamId)];
  if (!billed || !team) throw teamNotFound();
  const plan = PLANS[billed.plan_type_name];
  const additional = billed.additional_sites ?? 0;
  const { sites, free_sites } = await countSites(db, teamId);
  const endsAt = billed.cancel_at;
  return {
    plan_name: plan.name,
    interval: billed.interval,
    price_cents: billed.interval ? priceOf(plan.name, billed.interval, additional) : 0,
    currency: billed.currency ?? plan.currency,
    additional_sites: additional,
    additional_site_cents: priceOf('free', billed.interval ?? 'month', 1),
    state: stateOf(billed),
    renews_at: endsAt === null ? billed.period_end : null,
    ends_at: endsAt,
    trial_ends_on: billed.trial_ends_on,
    unpaid_since: billed.unpaid_since,
    expires_at: billed.unpaid_since && new Date(billed.unpaid_since.getTime() + GRACE_MS),
    cycle_start: team.cycle_start as Date,
    cycle_end: team.cycle_end as Date,
    provider: payments ? (payments.account === 'test' ? 'test' : 'stripe') : null,
    limits: {
      // The one free site of a paid team takes none of the slots that it pays for.
      sites: { used: plan.name === 'free' ? sites : sites - free_sites, allowed: plan.sites + additional },
      storage_bytes: { used: team.storage_usage, allowed: plan.storage_bytes },
      visits: { used: team.current_cycle_visits, allowed: plan.visits },
      bandwidth_bytes: { used: team.current_cycle_bandwidth, allowed: plan.bandwidth_bytes },
    },
  };
}

function stateOf(team: BilledTeam): TeamBilling['state'] {
  if (team.is_expired) return 'expired';
  if (team.unpaid_since !== null) return team.sub_id === null ? 'grace' : 'past_due';
  if (team.cancel_at !== null) return 'canceled';
  return team.trial_ends_on !== null && team.trial_ends_on.getTime() > Date.now() ? 'trialing' : 'active';
}
