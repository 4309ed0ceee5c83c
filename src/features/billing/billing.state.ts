import type { Subscription } from '#core/payments.ts';
import { isPlanName } from '#features/plan/plan.ts';
import type { BilledTeam, TeamChange } from './billing.sql.ts';

/** How long sites stay online although nothing is paid. */
export const GRACE_MS = 14 * 86_400_000;

/** Nothing was ever paid for these, so they change nothing. */
const NEVER_PAID = ['incomplete', 'incomplete_expired'];
const OWING = ['past_due', 'unpaid', 'paused'];

export const isBought = ({ status, plan }: Subscription) => !NEVER_PAID.includes(status) && isPlanName(plan);
const isLive = ({ status }: Subscription) => status !== 'canceled';

/** The one that counts of all that were ever bought for a team: the newest that has not ended, and no other. */
export function currentOf(subscriptions: readonly Subscription[]): Subscription | undefined {
  const live = subscriptions.filter((each) => isBought(each) && isLive(each));
  const paid = live.filter(({ status }) => !OWING.includes(status));
  const candidates = paid.length > 0 ? paid : live;
  return candidates.toSorted((a, b) => Number(b.createdAt) - Number(a.createdAt) || b.id.localeCompare(a.id))[0];
}

/**
 * From what the provider says now to what the team becomes; the past of the team counts only for how long it has been
 * owing. `exceedsFree`: the team uses more than the plan free has.
 */
export function nextState(
  team: Pick<BilledTeam, 'plan_type_name' | 'granted_plan' | 'unpaid_since'>,
  current: Subscription | undefined,
  { exceedsFree, now }: { exceedsFree: boolean; now: Date },
): TeamChange {
  const wasPaid = team.plan_type_name !== 'free';
  const owes = current
    ? OWING.includes(current.status)
    : // Whoever never had a paid plan is only kept from adding more.
      team.granted_plan === null && exceedsFree && (wasPaid || team.unpaid_since !== null);
  const unpaid_since = owes ? (team.unpaid_since ?? now) : null;
  const is_expired = unpaid_since !== null && now.getTime() - unpaid_since.getTime() >= GRACE_MS;
  const unpaidFor = { ...FREE, plan_type_name: team.granted_plan ?? FREE.plan_type_name };
  return { ...(current ? boughtState(current) : unpaidFor), unpaid_since, is_expired };
}

type Bought = Omit<TeamChange, 'unpaid_since' | 'is_expired'>;

const FREE: Bought = {
  plan_type_name: 'free',
  interval: null,
  currency: null,
  price_cents: null,
  sub_id: null,
  additional_sites: null,
  additional_site_cents: null,
  cancel_at: null,
  cancel_at_period_end: false,
  trial_ends_on: null,
  period_start: null,
  period_end: null,
};

function boughtState(current: Subscription): Bought {
  return {
    plan_type_name: isPlanName(current.plan) ? current.plan : 'free',
    interval: current.interval,
    currency: current.currency,
    price_cents: current.priceCents,
    sub_id: current.id,
    additional_sites: current.additionalSites === 0 ? null : current.additionalSites,
    additional_site_cents: current.additionalSiteCents,
    cancel_at: current.cancelAt ?? (current.cancelAtPeriodEnd ? current.periodEnd : null),
    // The provider may say it by the date alone.
    cancel_at_period_end: current.cancelAtPeriodEnd || Number(current.cancelAt) === Number(current.periodEnd),
    trial_ends_on: current.trialEnd,
    period_start: current.periodStart,
    period_end: current.periodEnd,
  };
}
