import type { Db } from './db/database.ts';

/**
 * The port behind which money moves; src/integrations/payments has the driver. What the provider says of a subscription
 * is the truth, and a plan follows it; nothing here belongs in a transaction.
 */
export interface Payments {
  /** Which world of which provider: what one of them knows means nothing to another. */
  readonly account: 'test' | 'stripe:test' | 'stripe:live';
  /** The same person gets the same customer, however often and however concurrently one asks. */
  createCustomer(person: NewCustomer): Promise<string>;
  /** Whether somebody deleted this customer at the provider. All that it paid for ended then. */
  isCustomerDeleted(customerId: string): Promise<boolean>;
  /** The same checkout gets the same session, unless something about it is another one, such as the price. */
  createCheckout(checkout: NewCheckout): Promise<CheckoutSession>;
  /** Ends a session that nobody has paid; says how the session stands then. */
  closeCheckout(sessionId: string): Promise<CheckoutStatus>;
  /**
   * How many sites besides the plan's are paid for from now on. Setting it again changes nothing. Whoever has some pays for
   * others what those cost; the price that is named here is for the first.
   */
  setAdditionalSites(subscriptionId: string, priceKey: string, quantity: number): Promise<void>;
  createPortal(customerId: string, returnUrl: string): Promise<string>;
  /** It is not renewed. Saying so again changes nothing, nor does it of one that has ended. */
  endAtPeriodEnd(subscriptionId: string): Promise<void>;
  /** How subscriptions are paid: with which card, and what was billed for them, the newest first. */
  readBills(customerId: string, subscriptionIds: readonly string[]): Promise<Bills>;
  /** All that the customer ever had of what we sell, ended ones included. A deleted customer has nothing. */
  listSubscriptions(customerId: string): Promise<Subscription[]>;
  /** What the provider calls to say. Throws ForgedNotice where it was not the provider, or long ago. */
  readNotice(body: Buffer, signature: string): Promise<PaymentNotice>;
  /** What the pages of the built-in provider show and do; undefined where there is another provider. */
  readonly testPages: TestPages | undefined;
}

export interface Card {
  brand: string;
  last4: string;
  expMonth: number;
  expYear: number;
}

export interface Invoice {
  id: string;
  /** As it is printed on it; null before it is final. */
  number: string | null;
  status: 'draft' | 'open' | 'paid' | 'uncollectible' | 'void';
  totalCents: number;
  currency: string;
  createdAt: Date;
  /** Where it can be seen and paid, and its PDF; null where the provider has none. */
  url: string | null;
  pdfUrl: string | null;
}

export interface Bills {
  card: Card | null;
  invoices: Invoice[];
}

export interface CheckoutSession {
  id: string;
  url: string;
  /** False where it was made before, and was paid or ended since. */
  isOpen: boolean;
}

export type CheckoutStatus = 'open' | 'complete' | 'expired';

export interface NewCustomer {
  userId: string;
  email: string;
  name: string;
  /** The deleted customer of the same person that this one stands in for. */
  replaces: string | undefined;
}

export interface NewCheckout {
  /** Comes back with the subscription. */
  checkoutId: string;
  customerId: string;
  priceKey: string;
  /** Shown to whoever pays. */
  teamName: string;
  successUrl: string;
  cancelUrl: string;
}

export interface Subscription {
  id: string;
  status: SubscriptionStatus;
  checkoutId: string | undefined;
  /** The name of the plan. */
  plan: string;
  interval: 'month' | 'year';
  currency: string;
  /** Of all that is in it, per interval, at the prices that it was bought for. */
  priceCents: number;
  additionalSites: number;
  /** What one of them costs per interval; null where there is none. */
  additionalSiteCents: number | null;
  periodStart: Date;
  periodEnd: Date;
  cancelAt: Date | null;
  cancelAtPeriodEnd: boolean;
  trialEnd: Date | null;
  createdAt: Date;
}

export type SubscriptionStatus =
  | 'active'
  | 'trialing'
  | 'past_due'
  | 'unpaid'
  | 'paused'
  | 'incomplete'
  | 'incomplete_expired'
  | 'canceled';

/** Only a hint that something changed for this customer: it may come late, twice or out of order. */
export interface PaymentNotice {
  id: string;
  customerId: string | undefined;
}

export class ForgedNotice extends Error {
  constructor(options?: ErrorOptions) {
    super('the notice is not signed by the payment provider, or too long ago', options);
    this.name = 'ForgedNotice';
  }
}

/** The provider did not answer, or refused what it should not refuse. Its own words are for the operator. */
export class PaymentsFailed extends Error {
  readonly timedOut: boolean;
  constructor(message: string, timedOut: boolean, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PaymentsFailed';
    this.timedOut = timedOut;
  }
}

export interface TestPages {
  readCheckout(db: Db, sessionId: string): Promise<TestCheckout | undefined>;
  endCheckout(db: Db, sessionId: string, outcome: 'paid' | 'declined'): Promise<void>;
  readPortal(db: Db, sessionId: string): Promise<TestPortal | undefined>;
  /** False where the customer has no such subscription, or it can not do this any more. */
  act(db: Db, portal: TestPortal, subscriptionId: string, action: TestAction): Promise<boolean>;
}

export type TestAction =
  | { action: 'change_plan'; priceKey: string }
  | { action: 'cancel' | 'resume' | 'end_now' | 'fail_payment' | 'pay' };

export interface TestCheckout {
  id: string;
  customerId: string;
  status: CheckoutStatus;
  description: string;
  amountCents: number;
  currency: string;
  interval: 'month' | 'year';
  teamName: string;
  successUrl: string;
  cancelUrl: string;
}

export interface TestPortal {
  id: string;
  customerId: string;
  returnUrl: string;
  subscriptions: (Subscription & { teamName: string })[];
}
