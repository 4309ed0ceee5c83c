import type { Caller } from '#core/auth/caller.ts';
import { rightsChanged } from '#core/auth/revocation.ts';
import { type Db, inTransaction, type Tx } from '#core/db/database.ts';
import { recordEvent } from '#core/events/events.ts';
import type { Payments, Subscription } from '#core/payments.ts';
import type { Services } from '#core/services.ts';
import { PLANS } from '#features/plan/plan.ts';
import { countSites } from '#features/site/site.ts';
import { createTeam } from '#features/team/team.ts';
import { followStorage, moveCycle } from '#features/usage/usage.ts';
import { findUser } from '#features/user/user.ts';
import { mailOwner } from './billing.mail.ts';
import { requirePayments } from './billing.provider.ts';
import {
  type BilledTeam,
  beginReading,
  claimReading,
  findPaidTeams,
  listTeamsPaidThrough,
  listUnpaidTeams,
  lockBilledTeams,
  markPaymentVerified,
  type TeamChange,
  writeSubscription,
  writeTeam,
} from './billing.sql.ts';
import { currentOf, isBought, nextState } from './billing.state.ts';
import { type CheckoutRow, closeCheckout, findCheckoutsOf, markCheckoutPaid } from './checkout.sql.ts';

type Commit = (effect: (tx: Tx) => Promise<void>) => Promise<void>;

interface Customer {
  account: string;
  customerId: string;
  userId: string;
}

/**
 * Reads what the provider has of a customer, all of it, and makes the customer's teams follow. Any number of these may run
 * at once and in any order: a reading gets its number before it asks, and one that began earlier than the last that was
 * applied is dropped. Whatever changed after that one asked is announced once more, or found by the clock.
 */
export async function syncCustomer(services: Services, customerId: string, commit?: Commit): Promise<void> {
  const payments = requirePayments(services);
  const { account } = payments;
  const { db } = services;
  const reading = await beginReading(db);
  const subscriptions = await payments.listSubscriptions(customerId);
  const apply = async (tx: Tx) => {
    const claimed = await claimReading(tx, account, customerId, reading);
    if (claimed) await applyAll(tx, services, { account, customerId, userId: claimed.user_id }, subscriptions);
  };
  await (commit ? commit(apply) : inTransaction(db, apply));
}

/** Whose money is worth less than this one's. */
const LESSER: Record<Payments['account'], Payments['account'][]> = {
  test: [],
  'stripe:test': ['test'],
  'stripe:live': ['test', 'stripe:test'],
};

/** Lets the grace of plans that an operator has taken away end, since no payment provider ever reports on these teams. */
export async function followEndedGrants(services: Services): Promise<void> {
  await inTransaction(services.db, async (tx) => {
    const teams = await lockBilledTeams(tx, await listUnpaidTeams(tx));
    for (const team of teams) await followPayments(tx, services, team, []);
  });
}

/** Where real money is taken, what was bought with test money is over, as if it had been canceled. */
export async function endTestPlans(services: Services): Promise<void> {
  const lesser = LESSER[requirePayments(services).account];
  await inTransaction(services.db, async (tx) => {
    const teams = await lockBilledTeams(tx, await listTeamsPaidThrough(tx, lesser));
    for (const team of teams) await followPayments(tx, services, team, []);
  });
}

async function applyAll(tx: Tx, services: Services, customer: Customer, found: readonly Subscription[]): Promise<void> {
  const bought = found.filter(isBought);
  const paidTeams = await findPaidTeams(tx, customer.account, customer.customerId);
  const checkouts = await checkoutsOf(tx, customer, bought);
  const upgraded = checkouts.flatMap(({ team_id }) => (team_id === null ? [] : [team_id]));
  // Teams before checkouts: whoever begins a checkout holds the team as well.
  const known = await lockBilledTeams(tx, [...new Set([...paidTeams.values(), ...upgraded])]);
  const byTeam = new Map<string, Subscription[]>(known.map(({ id }) => [id, []]));
  for (const subscription of bought) {
    const teamId = paidTeams.get(subscription.id) ?? (await teamFor(tx, services, customer, subscription, checkouts));
    if (teamId === undefined) {
      services.log.warn({ subscription: subscription.id }, 'a subscription belongs to no checkout of ours');
      continue;
    }
    const { account, customerId: customer_id } = customer;
    const { id, status } = subscription;
    await writeSubscription(tx, { account, id, customer_id, team_id: teamId, status });
    byTeam.set(teamId, [...(byTeam.get(teamId) ?? []), subscription]);
  }
  const own = new Set([...paidTeams.keys(), ...bought.map(({ id }) => id)]);
  for (const team of await lockBilledTeams(tx, [...byTeam.keys()])) {
    // What another customer or another provider is paid for a team is not this one's to replace or to end.
    if (team.sub_id === null || own.has(team.sub_id))
      await followPayments(tx, services, team, byTeam.get(team.id) ?? []);
  }
  if (bought.some(({ status }) => status === 'active')) await markPaymentVerified(tx, customer.userId);
  // A first payment that was on its way for days and did not come: whoever wants to may begin anew.
  const failed = found.filter(({ status }) => status === 'incomplete_expired');
  for (const { id } of await checkoutsOf(tx, customer, failed)) await closeCheckout(tx, id);
}

async function checkoutsOf(tx: Db, customer: Customer, found: readonly Subscription[]): Promise<CheckoutRow[]> {
  const ids = found.flatMap(({ checkoutId }) => checkoutId ?? []);
  return findCheckoutsOf(tx, customer.account, customer.userId, ids);
}

/** The team that a subscription was bought for. A new one is made here, in the same transaction that remembers it. */
async function teamFor(
  tx: Tx,
  services: Services,
  customer: Customer,
  { checkoutId }: Subscription,
  checkouts: readonly CheckoutRow[],
): Promise<string | undefined> {
  const checkout = checkouts.find(({ id }) => id === checkoutId);
  if (!checkout) return undefined;
  const teamId = checkout.team_id ?? (await makeTeam(tx, services, customer.userId, checkout.team_name));
  await markCheckoutPaid(tx, checkout.id, teamId);
  return teamId;
}

async function makeTeam(tx: Tx, services: Services, userId: string, name: string): Promise<string> {
  const teamId = await createTeam(tx, { owner: await findUser(tx, userId), name, isDefault: false });
  rightsChanged(tx, services, userId);
  return teamId;
}

/** Applies the subscribed plan to a locked team, or else the plan that an operator granted. `by`: that operator. */
export async function followPayments(
  tx: Db,
  services: Services,
  team: BilledTeam,
  bought: readonly Subscription[],
  by: Caller | null = null,
): Promise<void> {
  const { sites } = await countSites(tx, team.id);
  const exceedsFree = sites > PLANS.free.sites || team.storage_usage > PLANS.free.storage_bytes;
  const next = nextState(team, currentOf(bought), { exceedsFree, now: new Date() });
  if (isSame(team, next)) return;
  await writeTeam(tx, team.id, next);
  const periodMoved =
    Number(team.period_start) !== Number(next.period_start) || Number(team.period_end) !== Number(next.period_end);
  if (periodMoved || team.interval !== next.interval || team.sub_id !== next.sub_id) await moveCycle(tx, team.id);
  if (team.plan_type_name !== next.plan_type_name) await followStorage(tx, team.id);
  await notifyPlanChange(tx, services, { before: team, after: next, by });
}

const isSame = (team: BilledTeam, next: TeamChange) =>
  Object.entries(next).every(([name, value]) => {
    const before = team[name as keyof TeamChange];
    return value instanceof Date && before instanceof Date ? Number(value) === Number(before) : value === before;
  });

async function notifyPlanChange(
  tx: Db,
  services: Services,
  { before, after, by }: { before: BilledTeam; after: TeamChange; by: Caller | null },
): Promise<void> {
  const [from, to] = [before.plan_type_name, after.plan_type_name];
  if (from !== to)
    await recordEvent(tx, {
      scope: 'team',
      event_type: 'billing.plan_changed',
      activity: `The plan of the team changed from ${from} to ${to}`,
      by,
      team_id: before.id,
      item_id: before.id,
      detail: { from, to, interval: after.interval },
    });
  if (from !== 'free' && to === 'free') await mailOwner(tx, services, before, 'ended', after.unpaid_since);
  else if (before.unpaid_since === null && after.unpaid_since !== null)
    await mailOwner(tx, services, before, 'payment_failed', after.unpaid_since);
  if (!before.is_expired && after.is_expired) await mailOwner(tx, services, before, 'expired', after.unpaid_since);
}
