import type { NewCheckout, NewCustomer, Payments, TestPages } from '#core/payments.ts';

/**
 * A driver that is made when it is first asked something. Stripe's SDK is 6 MB of memory and a tenth of a second of a start, and
 * most processes never sell anything.
 */
export class LaterPayments implements Payments {
  readonly account: Payments['account'];
  readonly testPages: TestPages | undefined;
  readonly #make: () => Promise<Payments>;
  #made: Promise<Payments> | undefined;

  constructor(known: Pick<Payments, 'account' | 'testPages'>, make: () => Promise<Payments>) {
    this.account = known.account;
    this.testPages = known.testPages;
    this.#make = make;
  }

  #driver(): Promise<Payments> {
    this.#made ??= this.#make();
    return this.#made;
  }

  async createCustomer(person: NewCustomer) {
    return (await this.#driver()).createCustomer(person);
  }

  async isCustomerDeleted(customerId: string) {
    return (await this.#driver()).isCustomerDeleted(customerId);
  }

  async createCheckout(checkout: NewCheckout) {
    return (await this.#driver()).createCheckout(checkout);
  }

  async closeCheckout(sessionId: string) {
    return (await this.#driver()).closeCheckout(sessionId);
  }

  async setAdditionalSites(subscriptionId: string, priceKey: string, quantity: number) {
    return (await this.#driver()).setAdditionalSites(subscriptionId, priceKey, quantity);
  }

  async createPortal(customerId: string, returnUrl: string) {
    return (await this.#driver()).createPortal(customerId, returnUrl);
  }

  async endAtPeriodEnd(subscriptionId: string) {
    return (await this.#driver()).endAtPeriodEnd(subscriptionId);
  }

  async readBills(customerId: string, subscriptionIds: readonly string[]) {
    return (await this.#driver()).readBills(customerId, subscriptionIds);
  }

  async listSubscriptions(customerId: string) {
    return (await this.#driver()).listSubscriptions(customerId);
  }

  async readNotice(body: Buffer, signature: string) {
    return (await this.#driver()).readNotice(body, signature);
  }
}
