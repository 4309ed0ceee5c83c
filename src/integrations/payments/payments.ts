import type { Db } from '#core/db/database.ts';
import type { Outbound } from '#core/outbound.ts';
import type { Payments } from '#core/payments.ts';
import type { Secrets } from '#core/secrets.ts';
import { BuiltInStripe } from './built-in/built-in-stripe.ts';
import type { Delivery } from './built-in/events.ts';
import type { Store } from './built-in/objects.sql.ts';
import type { PriceToSell } from './stripe-catalogue.ts';
import { exchangeOver } from './stripe-exchange.ts';
import { StripePayments } from './stripe-payments.ts';

export interface StripeSettings {
  secretKey: string;
  webhookSecret: string;
  apiUrl: string;
}

/** Stripe where there is a key for it, the built-in provider where it may be used, and otherwise none. */
export function createPayments(options: {
  stripe: StripeSettings | undefined;
  mayTest: boolean;
  prices: readonly PriceToSell[];
  outbound: Outbound;
  store: Store;
  secrets: Secrets;
  baseUrl: string;
  /** Where events of the built-in provider go. */
  deliver(db: Db, delivery: Delivery): Promise<void>;
}): Payments | undefined {
  const { stripe, prices } = options;
  if (stripe) {
    const account = /^[a-z]+_live_/.test(stripe.secretKey) ? 'stripe:live' : 'stripe:test';
    return new StripePayments({ account, ...stripe, prices, exchange: exchangeOver(options.outbound, stripe.apiUrl) });
  }
  if (!options.mayTest) return undefined;
  const { secrets, store, baseUrl, deliver } = options;
  const keys = { secretKey: secrets.derive('test payment key'), webhookSecret: secrets.derive('test payment events') };
  const builtIn = new BuiltInStripe({ ...keys, store, pagesUrl: baseUrl, deliver });
  const exchange = builtIn.handle.bind(builtIn);
  return new StripePayments({ account: 'test', ...keys, prices, exchange, testPages: builtIn.pages });
}
