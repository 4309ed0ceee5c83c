import Stripe from 'stripe';
import { ADDITIONAL_SITE, PRICE_IS_FOR } from './stripe-subscription.ts';

/** Something that can be bought, as the features declare it. */
export interface PriceToSell {
  lookupKey: string;
  product: { id: string; name: string };
  /** Null for one more site. */
  plan: string | null;
  interval: 'month' | 'year';
  cents: number;
  currency: string;
}

interface FoundPrice {
  id: string;
  productId: string;
}

/**
 * The prices at Stripe, found by their lookup keys and made where they are missing. A price never changes there: where
 * ours did, a new one takes over the key, and whoever bought the old one keeps it.
 */
export class StripeCatalogue {
  readonly #stripe: Stripe;
  readonly #prices: readonly PriceToSell[];
  #found: Promise<Map<string, FoundPrice>> | undefined;
  #portal: Promise<string> | undefined;

  constructor(stripe: Stripe, prices: readonly PriceToSell[]) {
    this.#stripe = stripe;
    this.#prices = prices;
  }

  async priceId(lookupKey: string): Promise<string> {
    const price = (await this.#all()).get(lookupKey);
    if (!price) throw new Error(`nothing is sold as ${lookupKey}`);
    return price.id;
  }

  /** The portal lets its customer pay, cancel, and change between our plans. */
  portalConfigurationId(): Promise<string> {
    this.#portal ??= this.#findOrMakePortal().catch((error) => {
      this.#portal = undefined;
      throw error;
    });
    return this.#portal;
  }

  #all(): Promise<Map<string, FoundPrice>> {
    this.#found ??= this.#findOrMake().catch((error) => {
      this.#found = undefined;
      throw error;
    });
    return this.#found;
  }

  async #findOrMake(): Promise<Map<string, FoundPrice>> {
    const keys = this.#prices.map(({ lookupKey }) => lookupKey);
    const { data } = await this.#stripe.prices.list({ lookup_keys: keys, active: true, limit: 100 });
    const found = new Map<string, FoundPrice>();
    for (const price of this.#prices) {
      const same = data.find((each) => each.lookup_key === price.lookupKey && isSame(each, price));
      found.set(price.lookupKey, toFound(same ?? (await this.#make(price))));
    }
    return found;
  }

  async #make({ lookupKey, product, plan, interval, cents, currency }: PriceToSell): Promise<Stripe.Price> {
    await this.#stripe.products.create({ ...product }).catch((error) => {
      if (error instanceof Stripe.errors.StripeError && error.code === 'resource_already_exists') return;
      throw error;
    });
    const terms = { unit_amount: cents, currency, recurring: { interval } };
    return this.#stripe.prices.create(
      {
        ...terms,
        product: product.id,
        lookup_key: lookupKey,
        transfer_lookup_key: true,
        metadata: { [PRICE_IS_FOR]: plan ?? ADDITIONAL_SITE },
      },
      // Several processes may find it missing at once.
      { idempotencyKey: `${lookupKey} ${cents} ${currency}` },
    );
  }

  async #findOrMakePortal(): Promise<string> {
    const found = await this.#all();
    const plans = this.#prices.filter(({ plan }) => plan !== null).map(({ lookupKey }) => found.get(lookupKey));
    const byProduct = Map.groupBy(plans as FoundPrice[], ({ productId }) => productId);
    const products = [...byProduct].map(([product, prices]) => ({ product, prices: prices.map(({ id }) => id) }));
    const name = products.flatMap(({ prices }) => prices).join(' ');
    const { data } = await this.#stripe.billingPortal.configurations.list({ active: true, limit: 100 });
    const same = data.find(({ metadata }) => metadata?.[PRICE_IS_FOR] === name);
    if (same) return same.id;
    const made = await this.#stripe.billingPortal.configurations.create(
      {
        metadata: { [PRICE_IS_FOR]: name },
        features: {
          invoice_history: { enabled: true },
          payment_method_update: { enabled: true },
          subscription_cancel: { enabled: true, mode: 'at_period_end' },
          subscription_update: {
            enabled: true,
            default_allowed_updates: ['price'],
            proration_behavior: 'create_prorations',
            products,
          },
        },
      },
      { idempotencyKey: `portal ${name}` },
    );
    return made.id;
  }
}

const isSame = (price: Stripe.Price, { interval, cents, currency }: PriceToSell) =>
  price.unit_amount === cents && price.currency === currency && price.recurring?.interval === interval;

const toFound = ({ id, product }: Stripe.Price): FoundPrice => ({
  id,
  productId: typeof product === 'string' ? product : product.id,
});
