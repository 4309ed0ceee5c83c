import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { Outbound } from '#core/outbound.ts';
import { ForgedNotice, PaymentsFailed } from '#core/payments.ts';
import { type StripeServer, startStripeServer } from '#testkit/servers/stripe-server.ts';
import { newDelivery, signDelivery } from './built-in/events.ts';
import { readForm } from './built-in/form.ts';
import type { Price } from './built-in/stripe-objects.ts';
import { createPayments } from './payments.ts';
import type { PriceToSell } from './stripe-catalogue.ts';
import { exchangeOver } from './stripe-exchange.ts';
import { StripePayments } from './stripe-payments.ts';

let stripe: StripeServer;
const outbound = new Outbound({ allow: ['127.0.0.0/8'] });
before(async () => {
  stripe = await startStripeServer();
});
after(async () => {
  outbound.close();
  await stripe?.close();
});

const PRICE: PriceToSell = {
  lookupKey: 'siteyard_micro_month',
  product: { id: 'siteyard_micro', name: 'Micro' },
  plan: 'micro',
  interval: 'month',
  cents: 900,
  currency: 'usd',
};

/** As another process or a later version of the platform would talk to the same account. */
const driver = (prices = [PRICE], more: { secretKey?: string; outbound?: Outbound } = {}) =>
  new StripePayments({
    account: 'stripe:test',
    secretKey: more.secretKey ?? (stripe.env.STRIPE_SECRET_KEY as string),
    webhookSecret: stripe.env.STRIPE_WEBHOOK_SECRET as string,
    exchange: exchangeOver(more.outbound ?? outbound, stripe.env.STRIPE_API_URL as string),
    prices,
  });

const person = { userId: 'a1', email: 'ada@example.com', name: 'Åda Lövelace 你好', replaces: undefined };
const checkoutOf = (customerId: string, checkoutId: string) => ({
  checkoutId,
  customerId,
  priceKey: PRICE.lookupKey,
  teamName: 'Bäckerei "Süß" & Co',
  successUrl: 'https://platform.example/return?a=1&b=2',
  cancelUrl: 'https://platform.example/',
});

suite('through the official SDK', () => {
  test('what we say arrives as it was said, whatever letters it has', async () => {
    const payments = driver();
    const customerId = await payments.createCustomer(person);
    const { url } = await payments.createCheckout(checkoutOf(customerId, 'c1'));
    const [session] = await stripe.sessions();
    assert.equal(session?.success_url, 'https://platform.example/return?a=1&b=2');
    assert.equal(session?.metadata?.siteyard_team_name, 'Bäckerei "Süß" & Co');
    await stripe.pay(url);
    const [subscription] = await payments.listSubscriptions(customerId);
    assert.deepEqual(
      [subscription?.plan, subscription?.checkoutId, subscription?.status, subscription?.additionalSites],
      ['micro', 'c1', 'active', 0],
    );
  });

  test('several processes that find no price make one', async () => {
    const prices = [{ ...PRICE, lookupKey: 'siteyard_race_month', product: { id: 'siteyard_race', name: 'Race' } }];
    const customerId = await driver().createCustomer(person);
    const wanted = { ...checkoutOf(customerId, ''), priceKey: 'siteyard_race_month' };
    await Promise.all([1, 2, 3, 4].map((n) => driver(prices).createCheckout({ ...wanted, checkoutId: `race ${n}` })));
    const made = (await stripe.objects<Price>('price')).filter(({ product }) => product === 'siteyard_race');
    assert.equal(made.length, 1);
  });

  test('a new figure is a new price, and who bought the old one is still known by it', async () => {
    const payments = driver();
    const customerId = await payments.createCustomer({ ...person, userId: 'a2' });
    await stripe.pay((await payments.createCheckout(checkoutOf(customerId, 'old'))).url);
    const later = driver([{ ...PRICE, cents: 1200 }]);
    await stripe.pay((await later.createCheckout(checkoutOf(customerId, 'new'))).url);
    const amounts = (await stripe.sessions()).slice(0, 2).map(({ amount_total }) => amount_total);
    assert.deepEqual(amounts, [1200, 900]);
    const plans = (await later.listSubscriptions(customerId)).map(({ plan, checkoutId }) => [plan, checkoutId]);
    assert.deepEqual(plans, [
      ['micro', 'new'],
      ['micro', 'old'],
    ]);
  });

  test('more subscriptions than a page has are all read, ended ones too', async () => {
    const payments = driver();
    const customerId = await payments.createCustomer({ ...person, userId: 'a3' });
    for (let n = 0; n < 103; n++) {
      await stripe.pay((await payments.createCheckout(checkoutOf(customerId, `many ${n}`))).url);
    }
    const ended = (await payments.listSubscriptions(customerId))[0];
    await stripe.act({ action: 'end_now' }, ended?.id as string);
    const all = await payments.listSubscriptions(customerId);
    assert.equal(new Set(all.map(({ id }) => id)).size, 103);
    assert.equal(all.filter(({ status }) => status === 'canceled').length, 1);
  });

  test('a deleted customer has nothing and can not be used; one that nobody ever had is no reason to end anything', async () => {
    const payments = driver();
    const buyer = { ...person, userId: 'a4', email: 'deleted@example.com' };
    const customerId = await payments.createCustomer(buyer);
    await stripe.pay((await payments.createCheckout(checkoutOf(customerId, 'gone'))).url);
    assert.equal(await payments.isCustomerDeleted(customerId), false);
    await stripe.deleteCustomer(buyer.email);
    assert.equal(await payments.isCustomerDeleted(customerId), true);
    assert.deepEqual(await payments.listSubscriptions(customerId), []);
    await assert.rejects(payments.createCheckout(checkoutOf(customerId, 'late')), PaymentsFailed);
    await assert.rejects(payments.createPortal(customerId, 'https://platform.example/'), PaymentsFailed);
    await assert.rejects(payments.listSubscriptions('cus_of_another_account'), PaymentsFailed);

    const again = { ...buyer, replaces: customerId };
    const [made, same] = await Promise.all([payments.createCustomer(again), driver().createCustomer(again)]);
    assert.equal(made, same);
    assert.notEqual(made, customerId);
  });

  test('a checkout whose price has changed since is offered at the new one', async () => {
    const customerId = await driver().createCustomer({ ...person, userId: 'a5' });
    const offer = (cents: number) => driver([{ ...PRICE, cents }]).createCheckout(checkoutOf(customerId, 'dearer'));
    const [before, dearer, again] = [await offer(1500), await offer(1600), await offer(1600)];
    assert.notEqual(dearer.id, before.id);
    assert.equal(again.id, dearer.id);
  });

  test('the portal has one configuration, with every plan that can be chosen', async () => {
    const customerId = await driver().createCustomer(person);
    await driver().createPortal(customerId, 'https://platform.example/');
    await driver().createPortal(customerId, 'https://platform.example/');
    const made = await stripe.objects<{ id: string; object: string; features: Record<string, unknown> }>(
      'billing_portal.configuration',
    );
    assert.equal(made.length, 1);
    assert.match(JSON.stringify(made[0]?.features), /siteyard_micro/);
  });

  test('a session that is paid can not be closed any more', async () => {
    const payments = driver();
    const customerId = await payments.createCustomer(person);
    const [open, paid] = [
      await payments.createCheckout(checkoutOf(customerId, 'open')),
      await payments.createCheckout(checkoutOf(customerId, 'paid')),
    ];
    await stripe.pay(paid.url);
    assert.equal(await payments.closeCheckout(paid.id), 'complete');
    assert.equal(await payments.closeCheckout(open.id), 'expired');
    assert.equal(await payments.closeCheckout(open.id), 'expired');
  });

  test('what was canceled and is over can not be resumed, also where nobody has looked at it since', async (t) => {
    const payments = driver();
    const customerId = await payments.createCustomer({ ...person, userId: 'a6' });
    await stripe.pay((await payments.createCheckout(checkoutOf(customerId, 'over'))).url);
    const id = (await payments.listSubscriptions(customerId))[0]?.id as string;
    assert.equal(await stripe.act({ action: 'cancel' }, id), true);
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 32 * 86_400_000 });
    assert.equal(await stripe.act({ action: 'resume' }, id), false);
  });

  test('what fails says so without the key', async () => {
    const refused = driver([PRICE], { secretKey: 'sk_test_wrong' });
    await assert.rejects(refused.createCustomer(person), (error: Error) => {
      assert.ok(error instanceof PaymentsFailed && !error.timedOut);
      assert.ok(!error.message.includes('sk_test_wrong'));
      return true;
    });
    const guarded = driver([PRICE], { outbound: new Outbound() });
    await assert.rejects(guarded.listSubscriptions('cus_x'), PaymentsFailed, 'loopback is not allowed here');
  });

  test('an event that is not signed, changed on the way, signed by another or old is refused', async () => {
    const seconds = Math.floor(Date.now() / 1000);
    const secret = stripe.env.STRIPE_WEBHOOK_SECRET as string;
    const object = { object: 'subscription', id: 'sub_1', customer: 'cus_1' };
    const { body, signature } = newDelivery('customer.subscription.deleted', object, seconds, secret);
    const payments = driver();
    const read = (text: string, signed: string) => payments.readNotice(Buffer.from(text), signed);
    assert.equal((await read(body, signature)).customerId, 'cus_1');
    assert.equal((await read(body, signDelivery(body, seconds - 290, secret))).customerId, 'cus_1');
    const forged: [body: string, signature: string][] = [
      ['{}', ''],
      [body, ''],
      [body, 'nonsense'],
      [body, signDelivery(body, seconds, 'another secret')],
      [body, signDelivery(body, seconds - 310, secret)],
      [body.replace('cus_1', 'cus_2'), signature],
      [`${body} `, signature],
      ['', signature],
    ];
    for (const [text, signed] of forged) await assert.rejects(read(text, signed), ForgedNotice, signed);
  });
});

test('there is no provider without a key where test money is not allowed', () => {
  const options = { stripe: undefined, prices: [], outbound, baseUrl: 'https://platform.example' };
  const unused = { store: undefined, secrets: undefined, deliver: undefined } as never as Pick<
    Parameters<typeof createPayments>[0],
    'store' | 'secrets' | 'deliver'
  >;
  assert.equal(createPayments({ ...options, ...unused, mayTest: false }), undefined);
});

test('a form is read as Stripe writes it', () => {
  assert.deepEqual(
    JSON.parse(JSON.stringify(readForm('a=1&b[c][0][d]=x%20y&b[c][1][d]=%26&e[]=p&e[]=q&f[__proto__]=z'))),
    {
      a: '1',
      b: { c: { 0: { d: 'x y' }, 1: { d: '&' } } },
      e: { 0: 'p', 1: 'q' },
      f: { ['__proto__']: 'z' },
    },
  );
});
