import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { TestAction } from '#core/payments.ts';
import { type Delivery, signDelivery } from '#integrations/payments/built-in/events.ts';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { eventually } from '#testkit/expect.ts';
import { Random, SEED } from '#testkit/random.ts';
import { deliver, type StripeServer, startStripeServer, WEBHOOK_SECRET } from '#testkit/servers/stripe-server.ts';

/**
 * Events that come altered, late, again and out of order, all at once and while things go on changing at the provider.
 * DELIVERIES=1000 is the long form, SEED=n mixes it differently.
 */
const DELIVERIES = Number(process.env.DELIVERIES ?? 150);
const PEOPLE = 6;
const AT_ONCE = 12;
const PER_ROUND = 25;

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

const seconds = () => Math.floor(Date.now() / 1000);
const PLANS = ['micro', 'starter', 'business'];
const INTERVALS = ['month', 'year'];

test(`${DELIVERIES} deliveries, altered, late, replayed, out of order: no wrong plan, no team twice`, async () => {
  const random = new Random(SEED);
  const people = await Promise.all(Array.from({ length: PEOPLE }, () => registerPerson(app, 'Storm')));
  const names = new Set<string>();
  const buy = async (person: Person, more: { for_team_id: string } | { new_team_name: string }) => {
    const plan_name = random.pick(PLANS) as 'micro';
    const { url } = await person.api.createCheckoutSession({
      body: { plan_name, interval: random.pick(INTERVALS) as 'month', ...more },
    });
    await stripe.pay(url);
  };
  for (const person of people) {
    await buy(person, { for_team_id: person.teamId });
    const new_team_name = `Bought ${names.size}`;
    names.add(new_team_name);
    await buy(person, { new_team_name });
  }

  const setAdditionalSites = async () => {
    const { api } = random.pick(people);
    const { id } = random.pick((await api.listTeams()).results);
    await api
      .setAdditionalSites({ params: { team_id: id }, body: { additional_sites: random.below(5) } })
      // The team may not be known to be paid for yet, or its subscription ends in this moment.
      .catch((error) => assert.ok([409, 502].includes(error.status), String(error)));
  };

  const changeSomething = async () => {
    const { id, status } = random.pick(await stripe.subscriptions());
    if (status === 'canceled') return;
    if (random.fraction() < 0.1) return setAdditionalSites();
    const priceKey = `siteyard_${random.pick(PLANS)}_${random.pick(INTERVALS)}`;
    const actions: TestAction[] = [
      { action: 'change_plan', priceKey },
      { action: 'change_plan', priceKey },
      ...(['cancel', 'resume', 'fail_payment', 'pay', 'pay'] as const).map((action) => ({ action })),
    ];
    await stripe.act(random.fraction() < 0.03 ? { action: 'end_now' } : random.pick(actions), id);
  };

  /** What arrives: any event so far, however old, and sometimes not as it was sent. */
  const spoil = ({ body, signature }: Delivery): { delivery: Delivery; status: number } => {
    const now = seconds();
    const way = random.fraction();
    if (way < 0.1)
      return { delivery: { body: body.replace('"livemode":false', '"livemode":true'), signature }, status: 422 };
    if (way < 0.2) return { delivery: { body, signature: signDelivery(body, now, 'whsec_guessed') }, status: 422 };
    if (way < 0.3)
      return { delivery: { body, signature: signDelivery(body, now - 3600, WEBHOOK_SECRET) }, status: 422 };
    // The provider signs each attempt anew, so an old event may well be valid.
    if (way < 0.7) return { delivery: { body, signature: signDelivery(body, now, WEBHOOK_SECRET) }, status: 200 };
    return { delivery: { body, signature }, status: 200 };
  };

  // Answers overtake one another, so that readings end in another order than they began in.
  stripe.done = async ({ path }) => {
    if (path.startsWith('/v1/subscriptions?')) await sleep(random.fraction() < 0.2 ? 1500 : random.fraction() * 100);
  };

  const wrong: string[] = [];
  /** Owners who come back from the portal in the middle of it; some of them wait for long. */
  const readings: Promise<unknown>[] = [];
  let sent = 0;
  let refused = 0;
  const send = async (until: number) => {
    while (sent < until) {
      sent++;
      if (random.fraction() < 0.5) await changeSomething();
      const { delivery, status } = spoil(random.pick(stripe.deliveries));
      if (random.fraction() < 0.3) readings.push(random.pick(people).api.syncBilling());
      const answer = await deliver(app, delivery);
      if (answer === 422) refused++;
      if (answer !== status) wrong.push(`${answer} instead of ${status}`);
    }
  };
  /** The provider goes on until each event was taken, in whatever order. */
  let heard = 0;
  const deliverTheRest = async () => {
    const rest = random.shuffled(stripe.deliveries.slice(heard));
    heard = stripe.deliveries.length;
    const signed = rest.map(({ body }) => ({ body, signature: signDelivery(body, seconds(), WEBHOOK_SECRET) }));
    for (const answer of await Promise.all(signed.map((each) => deliver(app, each)))) assert.equal(answer, 200);
  };
  while (sent < DELIVERIES) {
    const until = Math.min(DELIVERIES, sent + PER_ROUND);
    await Promise.all(Array.from({ length: AT_ONCE }, () => send(until)));
    await deliverTheRest();
    await untilQuiet();
    await Promise.all(readings.splice(0));
    assert.deepEqual(await differences(), [], `after ${sent} deliveries, seed ${SEED}`);
  }
  assert.deepEqual(wrong, []);
  const { rows } = await sql<{ name: string; count: number }>`
    select name, count(*)::int as count from teams where name like 'Bought %' group by name`.execute(app.services.db);
  assert.deepEqual(new Map(rows.map(({ name, count }) => [name, count])), new Map([...names].map((name) => [name, 1])));
  console.log(
    `webhooks, seed ${SEED}: ${sent} deliveries mixed, ${refused} of them refused, ${heard} events, ${rows.length} teams made, 0 wrong`,
  );
});

async function untilQuiet(): Promise<void> {
  await eventually(async () => {
    const { rows } = await sql`
      select from jobs.job where data->>'kind' = 'billing.sync' and state in ('created', 'retry', 'active') limit 1`.execute(
      app.services.db,
    );
    return rows.length === 0;
  }, 60_000);
}

/** Every subscription at the provider against its team, compared by hand and not with the code that is tested. */
async function differences(): Promise<string[]> {
  const found: string[] = [];
  const teams = await app.services.db.selectFrom('teams').selectAll().execute();
  const links = await app.services.db.selectFrom('subscriptions').selectAll().execute();
  for (const subscription of await stripe.subscriptions()) {
    const link = links.find(({ id }) => id === subscription.id);
    const team = teams.find(({ id }) => id === link?.team_id);
    const plan = subscription.items.data.find(({ price }) => !price.lookup_key?.includes('additional'));
    const extra = subscription.items.data.find(({ price }) => price.lookup_key?.includes('additional'));
    const [, planName, interval] = plan?.price.lookup_key?.split('_') ?? [];
    const ended = subscription.status === 'canceled';
    const expected = {
      plan_type_name: ended ? 'free' : planName,
      interval: ended ? null : interval,
      sub_id: ended ? null : subscription.id,
      additional_sites: ended ? null : (extra?.quantity ?? null),
      cancel_at_period_end: !ended && subscription.cancel_at_period_end,
      owes: subscription.status === 'past_due',
      period_end: ended ? null : (plan?.current_period_end ?? 0) * 1000,
    };
    const actual = team && {
      plan_type_name: team.plan_type_name,
      interval: team.interval,
      sub_id: team.sub_id,
      additional_sites: team.additional_sites,
      cancel_at_period_end: team.cancel_at_period_end,
      owes: team.unpaid_since !== null,
      period_end: team.period_end?.getTime() ?? null,
    };
    if (JSON.stringify(actual) !== JSON.stringify(expected))
      found.push(`${subscription.id}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
  }
  return found;
}
