import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { eventually, refused } from '#testkit/expect.ts';

/** A platform as it starts with no settings at all: the built-in provider, which takes no money. */
let app: TestApp;
before(async () => {
  app = await startTestApp();
});
after(() => app?.close());

const lastPart = ({ url }: { url: string }) => url.split('/').at(-1) as string;
const billingOf = ({ api, teamId }: Person) => api.getTeamBilling({ params: { team_id: teamId } });

async function checkoutOf(owner: Person): Promise<string> {
  const body = { for_team_id: owner.teamId, plan_name: 'micro', interval: 'month' } as const;
  const answer = await owner.api.createCheckoutSession({ body });
  assert.ok(answer.url.startsWith(`${app.services.config.baseUrl}/test-checkout/cs_test_`));
  return lastPart(answer);
}

test('a checkout is declined, then paid, and the plan follows the event without anybody asking', async () => {
  const owner = await registerPerson(app, 'Tester');
  const params = { session_id: await checkoutOf(owner) };
  const shown = await owner.api.getTestCheckout({ params });
  assert.deepEqual(
    [shown.status, shown.plan_name, shown.interval, shown.amount_cents, shown.team_name],
    ['open', 'micro', 'month', 900, "Tester's team"],
  );
  assert.equal((await owner.api.endTestCheckout({ params, body: { outcome: 'declined' } })).status, 'open');
  assert.equal((await billingOf(owner)).plan_name, 'free');
  assert.equal((await owner.api.endTestCheckout({ params, body: { outcome: 'paid' } })).status, 'complete');
  const billing = await eventually(async () => {
    const now = await billingOf(owner);
    return now.plan_name === 'micro' && now;
  });
  assert.equal(billing.provider, 'test');
  // Paying again pays nothing.
  await owner.api.endTestCheckout({ params, body: { outcome: 'paid' } });
  const portal = { session_id: lastPart(await owner.api.createPortalSession()) };
  assert.equal((await owner.api.getTestPortal({ params: portal })).subscriptions.length, 1);
});

test('the portal does what a real one does, and the team follows', async () => {
  const owner = await registerPerson(app, 'Tester');
  await owner.api.endTestCheckout({ params: { session_id: await checkoutOf(owner) }, body: { outcome: 'paid' } });
  const params = { session_id: lastPart(await owner.api.createPortalSession()) };
  const subscription = (await owner.api.getTestPortal({ params })).subscriptions[0]?.id as string;
  const act = async (body: Omit<Parameters<typeof owner.api.actInTestPortal>[0]['body'], 'subscription'>) => {
    const portal = await owner.api.actInTestPortal({ params, body: { ...body, subscription } });
    await owner.api.syncBilling();
    return { shown: portal.subscriptions[0], billing: await billingOf(owner) };
  };
  const changed = await act({ action: 'change_plan', plan_name: 'business', interval: 'year' });
  assert.deepEqual(
    [changed.shown?.plan_name, changed.billing.plan_name, changed.billing.interval],
    ['business', 'business', 'year'],
  );
  const body = { additional_sites: 2 };
  const larger = await owner.api.setAdditionalSites({ params: { team_id: owner.teamId }, body });
  assert.equal(larger.price_cents, 105_000);
  // What is bought besides goes along to another interval.
  const monthly = await act({ action: 'change_plan', plan_name: 'micro', interval: 'month' });
  assert.deepEqual([monthly.shown?.amount_cents, monthly.billing.price_cents], [1500, 1500]);
  assert.equal((await act({ action: 'fail_payment' })).billing.state, 'past_due');
  assert.equal((await act({ action: 'pay' })).billing.state, 'active');
  assert.equal((await act({ action: 'cancel' })).billing.state, 'canceled');
  assert.equal((await act({ action: 'resume' })).billing.state, 'active');
  assert.equal((await act({ action: 'end_now' })).billing.plan_name, 'free');
  await assert.rejects(act({ action: 'resume' }), refused(409, 'test_portal.not_possible'));
  await assert.rejects(act({ action: 'change_plan' }), refused(422));
  // Stripe's own portal can not do this either.
  await assert.rejects(act({ action: 'set_additional_sites' as 'pay' }), refused(422));
});

test('a period that is over is followed by the next one', async () => {
  const owner = await registerPerson(app, 'Tester');
  await owner.api.endTestCheckout({ params: { session_id: await checkoutOf(owner) }, body: { outcome: 'paid' } });
  await owner.api.syncBilling();
  const { sub_id } = await owner.api.getTeam({ params: { team_id: owner.teamId } });
  const row = app.services.db.selectFrom('test_payment_objects').selectAll().where('id', '=', sub_id);
  const { data } = await row.executeTakeFirstOrThrow();
  const old = JSON.stringify(data).replaceAll(/"current_period_(start|end)":\d+/g, (match) =>
    match.replace(/\d+$/, (seconds) => String(Number(seconds) - 40 * 86_400)),
  );
  await app.services.db.updateTable('test_payment_objects').set({ data: old }).where('id', '=', sub_id).execute();
  await owner.api.syncBilling();
  const { renews_at, cycle_start, state } = await billingOf(owner);
  assert.ok(Date.parse(String(renews_at)) > Date.now() && Date.parse(String(cycle_start)) <= Date.now());
  assert.equal(state, 'active');
});

test("what is another person's can not be seen, and a subscription of theirs not touched", async () => {
  const [owner, stranger] = [await registerPerson(app, 'Owner'), await registerPerson(app, 'Stranger')];
  const session_id = await checkoutOf(owner);
  await assert.rejects(stranger.api.getTestCheckout({ params: { session_id } }), refused(404));
  await owner.api.endTestCheckout({ params: { session_id }, body: { outcome: 'paid' } });
  const [theirs, own] = await Promise.all(
    [owner, stranger].map(async ({ api }) => ({ session_id: lastPart(await api.createPortalSession()) })),
  );
  const { subscriptions } = await owner.api.getTestPortal({ params: theirs as { session_id: string } });
  const subscription = subscriptions[0]?.id as string;
  const body = { action: 'end_now', subscription } as const;
  await assert.rejects(stranger.api.actInTestPortal({ params: own as { session_id: string }, body }), refused(409));
  assert.deepEqual((await stranger.api.getTestPortal({ params: own as { session_id: string } })).subscriptions, []);
});

test('with another provider its pages are gone', async () => {
  const owner = await registerPerson(app, 'Owner');
  const session_id = await checkoutOf(owner);
  const other = await startTestApp({
    databaseUrl: app.databaseUrl,
    env: { STRIPE_SECRET_KEY: 'sk_live_x', STRIPE_WEBHOOK_SECRET: 'whsec_x', ROLE: 'api' },
  });
  try {
    const answer = await fetch(`${other.api}/test_checkout/${session_id}`, {
      headers: { authorization: `Bearer ${owner.token}` },
    });
    assert.equal(((await answer.json()) as { code: string }).code, 'test_checkout.not_found');
  } finally {
    await other.close();
  }
});
