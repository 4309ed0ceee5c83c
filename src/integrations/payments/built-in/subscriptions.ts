import type { TestAction } from '#core/payments.ts';
import { isAdditionalSite } from '../stripe-subscription.ts';
import { newId, type Price, type StripeSubscription, type SubscriptionItem, TEST_CARD } from './stripe-objects.ts';

/** How a subscription begins, changes and ends, as it would at Stripe. Times are in seconds. */
export function beginSubscription(
  { customer, price, metadata }: { customer: string; price: Price; metadata: Record<string, string> },
  now: number,
): StripeSubscription {
  const id = newId('sub');
  return {
    id,
    object: 'subscription',
    customer,
    status: 'active',
    currency: price.currency,
    created: now,
    start_date: now,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    ended_at: null,
    trial_start: null,
    trial_end: null,
    metadata,
    livemode: false,
    default_payment_method: TEST_CARD,
    items: {
      object: 'list',
      data: [newItem(id, price, 1, now, addIntervals(now, price.recurring.interval, 1))],
      has_more: false,
      url: `/v1/subscription_items?subscription=${id}`,
    },
  };
}

function newItem(subscription: string, price: Price, quantity: number, start: number, end: number): SubscriptionItem {
  return {
    id: newId('si'),
    object: 'subscription_item',
    created: start,
    current_period_start: start,
    current_period_end: end,
    metadata: {},
    subscription,
    price,
    quantity,
  };
}

const planItemOf = ({ items }: StripeSubscription) =>
  items.data.find((item) => !isAdditionalSite(item)) as SubscriptionItem;

/** What time does by itself: a period that is over is followed by the next, or by the end. */
export function letTimePass(subscription: StripeSubscription, now: number): StripeSubscription {
  const { status, cancel_at } = subscription;
  if (status === 'canceled') return subscription;
  if (cancel_at !== null && cancel_at <= now) return endSubscription(subscription, cancel_at);
  const item = planItemOf(subscription);
  if (status !== 'active' || item.current_period_end > now) return subscription;
  return movePeriod(subscription, now);
}

function movePeriod(subscription: StripeSubscription, now: number): StripeSubscription {
  const { price, current_period_start: first } = planItemOf(subscription);
  let steps = 1;
  while (addIntervals(first, price.recurring.interval, steps + 1) <= now) steps++;
  const start = addIntervals(first, price.recurring.interval, steps);
  return withPeriod(subscription, start, addIntervals(first, price.recurring.interval, steps + 1));
}

function withPeriod(subscription: StripeSubscription, start: number, end: number): StripeSubscription {
  const data = subscription.items.data.map((item) => ({
    ...item,
    current_period_start: start,
    current_period_end: end,
  }));
  return { ...subscription, items: { ...subscription.items, data } };
}

export function endSubscription(subscription: StripeSubscription, at: number): StripeSubscription {
  return { ...subscription, status: 'canceled', canceled_at: subscription.canceled_at ?? at, ended_at: at };
}

/** What its owner does to it in the portal; undefined where that can not be done any more. */
export function changeSubscription(
  subscription: StripeSubscription,
  action: TestAction,
  prices: readonly Price[],
  now: number,
): StripeSubscription | undefined {
  if (subscription.status === 'canceled') return undefined;
  const price = 'priceKey' in action ? findPrice(prices, action.priceKey) : undefined;
  const end = planItemOf(subscription).current_period_end;
  switch (action.action) {
    case 'cancel':
      return { ...subscription, cancel_at_period_end: true, cancel_at: end, canceled_at: now };
    case 'resume':
      return { ...subscription, cancel_at_period_end: false, cancel_at: null, canceled_at: null };
    case 'end_now':
      return endSubscription(subscription, now);
    case 'fail_payment':
      return { ...subscription, status: 'past_due' };
    case 'pay':
      return letTimePass({ ...subscription, status: 'active' }, now);
    case 'change_plan':
      return price && changePlan(subscription, price, prices, now);
  }
}

const findPrice = (prices: readonly Price[], key: string | undefined) =>
  prices.find(({ lookup_key }) => lookup_key === key);

/** The same interval keeps its period; another one begins anew, and what is bought besides goes along. */
function changePlan(
  subscription: StripeSubscription,
  price: Price,
  prices: readonly Price[],
  now: number,
): StripeSubscription {
  const before = planItemOf(subscription);
  const { interval } = price.recurring;
  const inStep = (each: Price) => findPrice(prices, each.lookup_key?.replace(/(?:month|year)$/, interval)) ?? each;
  const data = subscription.items.data.map((item) => ({
    ...item,
    price: item === before ? price : inStep(item.price),
  }));
  const changed = { ...subscription, items: { ...subscription.items, data } };
  return interval === before.price.recurring.interval
    ? changed
    : withPeriod(changed, now, addIntervals(now, interval, 1));
}

/** Changes an item, adds one where none is named, and takes out what nobody wants any more of. */
export function setItem(
  subscription: StripeSubscription,
  itemId: string | undefined,
  price: Price | undefined,
  quantity: number,
): StripeSubscription {
  const { current_period_start: start, current_period_end: end } = planItemOf(subscription);
  const added = itemId === undefined && price ? [newItem(subscription.id, price, quantity, start, end)] : [];
  const changed = subscription.items.data.map((item) =>
    item.id === itemId ? { ...item, price: price ?? item.price, quantity } : item,
  );
  const data = [...changed, ...added].filter((item) => item.quantity > 0);
  return { ...subscription, items: { ...subscription.items, data } };
}

/** In UTC, from the first of them, so that a month that begins on the 31st does not move for ever. */
function addIntervals(start: number, interval: 'month' | 'year', count: number): number {
  const from = new Date(start * 1000);
  const months = from.getUTCMonth() + count * (interval === 'year' ? 12 : 1);
  const lastDay = new Date(Date.UTC(from.getUTCFullYear(), months + 1, 0)).getUTCDate();
  const day = Math.min(from.getUTCDate(), lastDay);
  const time = start % 86_400;
  return Date.UTC(from.getUTCFullYear(), months, day) / 1000 + time;
}
