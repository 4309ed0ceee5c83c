import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { type KyselyPlugin, sql } from 'kysely';
import { inTransaction } from '#core/db/database.ts';
import { invoke } from '#core/http/invoke.ts';
import type { Operation } from '#core/http/operation.ts';
import { signDelivery } from '#integrations/payments/built-in/events.ts';
import type { Customer, StripeSubscription } from '#integrations/payments/built-in/stripe-objects.ts';
import type { ApiError } from '#sdk';
import { letIn, PASSWORD, type Person, registerPerson, signInAs } from '#testkit/app/people.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { eventually, refused } from '#testkit/expect.ts';
import { deliver, type StripeServer, startStripeServer, WEBHOOK_SECRET } from '#testkit/servers/stripe-server.ts';
import { rereadPayments, syncCustomerJob } from './billing.jobs.ts';
import { endTestPlans } from './billing.sync.ts';
import { receivePaymentEvent } from './billing.ts';
import { getTeamBilling } from './billing.view.ts';

/** The whole way through the official SDK, over a socket, to a server that speaks Stripe's protocol. */
let app: TestApp;
let stripe: StripeServer;
before(async () => {
  stripe = await startStripeServer();
  app = await startTestApp({ env: stripe.env });
});
after(async () => {
  await app?.close();
  await stripe?.close();
});

const teamOf = (person: Person, team_id = person.teamId) => person.api.getTeam({ params: { team_id } });
const billingOf = (person: Person, team_id = person.teamId) => person.api.getTeamBilling({ params: { team_id } });
const checkoutFor = (
  person: Person,
  plan_name: 'micro' | 'starter' | 'business',
  interval: 'month' | 'year' = 'month',
) => person.api.createCheckoutSession({ body: { for_team_id: person.teamId, plan_name, interval } });

/** Delivers what has happened since, in order. */
async function deliverFrom(position: number): Promise<void> {
  for (const delivery of stripe.deliveries.slice(position)) assert.equal(await deliver(app, delivery), 200);
}

/** Does it at the provider and delivers what it says of that. */
async function announced(change: () => Promise<unknown>): Promise<void> {
  const position = stripe.deliveries.length;
  await change();
  await deliverFrom(position);
}

async function ownerOn(plan: 'micro' | 'starter' | 'business', interval: 'month' | 'year' = 'month'): Promise<Person> {
  const owner = await registerPerson(app, 'Payer');
  const { url } = await checkoutFor(owner, plan, interval);
  await stripe.pay(url);
  await owner.api.syncBilling();
  return owner;
}

const setTeam = (person: Person, values: Record<string, unknown>) =>
  app.services.db.updateTable('teams').set(values).where('id', '=', person.teamId).execute();

suite('checkout', () => {
  test('a free team that is paid for has its plan as soon as the provider says so', async () => {
    const owner = await registerPerson(app, 'Buyer');
    await setTeam(owner, { storage_usage: 1_000_000_000, storage_is_used_up: true });
    const position = stripe.deliveries.length;
    const { url } = await checkoutFor(owner, 'starter', 'year');
    const session = (await stripe.sessions())[0];
    assert.equal(url, session?.url);
    assert.equal(session?.amount_total, 29_000);
    assert.equal((await teamOf(owner)).plan_type_name, 'free');
    assert.equal((await owner.api.getMe()).is_payment_verified, false);

    await stripe.pay(url);
    await deliverFrom(position);
    const team = await eventually(async () => {
      const now = await teamOf(owner);
      return now.plan_type_name === 'starter' && now;
    });
    assert.equal(team.storage_is_used_up, false, 'uploads are taken again with the plan, and not a minute later');
    const [subscription] = await stripe.subscriptions();
    const item = subscription?.items.data[0];
    assert.deepEqual([team.sub_id, team.interval, team.currency], [subscription?.id, 'year', 'usd']);
    assert.equal(Date.parse(String(team.cycle_start)), (item?.current_period_start ?? 0) * 1000);
    assert.ok(Date.parse(String(team.cycle_end)) - Date.now() < 32 * 86_400_000, 'a year is counted by the month');
    assert.equal(team.should_allow_storefront_payment, true);
    assert.equal((await owner.api.getMe()).is_payment_verified, true);
    const { results } = await owner.api.listTeamEvents({ params: { team_id: owner.teamId } });
    const changes = results.filter(({ event_type }) => event_type === 'billing.plan_changed');
    assert.deepEqual(
      changes.map(({ detail }) => detail),
      [{ from: 'free', to: 'starter', interval: 'year' }],
    );
    const billing = await billingOf(owner);
    assert.deepEqual(
      [billing.state, billing.price_cents, billing.provider, billing.limits.sites],
      ['active', 29_000, 'stripe', { used: 0, allowed: 10 }],
    );
    assert.equal(Date.parse(String(billing.renews_at)), (item?.current_period_end ?? 0) * 1000);
    await assert.rejects(checkoutFor(owner, 'business'), refused(409, 'billing.already_paid'));
  });

  test('a team that is bought is made when it is paid, once, with the name that was asked for', async () => {
    const owner = await registerPerson(app, 'Buyer');
    const body = { new_team_name: 'Bakery & Söhne', plan_name: 'micro', interval: 'month' } as const;
    const position = stripe.deliveries.length;
    const { url } = await owner.api.createCheckoutSession({ body });
    assert.equal((await owner.api.listTeams()).count, 1);
    await stripe.pay(url);
    const events = stripe.deliveries.slice(position);
    await Promise.all([...events, ...events, ...events.toReversed()].map((delivery) => deliver(app, delivery)));
    const checkoutId = new URL((await stripe.sessions())[0]?.success_url as string).searchParams.get('checkout');
    const params = { checkout_id: checkoutId as string };
    const [checkout] = await Promise.all([owner.api.syncCheckout({ params }), owner.api.syncCheckout({ params })]);
    assert.equal(checkout.status, 'paid');
    const teams = (await owner.api.listTeams()).results.filter(({ name }) => name === body.new_team_name);
    assert.deepEqual(
      teams.map(({ id, plan_type_name, role }) => [id, plan_type_name, role]),
      [[checkout.team_id, 'micro', 'owner']],
    );
  });

  test('where the provider can not reach us, coming back from it is enough', async () => {
    const owner = await registerPerson(app, 'Buyer');
    const { url } = await checkoutFor(owner, 'micro');
    const checkoutId = new URL((await stripe.sessions())[0]?.success_url as string).searchParams.get('checkout');
    const params = { checkout_id: checkoutId as string };
    assert.equal((await owner.api.syncCheckout({ params })).status, 'open');
    await stripe.pay(url);
    assert.deepEqual((await owner.api.syncCheckout({ params })).status, 'paid');
    assert.equal((await teamOf(owner)).plan_type_name, 'micro');
    const stranger = await registerPerson(app, 'Stranger');
    await assert.rejects(stranger.api.syncCheckout({ params }), refused(404, 'checkout.not_found'));
  });

  test('whoever comes back finds the team that another process has just made, before that is announced', async () => {
    const [owner, other] = [await registerPerson(app, 'Buyer'), await registerPerson(app, 'Other')];
    await checkoutFor(owner, 'micro');
    const teamIds = async () => (await owner.api.listTeams()).results.map(({ id }) => id);
    assert.deepEqual(await teamIds(), [owner.teamId]);
    await inTransaction(app.services.db, async (tx) => {
      await sql`alter table team_members disable trigger user`.execute(tx);
      await tx
        .insertInto('team_members')
        .values({ team_id: other.teamId, user_id: owner.userId, role: 'viewer' })
        .execute();
      await sql`alter table team_members enable trigger user`.execute(tx);
    });
    await owner.api.syncBilling();
    assert.deepEqual((await teamIds()).toSorted(), [owner.teamId, other.teamId].toSorted());
  });

  test('free makes a team at once, for whoever has no free team', async () => {
    const owner = await registerPerson(app, 'Thrifty');
    const body = { new_team_name: 'Second', plan_name: 'free' } as const;
    await assert.rejects(owner.api.createCheckoutSession({ body }), refused(402, 'billing.free_team_taken'));
    const paying = await ownerOn('micro');
    const answers = await Promise.allSettled([
      paying.api.createCheckoutSession({ body }),
      paying.api.createCheckoutSession({ body }),
    ]);
    const made = answers.filter((answer) => answer.status === 'fulfilled');
    assert.equal(made.length, 1, 'two at once make one');
    const teams = (await paying.api.listTeams()).results;
    const free = teams.filter(({ plan_type_name }) => plan_type_name === 'free');
    assert.deepEqual(
      free.map(({ id, name }) => [name, `${app.services.config.baseUrl}/teams/${id}`]),
      [['Second', made[0]?.value.url]],
    );
  });

  test('a new team without a plan is on the plan free, and an upgrade needs one', async () => {
    const paying = await ownerOn('micro');
    const { url } = await paying.api.createCheckoutSession({ body: { new_team_name: 'No plan named' } });
    const made = (await paying.api.listTeams()).results.find(({ name }) => name === 'No plan named');
    assert.deepEqual([made?.plan_type_name, url], ['free', `${app.services.config.baseUrl}/teams/${made?.id}`]);
    const owner = await registerPerson(app, 'Undecided');
    await assert.rejects(
      owner.api.createCheckoutSession({ body: { for_team_id: owner.teamId } }),
      (error: ApiError) => {
        assert.deepEqual([error.status, error.faults[0]?.loc], [422, ['body', 'plan_name']]);
        return true;
      },
    );
  });

  test('what makes no sense is told apart', async () => {
    const owner = await registerPerson(app, 'Confused');
    const upgrade = { for_team_id: owner.teamId };
    await assert.rejects(owner.api.createCheckoutSession({ body: { plan_name: 'micro' } }), refused(422));
    await assert.rejects(owner.api.createCheckoutSession({ body: { plan_name: 'free', ...upgrade } }), refused(422));
    const admin = await registerPerson(app, 'Admin');
    await letIn(owner, admin, 'admin');
    await assert.rejects(admin.api.createCheckoutSession({ body: { plan_name: 'micro', ...upgrade } }), refused(403));
  });

  test('however often one asks, there is one session that could be paid for a team', async () => {
    const owner = await registerPerson(app, 'Impatient');
    const ask = () => checkoutFor(owner, 'micro');
    const urls = await Promise.all([ask(), ask(), ask(), ask()]);
    assert.equal(new Set(urls.map(({ url }) => url)).size, 1);
    const { url: other } = await checkoutFor(owner, 'business');
    const open = (await stripe.sessions()).filter(
      ({ url, status }) => [urls[0]?.url, other].includes(url ?? '') && status === 'open',
    );
    assert.deepEqual(
      open.map(({ url }) => url),
      [other],
    );
    // The customer pays, nobody tells us, and they choose yet another plan.
    await stripe.pay(other);
    await assert.rejects(checkoutFor(owner, 'micro'), refused(409, 'billing.being_paid'));
    await eventually(async () => (await teamOf(owner)).plan_type_name === 'business');
  });

  test('several tabs that choose different plans at once can pay for one of them', async () => {
    const owner = await registerPerson(app, 'Undecided');
    const plans = ['micro', 'starter', 'business'] as const;
    const chosen = await Promise.allSettled([...plans, ...plans].map((plan) => checkoutFor(owner, plan)));
    const offered = chosen.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value.url : []));
    for (const answer of chosen) if (answer.status === 'rejected') refused(409, 'billing.being_paid')(answer.reason);
    offered.push((await checkoutFor(owner, 'micro')).url);
    for (const url of offered) await stripe.pay(url);
    await owner.api.syncBilling();
    const { sub_id } = await teamOf(owner);
    const subscriptions = await stripe.subscriptions();
    const { customer } = subscriptions.find(({ id }) => id === sub_id) as StripeSubscription;
    assert.equal(subscriptions.filter((each) => each.customer === customer).length, 1);
  });

  test('a provider that can not be reached costs nothing, and the next try finds what it had begun', async () => {
    const owner = await registerPerson(app, 'Unlucky');
    const isCheckout = (path: string) => path.startsWith('/v1/checkout/sessions');
    const before = (await stripe.sessions()).length;
    stripe.fault = ({ path }) => (isCheckout(path) ? 'cut after' : undefined);
    await assert.rejects(checkoutFor(owner, 'micro'), (error: Error) => {
      assert.ok(!error.message.includes(stripe.env.STRIPE_SECRET_KEY as string));
      return refused(502, 'billing.provider_failed')(error);
    });
    stripe.fault = undefined;
    const { url } = await checkoutFor(owner, 'micro');
    const sessions = await stripe.sessions();
    assert.equal(sessions.length, before + 1);
    assert.equal(sessions[0]?.url, url);
  });

  test('a session that stands for something else by now is ended before the new one is shown', async () => {
    const owner = await registerPerson(app, 'Patient');
    const { url: before } = await checkoutFor(owner, 'micro');
    // A platform with another address leads back elsewhere.
    const { services } = app;
    const moved = { ...services, config: { ...services.config, baseUrl: 'http://moved.example' } };
    const caller = await services.credentials.resolve(owner.token);
    const operation = services.operations.get('createCheckoutSession') as Operation;
    const body = { for_team_id: owner.teamId, plan_name: 'micro', interval: 'month' };
    const checkoutThere = async () => {
      const answer = await invoke(moved, operation, caller, { body, ip: '127.0.0.1' });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return (answer.body as { url: string }).url;
    };
    const now = await checkoutThere();
    assert.notEqual(now, before);
    const own = (await stripe.sessions()).filter(({ id }) => [before, now].some((url) => url.endsWith(id)));
    assert.deepEqual(
      own.map(({ status }) => status),
      ['open', 'expired'],
    );
    assert.equal(await checkoutThere(), now);
    // Both are there for a while: what was shown last can be paid, and nothing else can.
    const offered = [before, now, (await checkoutFor(owner, 'micro')).url, await checkoutThere()];
    const sessions = await stripe.sessions();
    assert.deepEqual(
      offered.map((url) => sessions.find(({ id }) => url.endsWith(id))?.status),
      ['expired', 'expired', 'expired', 'open'],
    );
  });

  test('a checkout that ended at the provider when we could not hear of it is not offered again', async () => {
    const owner = await registerPerson(app, 'Wavering');
    const { url: before } = await checkoutFor(owner, 'micro');
    stripe.fault = ({ path }) => (path.endsWith('/expire') ? 'cut after' : undefined);
    await assert.rejects(checkoutFor(owner, 'starter'), refused(502));
    stripe.fault = undefined;
    const { url } = await checkoutFor(owner, 'micro');
    assert.notEqual(url, before);
    await stripe.pay(url);
    await owner.api.syncBilling();
    assert.equal((await teamOf(owner)).plan_type_name, 'micro');
  });

  test('a checkout that is paid and not yet known to be is not offered again', async () => {
    const owner = await registerPerson(app, 'Hasty');
    await stripe.pay((await checkoutFor(owner, 'micro')).url);
    await assert.rejects(checkoutFor(owner, 'micro'), refused(409, 'billing.being_paid'));
    await eventually(async () => (await teamOf(owner)).plan_type_name === 'micro');
  });

  test('a first payment that fails after days gives nothing, and the team can be bought again', async () => {
    const owner = await registerPerson(app, 'Debited');
    await stripe.pay((await checkoutFor(owner, 'micro')).url);
    const [subscription] = await stripe.subscriptions();
    assert.ok(subscription);
    await stripe.save({ ...subscription, status: 'incomplete' } as StripeSubscription);
    await owner.api.syncBilling();
    await assert.rejects(checkoutFor(owner, 'starter'), refused(409, 'billing.being_paid'));
    await stripe.save({ ...subscription, status: 'incomplete_expired' } as StripeSubscription);
    await owner.api.syncBilling();
    assert.equal((await teamOf(owner)).plan_type_name, 'free');
    await stripe.pay((await checkoutFor(owner, 'starter')).url);
    await owner.api.syncBilling();
    assert.equal((await teamOf(owner)).plan_type_name, 'starter');
  });

  test('prices are made once and found again', async () => {
    const prices = await stripe.objects<{ id: string; object: string; lookup_key: string }>('price');
    const keys = prices.map(({ lookup_key }) => lookup_key);
    assert.equal(new Set(keys).size, keys.length);
    assert.equal(keys.length, 8);
  });
});

suite('the portal', () => {
  test('everybody has one customer, however many ask at once', async () => {
    const owner = await registerPerson(app, 'Crowd');
    await Promise.all(Array.from({ length: 8 }, () => owner.api.createPortalSession()));
    const customers = await stripe.objects<{ id: string; object: string; email: string }>('customer');
    assert.equal(customers.filter(({ email }) => email === owner.email).length, 1);
  });

  test('what is changed there is changed here: plan, interval, cancelling and taking that back', async () => {
    const owner = await ownerOn('micro');
    const { sub_id } = await teamOf(owner);
    const act = (action: Parameters<StripeServer['act']>[0]) => announced(() => stripe.act(action, sub_id as string));
    const becomes = (expected: Record<string, unknown>) =>
      eventually(async () => {
        const team = (await teamOf(owner)) as Record<string, unknown>;
        return Object.entries(expected).every(([name, value]) => team[name] === value) && team;
      });
    await act({ action: 'change_plan', priceKey: 'siteyard_business_year' });
    await becomes({ plan_type_name: 'business', interval: 'year', sub_id });
    await owner.api.setAdditionalSites({ params: { team_id: owner.teamId }, body: { additional_sites: 5 } });
    assert.deepEqual((await billingOf(owner)).limits.sites, { used: 0, allowed: 55 });
    assert.equal((await billingOf(owner)).price_cents, 99_000 + 5 * 3000);
    await act({ action: 'cancel' });
    const canceled = await becomes({ cancel_at_period_end: true });
    const billing = await billingOf(owner);
    assert.deepEqual([billing.state, billing.ends_at, billing.renews_at], ['canceled', canceled.cancel_at, null]);
    await act({ action: 'resume' });
    await becomes({ cancel_at_period_end: false, cancel_at: null });
    await act({ action: 'end_now' });
    await becomes({ plan_type_name: 'free', sub_id: null, interval: null, additional_sites: null, is_expired: false });
    await app.mailTo(owner.email, 'has ended');
    assert.equal((await billingOf(owner)).state, 'active');
  });
});

suite('a customer that was deleted at the provider', () => {
  const customersOf = async ({ userId }: Person) =>
    (await stripe.objects<Customer>('customer')).filter(({ metadata }) => metadata?.siteyard_user_id === userId);

  test('takes along what it paid for, whether the provider says so', async () => {
    const owner = await ownerOn('starter');
    await announced(() => stripe.deleteCustomer(owner.email));
    await eventually(async () => (await teamOf(owner)).plan_type_name === 'free');
  });

  test('or not, and the portal says what to do', async () => {
    const owner = await ownerOn('starter');
    await stripe.deleteCustomer(owner.email);
    await assert.rejects(owner.api.createPortalSession(), refused(409, 'billing.customer_deleted'));
    assert.deepEqual([(await teamOf(owner)).plan_type_name, (await teamOf(owner)).sub_id], ['free', null]);
    await assert.rejects(owner.api.createPortalSession(), refused(409, 'billing.customer_deleted'));
    await owner.api.syncBilling();
  });

  test('is followed by one new customer, however many buy at once, and by what that one buys', async () => {
    const owner = await ownerOn('business');
    await setTeam(owner, { storage_usage: 2_000_000_000 });
    await stripe.deleteCustomer(owner.email);
    const urls = await Promise.all(Array.from({ length: 4 }, () => checkoutFor(owner, 'micro')));
    assert.equal(new Set(urls.map(({ url }) => url)).size, 1);
    assert.equal((await customersOf(owner)).length, 1);
    // It is the new customer whose reading goes on with the grace of what the old one had.
    assert.equal((await billingOf(owner)).state, 'grace');
    await setTeam(owner, { unpaid_since: new Date(Date.now() - 14 * 86_400_000) });
    await app.services.jobs.enqueue(app.services.db, rereadPayments, {});
    await eventually(async () => (await teamOf(owner)).is_expired);

    await stripe.pay(urls[0]?.url as string);
    await owner.api.syncBilling();
    const { plan_type_name, is_expired } = await teamOf(owner);
    assert.deepEqual([plan_type_name, is_expired], ['micro', false]);
    assert.match((await owner.api.createPortalSession()).url, /portal/);
  });

  test('leaves no checkout behind that can not be paid, and may be deleted again', async () => {
    const owner = await registerPerson(app, 'Twice');
    const offered: string[] = [(await checkoutFor(owner, 'micro')).url];
    for (const _time of [1, 2]) {
      await stripe.deleteCustomer(owner.email);
      offered.push((await checkoutFor(owner, 'micro')).url);
    }
    assert.equal(new Set(offered).size, 3);
    for (const url of offered) await stripe.pay(url);
    await owner.api.syncBilling();
    assert.equal((await teamOf(owner)).plan_type_name, 'micro');
    const own = (await stripe.sessions()).filter(({ id }) => offered.some((url) => url.endsWith(id)));
    assert.deepEqual(
      own.map(({ status }) => status),
      ['complete', 'open', 'open'],
      'what was offered to a deleted customer stays unpaid',
    );
  });
});

test('more sites are bought and given back for a plan that is paid, and for no other', async () => {
  const owner = await ownerOn('micro', 'year');
  const params = { team_id: owner.teamId };
  const set = (additional_sites: number) => owner.api.setAdditionalSites({ params, body: { additional_sites } });
  const bought = await set(3);
  assert.deepEqual([bought.additional_sites, bought.price_cents, bought.limits.sites.allowed], [3, 18_000, 6]);
  const { sub_id } = await teamOf(owner);
  const atProvider = async () =>
    (await stripe.subscriptions())
      .find(({ id }) => id === sub_id)
      ?.items.data.map(({ price, quantity }) => [price.lookup_key, quantity]);
  const [plan, extra] = ['siteyard_micro_year', 'siteyard_additional_site_year'];
  assert.deepEqual(await atProvider(), [
    [plan, 1],
    [extra, 3],
  ]);
  await set(3);
  assert.equal((await set(1)).limits.sites.allowed, 4);
  await set(0);
  // However often one clicks.
  const clicks = await Promise.all([set(1), set(1), set(1)]);
  assert.deepEqual(
    clicks.map((click) => click.additional_sites),
    [1, 1, 1],
  );
  assert.deepEqual(await atProvider(), [
    [plan, 1],
    [extra, 1],
  ]);
  assert.equal((await set(0)).price_cents, 9000);
  assert.deepEqual(await atProvider(), [[plan, 1]]);
  await set(0);
  // It is done there, and we can not hear of it.
  stripe.done = ({ method, path }) => {
    if (method === 'POST' && path.startsWith('/v1/subscriptions/')) stripe.fault = () => 'refuse';
  };
  await assert.rejects(set(2), refused(502));
  stripe.done = stripe.fault = undefined;
  await app.services.jobs.enqueue(app.services.db, rereadPayments, {});
  await eventually(async () => (await teamOf(owner)).additional_sites === 2);
  const thrifty = await registerPerson(app, 'Thrifty');
  const asked = thrifty.api.setAdditionalSites({ params: { team_id: thrifty.teamId }, body: { additional_sites: 1 } });
  await assert.rejects(asked, refused(409, 'billing.not_paid'));
});

test('more sites for a plan that ended or changed at the provider without a word go by what is true there', async () => {
  const owner = await ownerOn('micro', 'month');
  const { sub_id } = await teamOf(owner);
  const set = (additional_sites: number) =>
    owner.api.setAdditionalSites({ params: { team_id: owner.teamId }, body: { additional_sites } });
  await stripe.act({ action: 'change_plan', priceKey: 'siteyard_micro_year' }, sub_id as string);
  assert.equal((await set(1)).price_cents, 9000 + 3000, 'a year of each');
  await stripe.act({ action: 'end_now' }, sub_id as string);
  await assert.rejects(set(2), refused(409, 'billing.not_paid'));
  assert.equal((await teamOf(owner)).plan_type_name, 'free');
});

test('what a team pays is what it bought for, whatever is offered now', async () => {
  const owner = await ownerOn('micro');
  const { sub_id } = await teamOf(owner);
  const post = async (path: string, form: Record<string, string>) => {
    const headers = { authorization: `Bearer ${stripe.env.STRIPE_SECRET_KEY}` };
    const body = new URLSearchParams(form);
    const answer = await fetch(`${stripe.env.STRIPE_API_URL}${path}`, { method: 'POST', headers, body });
    assert.equal(answer.status, 200);
    return ((await answer.json()) as { id: string }).id;
  };
  const oldPrice = (lookup_key: string, product: string, unit_amount: string) => {
    const terms = { unit_amount, currency: 'usd', 'recurring[interval]': 'month' };
    const isFor = product.replace('siteyard_', '');
    return post('/v1/prices', { ...terms, lookup_key, product, 'metadata[siteyard]': isFor });
  };
  await oldPrice('old_micro', 'siteyard_micro', '700');
  await stripe.act({ action: 'change_plan', priceKey: 'old_micro' }, sub_id as string);
  await owner.api.syncBilling();
  const before = await billingOf(owner);
  assert.deepEqual([before.price_cents, before.additional_site_cents], [700, 300], 'of what it has none it is offered');
  const price = await oldPrice('old_site', 'siteyard_additional_site', '200');
  await post(`/v1/subscriptions/${sub_id}`, { 'items[0][price]': price, 'items[0][quantity]': '2' });
  await owner.api.syncBilling();
  const bought = await billingOf(owner);
  assert.deepEqual([bought.price_cents, bought.additional_site_cents], [1100, 200]);
  const params = { team_id: owner.teamId };
  const more = await owner.api.setAdditionalSites({ params, body: { additional_sites: 3 } });
  assert.deepEqual([more.price_cents, more.additional_site_cents, more.additional_sites], [1300, 200, 3]);
  await stripe.act({ action: 'end_now' }, sub_id as string);
  await owner.api.syncBilling();
  assert.equal((await billingOf(owner)).price_cents, 0);
});

test('what is shown of a team is of one moment: its row is read once', async () => {
  const owner = await registerPerson(app, 'Reader');
  const asked: string[] = [];
  const counting: KyselyPlugin = {
    transformQuery({ node }) {
      if (node.kind === 'RawNode') asked.push(node.sqlFragments.join(' '));
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const shown = await getTeamBilling(app.services.db.withPlugin(counting), app.services, owner.teamId);
  assert.equal(shown.plan_name, 'free');
  assert.equal(asked.filter((query) => query.includes('from teams')).length, 1);
});

suite('what is not paid', () => {
  test('a failed payment is told, sleeps after fourteen days, and is forgotten once paid', async () => {
    const owner = await ownerOn('micro');
    const { sub_id } = await teamOf(owner);
    await announced(() => stripe.act({ action: 'fail_payment' }, sub_id as string));
    const billing = await eventually(async () => {
      const now = await billingOf(owner);
      return now.state === 'past_due' && now;
    });
    const graceMs = Date.parse(String(billing.expires_at)) - Date.parse(String(billing.unpaid_since));
    assert.equal(graceMs, 14 * 86_400_000);
    await app.mailTo(owner.email, 'failed');
    assert.deepEqual([(await teamOf(owner)).plan_type_name, (await teamOf(owner)).is_expired], ['micro', false]);

    await setTeam(owner, { unpaid_since: new Date(Date.now() - 14 * 86_400_000) });
    await app.services.jobs.enqueue(app.services.db, rereadPayments, {});
    await eventually(async () => (await teamOf(owner)).is_expired);
    assert.equal((await billingOf(owner)).state, 'expired');
    await app.mailTo(owner.email, 'sleep from now on');

    await announced(() => stripe.act({ action: 'pay' }, sub_id as string));
    await eventually(async () => !(await teamOf(owner)).is_expired);
    assert.deepEqual([(await billingOf(owner)).state, (await billingOf(owner)).unpaid_since], ['active', null]);
  });

  test('an ended plan leaves a grace to who has more than free allows, and nothing is deleted', async () => {
    const owner = await ownerOn('micro');
    const { sub_id } = await teamOf(owner);
    await setTeam(owner, { storage_usage: 2_000_000_000 });
    await stripe.act({ action: 'end_now' }, sub_id as string);
    await owner.api.syncBilling();
    const { state, plan_name } = await billingOf(owner);
    assert.deepEqual([state, plan_name], ['grace', 'free']);
    await setTeam(owner, { unpaid_since: new Date(Date.now() - 14 * 86_400_000) });
    await owner.api.syncBilling();
    assert.equal((await teamOf(owner)).is_expired, true);
    // Making room is as good as paying.
    await setTeam(owner, { storage_usage: 900_000_000 });
    await owner.api.syncBilling();
    assert.deepEqual([(await teamOf(owner)).is_expired, (await billingOf(owner)).state], [false, 'active']);
  });

  test('a team that ended can be bought again, and the new plan counts', async () => {
    const owner = await ownerOn('micro');
    const { sub_id } = await teamOf(owner);
    await stripe.act({ action: 'end_now' }, sub_id as string);
    await owner.api.syncBilling();
    const { url } = await checkoutFor(owner, 'business');
    await stripe.pay(url);
    await owner.api.syncBilling();
    const team = await teamOf(owner);
    assert.equal(team.plan_type_name, 'business');
    assert.notEqual(team.sub_id, sub_id);
  });

  test('a period that ends without a word is read again within the hour', async () => {
    const owner = await ownerOn('micro');
    const { sub_id } = await teamOf(owner);
    await stripe.act({ action: 'change_plan', priceKey: 'siteyard_starter_month' }, sub_id as string);
    await setTeam(owner, { period_end: new Date(Date.now() - 1000) });
    await app.services.jobs.enqueue(app.services.db, rereadPayments, {});
    await eventually(async () => (await teamOf(owner)).plan_type_name === 'starter');
  });

  test('a checkout that was paid and that nobody spoke of again is found within the hour', async () => {
    const owner = await registerPerson(app, 'Silent');
    const body = { new_team_name: 'Paid in silence', plan_name: 'micro' } as const;
    const { url } = await owner.api.createCheckoutSession({ body });
    await stripe.pay(url);
    await app.services.jobs.enqueue(app.services.db, rereadPayments, {});
    const bought = await eventually(async () =>
      (await owner.api.listTeams()).results.find(({ name }) => name === body.new_team_name),
    );
    assert.equal(bought.plan_type_name, 'micro');
  });

  test('what could not be read when the provider spoke of it is read within the hour', async () => {
    const owner = await ownerOn('micro');
    const { sub_id } = await teamOf(owner);
    stripe.fault = ({ path }) => (path.startsWith('/v1/subscriptions?') ? 'refuse' : undefined);
    await announced(() => stripe.act({ action: 'change_plan', priceKey: 'siteyard_starter_month' }, sub_id as string));
    // Its last retry has failed.
    const { customer_id } = await app.services.db
      .selectFrom('subscriptions')
      .select('customer_id')
      .where('id', '=', sub_id)
      .executeTakeFirstOrThrow();
    await eventually(async () => {
      const { rows } = await sql`
        select from jobs.job where singleton_key = ${customer_id} and state in ('created', 'active')`.execute(
        app.services.db,
      );
      return rows.length === 0;
    });
    await sql`delete from jobs.job where singleton_key = ${customer_id}`.execute(app.services.db);
    stripe.fault = undefined;
    assert.equal((await teamOf(owner)).plan_type_name, 'micro');
    await app.services.jobs.enqueue(app.services.db, rereadPayments, {});
    await eventually(async () => (await teamOf(owner)).plan_type_name === 'starter');
  });
});

suite('events of the provider', () => {
  const seconds = () => Math.floor(Date.now() / 1000);
  const asksFor = async (customerId: string) => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from jobs.job
      where singleton_key = ${customerId} and data->>'kind' = ${syncCustomerJob.name}`.execute(app.services.db);
    return rows[0]?.count;
  };

  test('what is not signed, changed on the way or old is refused and leaves nothing behind', async () => {
    const owner = await ownerOn('micro');
    const { sub_id } = await teamOf(owner);
    const position = stripe.deliveries.length;
    await stripe.act({ action: 'end_now' }, sub_id as string);
    const delivery = stripe.deliveries[position] as { body: string; signature: string };
    const { body } = delivery;
    const forged = [
      { body: body.replace(sub_id as string, 'sub_x'), signature: delivery.signature },
      { body, signature: signDelivery(body, seconds() - 301, WEBHOOK_SECRET) },
    ];
    const before = await app.services.db.selectFrom('payment_events').selectAll().execute();
    for (const each of forged) assert.equal(await deliver(app, each), 422);
    assert.equal((await app.services.db.selectFrom('payment_events').selectAll().execute()).length, before.length);
    assert.equal((await teamOf(owner)).plan_type_name, 'micro');
    assert.equal(await deliver(app, delivery), 200);
    await eventually(async () => (await teamOf(owner)).plan_type_name === 'free');
  });

  test('a replay is answered like the first and asks for nothing', async () => {
    const owner = await ownerOn('micro');
    const { sub_id } = await teamOf(owner);
    const position = stripe.deliveries.length;
    await stripe.act({ action: 'cancel' }, sub_id as string);
    const delivery = stripe.deliveries[position] as { body: string; signature: string };
    const { customer } = JSON.parse(delivery.body).data.object;
    assert.equal(await deliver(app, delivery), 200);
    await eventually(async () => (await teamOf(owner)).cancel_at_period_end);
    const asked = await asksFor(customer);
    // Also when the provider itself repeats it, with a new signature.
    for (const signature of [delivery.signature, signDelivery(delivery.body, seconds(), WEBHOOK_SECRET)])
      assert.equal(await deliver(app, { ...delivery, signature }), 200);
    assert.equal(await asksFor(customer), asked);
  });

  test('a reading that was overtaken by a later one changes nothing', async () => {
    const owner = await ownerOn('micro');
    const { sub_id } = await teamOf(owner);
    const isReading = (path: string) => path.startsWith('/v1/subscriptions?');
    const held = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    stripe.done = ({ path }) => {
      if (!isReading(path)) return;
      stripe.done = undefined;
      reached.resolve();
      return held.promise;
    };
    const early = owner.api.syncBilling();
    await reached.promise;
    await stripe.act({ action: 'change_plan', priceKey: 'siteyard_business_month' }, sub_id as string);
    await owner.api.syncBilling();
    assert.equal((await teamOf(owner)).plan_type_name, 'business');
    held.resolve();
    await early;
    assert.equal((await teamOf(owner)).plan_type_name, 'business');
  });

  test('what is about somebody else is taken and means nothing', async () => {
    const body = JSON.stringify({
      id: 'evt_elsewhere',
      object: 'event',
      type: 'customer.subscription.deleted',
      data: { object: { object: 'subscription', customer: 'cus_elsewhere' } },
    });
    assert.equal(await deliver(app, { body, signature: signDelivery(body, seconds(), WEBHOOK_SECRET) }), 200);
    assert.equal(await asksFor('cus_elsewhere'), 0);
  });
});

test('a platform without a provider sells nothing and says so', async () => {
  const services = { ...app.services, payments: undefined };
  const owner = await registerPerson(app, 'Early');
  const caller = await services.credentials.resolve(owner.token);
  for (const [id, body] of [
    ['createPortalSession', {}],
    ['syncBilling', {}],
    ['createCheckoutSession', { new_team_name: 'A', plan_name: 'micro' }],
  ] as const) {
    const operation = services.operations.get(id) as Operation;
    const answer = await invoke(services, operation, caller, { body, ip: '127.0.0.1' });
    assert.deepEqual([id, answer.status, (answer.body as { code: string }).code], [id, 503, 'billing.not_configured']);
  }
  const event = receivePaymentEvent(services.db, services, Buffer.from('{}'), '');
  await assert.rejects(event, { status: 503, code: 'billing.not_configured' });
});

test('what was bought with test money ends where real money is taken, and can be bought again', async () => {
  const trying = await startTestApp();
  try {
    const owner = await registerPerson(trying, 'Trier');
    const { url } = await checkoutFor(owner, 'business');
    await owner.api.endTestCheckout({ params: { session_id: url.split('/').at(-1) ?? '' }, body: { outcome: 'paid' } });
    await owner.api.syncBilling();
    assert.equal((await teamOf(owner)).plan_type_name, 'business');
    const earnest = await startTestApp({ databaseUrl: trying.databaseUrl, env: { ...stripe.env, ROLE: 'api' } });
    try {
      const job = { id: 'test', services: earnest.services, signal: AbortSignal.timeout(10_000) };
      await rereadPayments.run({}, { ...job, commit: () => assert.fail('there is nothing to commit') });
      assert.deepEqual([(await teamOf(owner)).plan_type_name, (await teamOf(owner)).sub_id], ['free', null]);
      const { api } = await signInAs(earnest, owner.email);
      await stripe.pay((await checkoutFor({ ...owner, api }, 'micro')).url);
      await api.syncBilling();
      assert.equal((await teamOf(owner)).plan_type_name, 'micro');
      await rereadPayments.run({}, { ...job, commit: () => assert.fail('there is nothing to commit') });
      assert.equal((await teamOf(owner)).plan_type_name, 'micro');
      // Back at the provider before, what it has does not replace what is paid elsewhere.
      await owner.api.syncBilling();
      assert.equal((await teamOf(owner)).plan_type_name, 'micro');
    } finally {
      await earnest.close();
    }
    // What was bought in Stripe's test mode was test money too.
    const live = { ...stripe.env, STRIPE_SECRET_KEY: 'sk_live_x', ROLE: 'api' };
    const inEarnest = await startTestApp({ databaseUrl: trying.databaseUrl, env: live });
    try {
      await endTestPlans(inEarnest.services);
      assert.deepEqual([(await teamOf(owner)).plan_type_name, (await teamOf(owner)).sub_id], ['free', null]);
    } finally {
      await inEarnest.close();
    }
  } finally {
    await trying.close();
  }
});

suite('what is billed', () => {
  test('the owner sees the card and the invoices that the provider has, and of other teams none', async () => {
    const owner = await ownerOn('micro');
    const billsOf = (person: Person) => person.api.getTeamBills({ params: { team_id: person.teamId } });
    const { card, invoices, is_yours } = await billsOf(owner);
    assert.deepEqual([card?.brand, card?.last4, is_yours], ['visa', '4242', true]);
    const shown = invoices.map(({ number, status, total_cents, currency }) => [number, status, total_cents, currency]);
    assert.deepEqual(shown, [['TEST-0001', 'paid', 900, 'usd']]);
    const free = await registerPerson(app, 'Free');
    assert.deepEqual(await billsOf(free), { card: null, invoices: [], is_yours: true });
    const admin = await registerPerson(app, 'Admin');
    await letIn(owner, admin, 'admin');
    await assert.rejects(admin.api.getTeamBills({ params: { team_id: owner.teamId } }), refused(403));
  });

  test("a plan of a team that is given away is not renewed, and what was paid is not the new owner's to see", async () => {
    const owner = await ownerOn('micro');
    const next = await registerPerson(app, 'Next');
    await letIn(owner, next, 'admin');
    const params = { team_id: owner.teamId };
    await owner.api.transferTeam({ params, body: { user_id: next.userId, password: PASSWORD } });
    await eventually(async () => (await billingOf(next, owner.teamId)).state === 'canceled');
    const bills = await next.api.getTeamBills({ params });
    assert.deepEqual(bills, { card: null, invoices: [], is_yours: false });
  });
});
