import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { inTransaction } from '#core/db/database.ts';
import { recordEvent } from '#core/events/events.ts';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { createWebhooks, type Webhooks } from '#testkit/app/webhooks.ts';
import { type DueDelivery, takeDueDeliveries } from './webhook-delivery.sql.ts';

/** What teams whose receivers all hang can do to the others. The test is the sender, so none of its calls ever ends. */
const AT_ONCE = 200;
const ENDPOINTS = 20;
let app: TestApp;
let hooks: Webhooks;
const taken: DueDelivery[] = [];

before(async () => {
  app = await startTestApp({ env: { ROLE: 'api' } });
  hooks = createWebhooks(app);
});
after(() => app?.close());

async function take(): Promise<DueDelivery[]> {
  const count = (of: (delivery: DueDelivery) => string) =>
    new Map(Object.entries(Object.groupBy(taken, of)).map(([id, calls]) => [id, calls?.length ?? 0]));
  const underWay = { toEndpoint: count(({ webhook_id }) => webhook_id), ofTeam: count(({ team_id }) => team_id) };
  const due = await takeDueDeliveries(app.services.db, { free: AT_ONCE - taken.length, ofEach: 4, underWay });
  taken.push(...due);
  return due;
}

/** A team with as many endpoints as it may have, and more to tell each of them than goes out at once. */
async function floodedTeam(): Promise<Person> {
  const owner = await registerPerson(app, 'Hog');
  const hookOne = () => hooks.hookFor(owner, 'https://hangs.example.com/', ['site.updated']);
  for (let at = 0; at < ENDPOINTS; at++) await hookOne();
  await inTransaction(app.services.db, async (tx) => {
    const event = { scope: 'team', event_type: 'site.updated', activity: 'x', by: null } as const;
    for (let at = 0; at < 5; at++) await recordEvent(tx, { ...event, team_id: owner.teamId });
  });
  return owner;
}

test('teams whose calls never end share what there is, and leave room for one that comes later', async () => {
  const quiet = await registerPerson(app, 'Quiet');
  await hooks.hookFor(quiet, 'https://quiet.example.com/', ['site.updated']);
  const hogs = [await floodedTeam()];
  while ((await take()).length > 0);
  assert.ok(taken.length >= 20 && taken.length <= AT_ONCE / 4, `one team alone has ${taken.length}`);

  for (let at = 0; at < 5; at++) hogs.push(await floodedTeam());
  while ((await take()).length > 0);
  const ofEach = hogs.map(({ teamId }) => taken.filter(({ team_id }) => team_id === teamId).length);
  assert.ok(
    ofEach.every((calls) => calls >= 10),
    `each has something: ${ofEach}`,
  );
  assert.ok(taken.length < AT_ONCE, `${taken.length} calls`);

  await hooks.happens(quiet);
  const [next, ...more] = await take();
  assert.deepEqual([next?.team_id, more], [quiet.teamId, []]);
});

test('of two teams that come at once, the one with many endpoints does not push the other aside', async () => {
  taken.length = 0;
  const big = await floodedTeam();
  const small = await registerPerson(app, 'Small');
  await hooks.hookFor(small, 'https://small.example.com/', ['site.updated']);
  await hooks.happens(small);
  const first = (await take()).map(({ team_id }) => team_id);
  assert.ok(first.includes(small.teamId) && first.includes(big.teamId), String(first.length));
});

test('what an endpoint has no use for goes to the others of its team', async () => {
  taken.length = 0;
  await app.services.db.deleteFrom('webhook_deliveries').execute();
  const owner = await registerPerson(app, 'Broad');
  for (let at = 0; at < ENDPOINTS; at++) await hooks.hookFor(owner, 'https://broad.example.com/', ['site.updated']);
  await hooks.happens(owner);
  while ((await take()).length > 0);
  assert.equal(new Set(taken.map(({ webhook_id }) => webhook_id)).size, ENDPOINTS);
});
