import type { Db } from '#core/db/database.ts';
import { bodyFault, invalid } from '#core/errors.ts';
import type {
  TestCheckout as ProvidersCheckout,
  TestPortal as ProvidersPortal,
  TestAction,
  TestPages,
} from '#core/payments.ts';
import { type PlanName, PRICES } from '#features/plan/plan.ts';
import { notPossible, type PortalAction, type TestCheckout, type TestPortal } from './test-payment.schema.ts';

/** What the dashboard's pages of the built-in provider show and do. They say plainly that no money is taken. */
export function showCheckout(session: ProvidersCheckout): TestCheckout {
  const price = PRICES.find(({ lookupKey }) => lookupKey === session.description);
  return {
    id: session.id,
    status: session.status,
    plan_name: (price?.plan ?? 'free') as PlanName,
    interval: session.interval,
    amount_cents: session.amountCents,
    currency: session.currency,
    team_name: session.teamName,
    success_url: session.successUrl,
    cancel_url: session.cancelUrl,
  };
}

export function showPortal(portal: ProvidersPortal): TestPortal {
  const subscriptions = portal.subscriptions.map((each) => ({
    id: each.id,
    team_name: each.teamName,
    status: each.status,
    plan_name: each.plan as PlanName,
    interval: each.interval,
    amount_cents: each.priceCents,
    currency: each.currency,
    current_period_end: each.periodEnd,
    cancel_at_period_end: each.cancelAtPeriodEnd,
  }));
  return { id: portal.id, return_url: portal.returnUrl, subscriptions };
}

export async function actInPortal(
  db: Db,
  pages: TestPages,
  portal: ProvidersPortal,
  input: PortalAction,
): Promise<TestPortal> {
  const subscription = portal.subscriptions.find(({ id }) => id === input.subscription);
  const action = readAction(input, subscription?.interval ?? 'month');
  if (!(await pages.act(db, portal, input.subscription, action))) throw notPossible();
  return showPortal((await pages.readPortal(db, portal.id)) as ProvidersPortal);
}

function readAction(input: PortalAction, interval: 'month' | 'year'): TestAction {
  const { action, plan_name } = input;
  if (action !== 'change_plan') return { action };
  if (plan_name === undefined) throw invalid(bodyFault('plan_name', `Field required to ${action}`, 'missing'));
  return { action, priceKey: `siteyard_${plan_name}_${input.interval ?? interval}` };
}
