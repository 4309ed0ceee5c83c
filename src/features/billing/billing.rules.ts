import type { Plan } from '#features/plan/plan.ts';
import type { TeamBilling } from './billing.schema.ts';
import type { BilledTeam, UsedInCycle } from './billing.sql.ts';
import type { CheckoutRow, NewCheckoutRow } from './checkout.sql.ts';

/** What follows from the record of a team or of its checkouts alone. */
const DAY_MS = 86_400_000;
/** A session can be paid for a day; one that is offered again has to live for a while yet. */
const OFFERED_AGAIN_MS = 20 * 3_600_000;

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

export function stateOf(
  team: Pick<BilledTeam, 'is_expired' | 'unpaid_since' | 'sub_id' | 'cancel_at' | 'trial_ends_on'>,
  now = Date.now(),
): TeamBilling['state'] {
  if (team.is_expired) return 'expired';
  if (team.unpaid_since !== null) return team.sub_id === null ? 'grace' : 'past_due';
  if (team.cancel_at !== null) return 'canceled';
  return team.trial_ends_on !== null && team.trial_ends_on.getTime() > now ? 'trialing' : 'active';
}

/** The one free site of a paid team takes none of the slots that it pays for. */
export function countSlots(
  plan: Pick<Plan, 'name' | 'sites'>,
  { sites, free_sites, additional }: { sites: number; free_sites: number; additional: number },
): TeamBilling['limits']['sites'] {
  return { used: plan.name === 'free' ? sites : sites - free_sites, allowed: plan.sites + additional };
}

/** The one open checkout that can be offered again, because it says the same and can be paid for a while yet. */
export function findOfferedAgain(
  open: readonly CheckoutRow[],
  wanted: Pick<NewCheckoutRow, 'plan_type_name' | 'interval'>,
  now = Date.now(),
): CheckoutRow | undefined {
  const [only, ...others] = open;
  if (!only || others.length > 0) return undefined;
  const isSame = only.plan_type_name === wanted.plan_type_name && only.interval === wanted.interval;
  return isSame && now - only.created_at.getTime() < OFFERED_AGAIN_MS ? only : undefined;
}
