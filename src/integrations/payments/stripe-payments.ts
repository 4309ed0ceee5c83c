import { createHash } from 'node:crypto';
import Stripe from 'stripe';
import {
  type Bills,
  type CheckoutSession,
  type CheckoutStatus,
  ForgedNotice,
  type NewCheckout,
  type NewCustomer,
  type PaymentNotice,
  type Payments,
  PaymentsFailed,
  type Subscription,
  type TestPages,
} from '#core/payments.ts';
import { readBills } from './stripe-bills.ts';
import { type PriceToSell, StripeCatalogue } from './stripe-catalogue.ts';
import { ExchangeClient, type StripeExchange } from './stripe-exchange.ts';
import { CHECKOUT_ID, isAdditionalSite, TEAM_NAME, toSubscription } from './stripe-subscription.ts';

const TIMEOUT_MS = 15_000;
const RETRIES = 2;
/** Stripe signs each attempt anew, so what is older than this was kept by somebody. */
const TOLERANCE_SECONDS = 300;

/** The one driver: Stripe's own SDK, be it Stripe or the built-in provider that answers. */
export class StripePayments implements Payments {
  readonly account: Payments['account'];
  readonly testPages: TestPages | undefined;
  readonly #stripe: Stripe;
  readonly #webhookSecret: string;
  readonly #catalogue: StripeCatalogue;

  constructor(options: {
    account: Payments['account'];
    secretKey: string;
    webhookSecret: string;
    exchange: StripeExchange;
    prices: readonly PriceToSell[];
    testPages?: TestPages;
  }) {
    this.account = options.account;
    this.testPages = options.testPages;
    this.#webhookSecret = options.webhookSecret;
    this.#stripe = new Stripe(options.secretKey, {
      httpClient: new ExchangeClient(options.exchange),
      timeout: TIMEOUT_MS,
      maxNetworkRetries: RETRIES,
      telemetry: false,
    });
    this.#catalogue = new StripeCatalogue(this.#stripe, options.prices);
  }

  createCustomer({ userId, email, name, replaces }: NewCustomer): Promise<string> {
    return ask(async () => {
      const customer = { email, name, metadata: { siteyard_user_id: userId } };
      const idempotencyKey = keyFor(`customer ${userId}`, { ...customer, replaces });
      return (await this.#stripe.customers.create(customer, { idempotencyKey })).id;
    });
  }

  isCustomerDeleted(customerId: string): Promise<boolean> {
    return ask(() => this.#isDeleted(customerId));
  }

  async #isDeleted(customerId: string): Promise<boolean> {
    return (await this.#stripe.customers.retrieve(customerId)).deleted === true;
  }

  createCheckout(checkout: NewCheckout): Promise<CheckoutSession> {
    const { checkoutId, customerId, priceKey, teamName, successUrl, cancelUrl } = checkout;
    const metadata = { [CHECKOUT_ID]: checkoutId, [TEAM_NAME]: teamName };
    return ask(async () => {
      const session: Stripe.Checkout.SessionCreateParams = {
        mode: 'subscription',
        customer: customerId,
        client_reference_id: checkoutId,
        line_items: [{ price: await this.#catalogue.priceId(priceKey), quantity: 1 }],
        success_url: successUrl,
        cancel_url: cancelUrl,
        metadata,
        subscription_data: { metadata, description: `Siteyard team ${teamName}` },
      };
      const idempotencyKey = keyFor(`checkout ${checkoutId}`, session);
      const { id, url, lastResponse } = await this.#stripe.checkout.sessions.create(session, { idempotencyKey });
      if (url === null) throw new PaymentsFailed('the checkout has no address', false);
      // An answer that is given again is as it was the first time.
      const isNew = lastResponse.headers['idempotent-replayed'] !== 'true';
      const isOpen = isNew || (await this.#stripe.checkout.sessions.retrieve(id)).status === 'open';
      return { id, url, isOpen };
    });
  }

  closeCheckout(sessionId: string): Promise<CheckoutStatus> {
    return ask(async () => {
      const session = await this.#stripe.checkout.sessions.retrieve(sessionId);
      if (session.status !== 'open') return session.status as CheckoutStatus;
      try {
        return (await this.#stripe.checkout.sessions.expire(sessionId)).status as CheckoutStatus;
      } catch (error) {
        // Paid or ended in this moment.
        if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
        return (await this.#stripe.checkout.sessions.retrieve(sessionId)).status as CheckoutStatus;
      }
    });
  }

  setAdditionalSites(subscriptionId: string, priceKey: string, quantity: number): Promise<void> {
    return ask(async () => {
      const { items } = await this.#stripe.subscriptions.retrieve(subscriptionId);
      const item = items.data.find(isAdditionalSite);
      if (quantity === (item?.quantity ?? 0)) return;
      const wanted = item
        ? { id: item.id, ...(quantity === 0 ? { deleted: true } : { quantity }) }
        : { price: await this.#catalogue.priceId(priceKey), quantity };
      await this.#stripe.subscriptions.update(subscriptionId, {
        items: [wanted],
        proration_behavior: 'create_prorations',
      });
    });
  }

  createPortal(customerId: string, returnUrl: string): Promise<string> {
    return ask(async () => {
      const configuration = await this.#catalogue.portalConfigurationId();
      const session = { customer: customerId, return_url: returnUrl, configuration };
      return (await this.#stripe.billingPortal.sessions.create(session)).url;
    });
  }

  endAtPeriodEnd(subscriptionId: string): Promise<void> {
    return ask(async () => {
      const { status, cancel_at_period_end } = await this.#stripe.subscriptions.retrieve(subscriptionId);
      if (status === 'canceled' || status === 'incomplete_expired' || cancel_at_period_end) return;
      await this.#stripe.subscriptions.update(subscriptionId, { cancel_at_period_end: true });
    });
  }

  readBills(customerId: string, subscriptionIds: readonly string[]): Promise<Bills> {
    return ask(() => readBills(this.#stripe, customerId, subscriptionIds));
  }

  listSubscriptions(customerId: string): Promise<Subscription[]> {
    return ask(async () => {
      try {
        return await this.#listSubscriptions(customerId);
      } catch (error) {
        // A customer that was never there may be of another account, and then nothing of it has ended.
        if (isMissing(error) && (await this.#isDeleted(customerId))) return [];
        throw error;
      }
    });
  }

  async #listSubscriptions(customerId: string): Promise<Subscription[]> {
    const found: Subscription[] = [];
    const pages = this.#stripe.subscriptions.list({ customer: customerId, status: 'all', limit: 100 });
    for await (const each of pages) {
      const subscription = toSubscription(each);
      if (subscription) found.push(subscription);
    }
    return found;
  }

  async readNotice(body: Buffer, signature: string): Promise<PaymentNotice> {
    let event: Stripe.Event;
    try {
      event = this.#stripe.webhooks.constructEvent(body, signature, this.#webhookSecret, TOLERANCE_SECONDS);
    } catch (error) {
      throw new ForgedNotice({ cause: error });
    }
    const { object } = event.data as { object: { id?: unknown; object?: unknown; customer?: unknown } };
    const customer = object.object === 'customer' ? object.id : object.customer;
    const customerId = typeof customer === 'string' ? customer : (customer as { id?: string } | null)?.id;
    return { id: event.id, customerId };
  }
}

/** A key stands for one request, so it changes with what is said. */
const keyFor = (name: string, said: object) =>
  `${name} ${createHash('sha256').update(JSON.stringify(said)).digest('hex')}`;

const isMissing = (error: unknown) =>
  error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing';

async function ask<T>(question: () => Promise<T>): Promise<T> {
  try {
    return await question();
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    const timedOut = (error as { detail?: { code?: string } }).detail?.code === Stripe.HttpClient.TIMEOUT_ERROR_CODE;
    throw new PaymentsFailed(`${error.type}: ${error.message}`, timedOut, { cause: error });
  }
}
