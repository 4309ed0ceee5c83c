import type { Db } from '#core/db/database.ts';
import type { TestAction, TestCheckout, TestPortal } from '#core/payments.ts';
import { TEAM_NAME, toSubscription } from '../stripe-subscription.ts';
import { findObject, listObjects, saveObject } from './objects.sql.ts';
import {
  type CheckoutSession,
  type Customer,
  type DeletedCustomer,
  newId,
  type PortalSession,
  type Price,
  type StripeInvoice,
  type StripeSubscription,
} from './stripe-objects.ts';
import { beginSubscription, changeSubscription, letTimePass } from './subscriptions.ts';

/** What somebody does on the pages that Stripe would show. */
type Emit = (type: string, object: object) => Promise<void>;

const SESSION = 'checkout.session';

export async function readCheckout(db: Db, id: string): Promise<TestCheckout | undefined> {
  const session = await findObject<CheckoutSession>(db, SESSION, id);
  const price = session && (await findObject<Price>(db, 'price', session.price));
  if (!session || !price) return undefined;
  return {
    id,
    customerId: session.customer,
    status: session.status as TestCheckout['status'],
    description: price.lookup_key ?? price.id,
    amountCents: session.amount_total ?? 0,
    currency: price.currency,
    interval: price.recurring.interval,
    teamName: session.metadata?.[TEAM_NAME] ?? '',
    successUrl: session.success_url ?? '',
    cancelUrl: session.cancel_url ?? '',
  };
}

/** A declined card leaves the session open for another try. A session of a deleted customer can not be paid. */
export async function endCheckout(
  db: Db,
  id: string,
  outcome: 'paid' | 'declined',
  now: number,
  emit: Emit,
): Promise<void> {
  const session = await findObject<CheckoutSession>(db, SESSION, id);
  const price = session && (await findObject<Price>(db, 'price', session.price));
  if (!session || !price || session.status !== 'open' || outcome === 'declined') return;
  const { customer, subscription_metadata: metadata } = session;
  const payer = await findObject<Customer | DeletedCustomer>(db, 'customer', customer);
  if (!payer || 'deleted' in payer) return;
  const subscription = beginSubscription({ customer, price, metadata }, now);
  const complete: CheckoutSession = {
    ...session,
    status: 'complete',
    payment_status: 'paid',
    subscription: subscription.id,
    url: null,
  };
  await saveObject(db, subscription);
  await saveObject(db, complete);
  await emit('customer.subscription.created', subscription);
  await emit('invoice.paid', await bill(db, subscription, now));
  await emit('checkout.session.completed', complete);
}

export async function readPortal(db: Db, id: string): Promise<TestPortal | undefined> {
  const session = await findObject<PortalSession>(db, 'billing_portal.session', id);
  if (!session) return undefined;
  const found = await listObjects<StripeSubscription>(db, 'subscription', session.customer);
  const subscriptions = found.flatMap((each) => {
    const subscription = toSubscription(each as unknown as Parameters<typeof toSubscription>[0]);
    return subscription ? [{ ...subscription, teamName: each.metadata[TEAM_NAME] ?? '' }] : [];
  });
  return { id, customerId: session.customer, returnUrl: session.return_url ?? '', subscriptions };
}

const EVENT_OF: Partial<Record<TestAction['action'], string>> = {
  fail_payment: 'invoice.payment_failed',
  pay: 'invoice.paid',
};

export async function act(
  db: Db,
  customer: string,
  subscriptionId: string,
  action: TestAction,
  now: number,
  emit: Emit,
): Promise<boolean> {
  const before = await findObject<StripeSubscription>(db, 'subscription', subscriptionId);
  if (before?.customer !== customer) return false;
  // One whose time is over can not be resumed, although nobody has looked at it since.
  const after = changeSubscription(letTimePass(before, now), action, await listObjects<Price>(db, 'price'), now);
  if (!after) return false;
  await saveObject(db, after);
  const invoiceEvent = EVENT_OF[action.action];
  if (invoiceEvent) await emit(invoiceEvent, await bill(db, after, now));
  await emit(after.status === 'canceled' ? 'customer.subscription.deleted' : 'customer.subscription.updated', after);
  return true;
}

/** A payment of what failed before pays the invoice that is open. */
async function bill(db: Db, subscription: StripeSubscription, now: number): Promise<StripeInvoice> {
  const { id, customer, currency, status, items } = subscription;
  const before = (await listObjects<StripeInvoice>(db, 'invoice', customer)).filter(
    ({ parent }) => parent.subscription_details.subscription === id,
  );
  const open = before.find((each) => each.status === 'open');
  const total = items.data.reduce((sum, { price, quantity }) => sum + (price.unit_amount ?? 0) * quantity, 0);
  const invoice: StripeInvoice = {
    id: newId('in'),
    object: 'invoice',
    customer,
    currency,
    number: `TEST-${String(before.length + 1).padStart(4, '0')}`,
    total,
    created: now,
    hosted_invoice_url: null,
    invoice_pdf: null,
    parent: { type: 'subscription_details', subscription_details: { subscription: id } },
    ...open,
    status: status === 'active' ? 'paid' : 'open',
  };
  await saveObject(db, invoice);
  return invoice;
}
