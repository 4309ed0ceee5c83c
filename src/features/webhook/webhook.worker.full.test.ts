import assert from 'node:assert/strict';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { inTransaction } from '#core/db/database.ts';
import { recordEvent } from '#core/events/events.ts';
import { type ServiceProcess, spawnService } from '#testkit/app/service-process.ts';
import { createTestDatabase, startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { createWebhooks, type Webhooks } from '#testkit/app/webhooks.ts';
import { eventually } from '#testkit/expect.ts';
import { freePort } from '#testkit/free-port.ts';

/** Workers that come, work side by side and are killed, beside an API that sends nothing itself. */
const env = { OUTBOUND_ALLOW: '127.0.0.0/8', SECRET_KEY: 'a key for tests that is long enough' };
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let api: TestApp;
let hooks: Webhooks;
const workers: ServiceProcess[] = [];

before(async () => {
  database = await createTestDatabase();
  api = await startTestApp({ databaseUrl: database.url, env: { ...env, ROLE: 'api' } });
  hooks = createWebhooks(api);
});
after(async () => {
  for (const worker of workers) worker.kill('SIGKILL');
  await Promise.all(workers.map(({ exited }) => exited));
  await hooks?.close();
  await api?.close();
  await database?.drop();
});

async function spawnWorker(): Promise<ServiceProcess> {
  const worker = spawnService({
    ...env,
    ROLE: 'worker',
    PORT: String(await freePort()),
    DATA_DIR: await mkdtemp(join(tmpdir(), 'siteyard-worker-')),
    DATABASE_URL: database.url,
    LOG_LEVEL: 'error',
  });
  workers.push(worker);
  await worker.ready;
  return worker;
}

test('a worker that is killed between a call and its note leaves it to another, who repeats it under the same id', async () => {
  const { owner, receiver, hook } = await hooks.listening();
  const { db } = api.services;
  receiver.answer = () => {};
  const first = await spawnWorker();
  await hooks.happens(owner);
  await eventually(async () => receiver.calls.length === 1);
  first.kill('SIGKILL');
  await first.exited;
  receiver.answer = (response) => response.end();
  const [taken] = await hooks.deliveriesOf(hook);
  assert.deepEqual([taken?.state, taken?.attempts], ['waiting', 1]);
  assert.ok(
    Date.parse(taken?.next_attempt_at as string) > Date.now() + 15_000,
    'it is held for as long as a call may take',
  );
  // As if the minute were over after which it is taken for dead.
  await sql`update webhook_deliveries set due_at = now() where webhook_id = ${hook.id}`.execute(db);
  await spawnWorker();
  await eventually(async () => (await hooks.deliveriesOf(hook))[0]?.state === 'delivered', 60_000);
  assert.deepEqual(
    receiver.calls.map(({ headers }) => headers['webhook-id']),
    [taken?.id, taken?.id],
  );
});

test('workers side by side make each call once', async () => {
  await spawnWorker();
  const { owner, receiver, hook } = await hooks.listening();
  await inTransaction(api.services.db, async (tx) => {
    const event = {
      scope: 'team',
      event_type: 'site.updated',
      activity: 'x',
      by: null,
      team_id: owner.teamId,
    } as const;
    for (let at = 0; at < 300; at++) await recordEvent(tx, event);
  });
  await eventually(async () => receiver.calls.length >= 300, 60_000);
  await hooks.settled(hook);
  const ids = receiver.calls.map(({ headers }) => headers['webhook-id']);
  assert.deepEqual([ids.length, new Set(ids).size], [300, 300]);
});

test('an attempt that was given up on writes nothing over what came after it', async () => {
  const { owner, receiver, hook } = await hooks.listening();
  let answerFirst = () => {};
  receiver.answer = (response) => {
    receiver.answer = (next) => next.end();
    answerFirst = () => response.writeHead(500).end();
  };
  await hooks.happens(owner);
  await eventually(async () => receiver.calls.length === 1);
  // Its minute is over, so somebody else takes it and is done before the first one says anything.
  await sql`update webhook_deliveries set due_at = now() where webhook_id = ${hook.id}`.execute(api.services.db);
  await sql`select pg_notify('webhook', '')`.execute(api.services.db);
  await eventually(async () => (await hooks.deliveriesOf(hook))[0]?.state === 'delivered');
  answerFirst();
  // The next call to the same endpoint is noted after the late one could have been.
  await hooks.happens(owner);
  await hooks.settled(hook);
  const states = (await hooks.deliveriesOf(hook)).map(({ state }) => state);
  assert.deepEqual(states, ['delivered', 'delivered']);
  assert.equal((await owner.api.getWebhook({ params: hook.params })).failing_since, null);
});
