import type Stripe from 'stripe';
import type { Subscription, SubscriptionStatus } from '#core/payments.ts';

/** What is ours to say of a price: the plan's name, or that it is one more site. It stays with the price for ever. */
export const PRICE_IS_FOR = 'siteyard';
export const ADDITIONAL_SITE = 'additional_site';
export const CHECKOUT_ID = 'siteyard_checkout_id';
export const TEAM_NAME = 'siteyard_team_name';

/** In our own words; undefined for what somebody else sells through the same account. */
export function toSubscription(subscription: Stripe.Subscription): Subscription | undefined {
  const items = subscription.items.data;
  const planItem = items.find(({ price }) => ![undefined, ADDITIONAL_SITE].includes(price.metadata[PRICE_IS_FOR]));
  const extra = items.filter(isAdditionalSite);
  const interval = planItem?.price.recurring?.interval;
  if (!planItem || (interval !== 'month' && interval !== 'year')) return undefined;
  return {
    id: subscription.id,
    status: subscription.status as SubscriptionStatus,
    checkoutId: subscription.metadata[CHECKOUT_ID],
    plan: planItem.price.metadata[PRICE_IS_FOR] as string,
    interval: interval as Subscription['interval'],
    currency: subscription.currency,
    priceCents: items.reduce((sum, { price, quantity }) => sum + (price.unit_amount ?? 0) * (quantity ?? 0), 0),
    additionalSites: extra.reduce((sum, { quantity }) => sum + (quantity ?? 0), 0),
    additionalSiteCents: extra[0]?.price.unit_amount ?? null,
    periodStart: toDate(planItem.current_period_start),
    periodEnd: toDate(planItem.current_period_end),
    cancelAt: subscription.cancel_at === null ? null : toDate(subscription.cancel_at),
    cancelAtPeriodEnd: subscription.cancel_at_period_end,
    trialEnd: subscription.trial_end === null ? null : toDate(subscription.trial_end),
    createdAt: toDate(subscription.created),
  };
}

export const isAdditionalSite = ({ price }: { price: { metadata: Record<string, string> } }) =>
  price.metadata[PRICE_IS_FOR] === ADDITIONAL_SITE;

const toDate = (seconds: number) => new Date(seconds * 1000);
