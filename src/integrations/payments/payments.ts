import type { Db } from '#core/db/database.ts';
import type { Outbound } from '#core/outbound.ts';
import type { Payments } from '#core/payments.ts';
import type { Secrets } from '#core/secrets.ts';
import { BuiltInStripe } from './built-in/built-in-stripe.ts';
import type { Delivery } from './built-in/events.ts';
import type { Store } from './built-in/objects.sql.ts';
import { LaterPayments } from './later-payments.ts';
import type { PriceToSell } from './stripe-catalogue.ts';

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
    return new LaterPayments({ account, testPages: undefined }, async () => {
      const [{ StripePayments }, { exchangeOver }] = await loadStripe();
      const exchange = exchangeOver(options.outbound, stripe.apiUrl);
      return new StripePayments({ account, ...stripe, prices, exchange });
    });
  }
  if (!options.mayTest) return undefined;
  const { secrets, store, baseUrl, deliver } = options;
  const keys = { secretKey: secrets.derive('test payment key'), webhookSecret: secrets.derive('test payment events') };
  const builtIn = new BuiltInStripe({ ...keys, store, pagesUrl: baseUrl, deliver });
  const exchange = builtIn.handle.bind(builtIn);
  const known = { account: 'test' as const, testPages: builtIn.pages };
  return new LaterPayments(known, async () => {
    const [{ StripePayments }] = await loadStripe();
    return new StripePayments({ ...known, ...keys, prices, exchange });
  });
}

const loadStripe = () => Promise.all([import('./stripe-payments.ts'), import('./stripe-exchange.ts')]);
