import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Client, createClient } from '#sdk';
import { type ServiceProcess, spawnService } from '#testkit/app/service-process.ts';
import { createTestDatabase } from '#testkit/app/test-app.ts';
import { eventually } from '#testkit/expect.ts';
import { freePort } from '#testkit/free-port.ts';
import { deliver, type StripeServer, startStripeServer } from '#testkit/servers/stripe-server.ts';

const ACCOUNT = { email: 'ada@example.com', password: 'a long enough password', first_name: 'Ada', last_name: 'L' };

/** Killed in the moment when the provider has done its part and we have not yet written that down. */
test('a platform that dies between the provider and its database pays nothing twice and loses nothing that was paid', async () => {
  const [stripe, database] = await Promise.all([startStripeServer(), createTestDatabase()]);
  const dataDir = await mkdtemp(join(tmpdir(), 'siteyard-billing-kill-'));
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const env = {
    ...stripe.env,
    PORT: String(port),
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    SECRET_KEY: 'a key for tests that is long enough',
    RATE_LIMIT_FACTOR: '0',
    LOG_LEVEL: 'warn',
  };
  let service: ServiceProcess = spawnService(env);
  try {
    await service.ready;
    const anonymous = createClient({ baseUrl: url });
    await anonymous.register({ body: ACCOUNT });
    const { access_token: token } = await anonymous.signIn({
      body: { username: ACCOUNT.email, password: ACCOUNT.password },
    });
    const api = createClient({ baseUrl: url, token });
    const body = { new_team_name: 'Bakery', plan_name: 'starter', interval: 'month' } as const;

    const killAt = async (method: string, path: RegExp, work: () => Promise<unknown>) => {
      let killed = false;
      stripe.done = (request) => {
        if (killed || request.method !== method || !path.test(request.path)) return;
        killed = true;
        process.kill(service.pid, 'SIGKILL');
      };
      await work().catch(() => {});
      await service.exited;
      assert.ok(killed, `nothing asked for ${path}`);
      stripe.done = undefined;
      service = spawnService(env);
      await service.ready;
    };

    await killAt('POST', /^\/v1\/customers$/, () => api.createCheckoutSession({ body }));
    await killAt('POST', /^\/v1\/checkout\/sessions$/, () => api.createCheckoutSession({ body }));
    const checkout = await api.createCheckoutSession({ body });
    assert.equal((await stripe.objects('customer')).length, 1);
    assert.deepEqual(
      (await stripe.sessions()).map((session) => session.url),
      [checkout.url],
    );

    await stripe.pay(checkout.url);
    await killAt('GET', /^\/v1\/subscriptions\?/, () => deliverAll(stripe, url));
    const team = await eventually(() => boughtTeam(api, body.new_team_name), 60_000);
    assert.equal(team.plan_type_name, 'starter');

    const heard = stripe.deliveries.length;
    await stripe.act({ action: 'change_plan', priceKey: 'siteyard_business_year' }, team.sub_id as string);
    await killAt('GET', /^\/v1\/subscriptions\?/, () => deliverAll(stripe, url, heard));
    await eventually(async () => (await boughtTeam(api, body.new_team_name))?.plan_type_name === 'business', 60_000);
    await deliverAll(stripe, url);
    const teams = (await api.listTeams()).results.map(({ name, plan_type_name }) => [name, plan_type_name]);
    assert.deepEqual(teams.toSorted(), [
      ["Ada's team", 'free'],
      ['Bakery', 'business'],
    ]);

    // Somebody deletes the customer in Stripe's own dashboard, and it is killed while it makes another one.
    await stripe.deleteCustomer(ACCOUNT.email);
    const another = { ...body, new_team_name: 'Brewery' };
    await killAt('POST', /^\/v1\/customers$/, () => api.createCheckoutSession({ body: another }));
    await stripe.pay((await api.createCheckoutSession({ body: another })).url);
    await api.syncBilling();
    assert.equal((await stripe.objects('customer')).length, 2, 'the deleted one and one in its place');
    assert.equal((await boughtTeam(api, 'Bakery'))?.plan_type_name, 'free');
    assert.equal((await boughtTeam(api, 'Brewery'))?.plan_type_name, 'starter');
  } finally {
    service.kill('SIGKILL');
    await service.exited;
    await stripe.close();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  }
});

async function deliverAll(stripe: StripeServer, url: string, from = 0): Promise<void> {
  for (const delivery of stripe.deliveries.slice(from)) await deliver({ api: `${url}/f/api/v1` }, delivery);
}

async function boughtTeam(api: Client, wanted: string) {
  return (await api.listTeams()).results.find(({ name }) => name === wanted);
}
