import { randomBytes } from 'node:crypto';
import type Stripe from 'stripe';
import type { StoredObject } from './objects.sql.ts';

/** The parts of Stripe's objects that the built-in provider has; the types are Stripe's own. */
export type Customer = StoredObject & Pick<Stripe.Customer, 'email' | 'metadata' | 'created' | 'livemode'>;
/** All that is left of one. It stays known by its id and can not be used for anything. */
export type DeletedCustomer = StoredObject & Pick<Stripe.DeletedCustomer, 'deleted'>;
export type Product = StoredObject & Pick<Stripe.Product, 'name' | 'active' | 'metadata' | 'created' | 'livemode'>;
export type Price = StoredObject &
  Pick<
    Stripe.Price,
    'active' | 'currency' | 'lookup_key' | 'metadata' | 'type' | 'unit_amount' | 'created' | 'livemode'
  > & {
    product: string;
    recurring: { interval: 'month' | 'year'; interval_count: number };
  };
export type CheckoutSession = StoredObject &
  Pick<
    Stripe.Checkout.Session,
    | 'client_reference_id'
    | 'cancel_url'
    | 'success_url'
    | 'metadata'
    | 'mode'
    | 'payment_status'
    | 'status'
    | 'url'
    | 'amount_total'
    | 'currency'
    | 'created'
    | 'expires_at'
    | 'livemode'
  > & {
    customer: string;
    subscription: string | null;
    /** Not shown by Stripe unless asked for. */
    price: string;
    subscription_metadata: Record<string, string>;
  };
export type PortalSession = StoredObject &
  Pick<Stripe.BillingPortal.Session, 'url' | 'return_url' | 'created' | 'livemode'> & { customer: string };
export type SubscriptionItem = Pick<
  Stripe.SubscriptionItem,
  'id' | 'object' | 'created' | 'current_period_start' | 'current_period_end' | 'metadata' | 'subscription'
> & { price: Price; quantity: number };
export type StripeSubscription = StoredObject &
  Pick<
    Stripe.Subscription,
    | 'status'
    | 'currency'
    | 'created'
    | 'start_date'
    | 'cancel_at'
    | 'cancel_at_period_end'
    | 'canceled_at'
    | 'ended_at'
    | 'trial_start'
    | 'trial_end'
    | 'metadata'
    | 'livemode'
  > & {
    customer: string;
    /** Shown as it is, whether or not it is asked for in full. */
    default_payment_method?: typeof TEST_CARD;
    items: { object: 'list'; data: SubscriptionItem[]; has_more: false; url: string };
  };

export type StripeInvoice = StoredObject &
  Pick<
    Stripe.Invoice,
    'currency' | 'status' | 'total' | 'created' | 'number' | 'hosted_invoice_url' | 'invoice_pdf'
  > & {
    customer: string;
    parent: { type: 'subscription_details'; subscription_details: { subscription: string } };
  };

/** What every test card of the built-in provider is. */
export const TEST_CARD = {
  id: 'pm_card_visa',
  object: 'payment_method',
  type: 'card',
  card: { brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2034 },
};

export const newId = (prefix: string) => `${prefix}_${randomBytes(12).toString('hex')}`;
