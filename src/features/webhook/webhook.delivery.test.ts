import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { sql } from 'kysely';
import { inTransaction } from '#core/db/database.ts';
import { finishEvent, recordEvent, reportProgress } from '#core/events/events.ts';
import { registerPerson } from '#testkit/app/people.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { createWebhooks, typesOf, type Webhooks } from '#testkit/app/webhooks.ts';
import { eventually, refused } from '#testkit/expect.ts';

let app: TestApp;
let hooks: Webhooks;
let silent: Awaited<ReturnType<Webhooks['listening']>>;

before(async () => {
  app = await startTestApp({ env: { OUTBOUND_ALLOW: '127.0.0.0/8' } });
  hooks = createWebhooks(app);
  // It takes its fifteen seconds to be given up on; the last test looks what became of it.
  silent = await hooks.listening();
  silent.receiver.answer = () => {};
  await hooks.happens(silent.owner);
});
after(async () => {
  await hooks?.close();
  await app?.close();
});

suite('what is delivered', () => {
  test('each event comes once to whoever asked for it, and to nobody else', async () => {
    const { owner, receiver: all, hook } = await hooks.listening();
    const stranger = await hooks.listening();
    const [exact, family] = [await hooks.receive(), await hooks.receive()];
    const others = [
      await hooks.hookFor(owner, exact.url, ['team.updated', 'site.created']),
      await hooks.hookFor(owner, family.url, ['member.*']),
    ];
    await owner.api.updateTeam({ params: { team_id: owner.teamId }, body: { name: 'One' } });
    await owner.api.updateTeam({ params: { team_id: owner.teamId }, body: { name: 'Two' } });
    await hooks.happens(owner, 'site.created');
    await hooks.happens(owner, 'member.joined');
    for (const each of [hook, stranger.hook, ...others]) await hooks.settled(each);
    const ofTeam = ['member.joined', 'site.created', 'team.updated', 'team.updated'];
    // The first one is told of the two that came after it, and not of itself.
    assert.deepEqual(typesOf(all).toSorted(), [...ofTeam, 'webhook.created', 'webhook.created']);
    assert.deepEqual(typesOf(exact).toSorted(), ['site.created', 'team.updated', 'team.updated']);
    assert.deepEqual(typesOf(family), ['member.joined']);
    assert.deepEqual(stranger.receiver.calls, []);
    const ids = [all, exact, family].flatMap(({ calls }) => calls.map(({ headers }) => headers['webhook-id']));
    assert.equal(new Set(ids).size, ids.length);
  });

  test('a call is signed, and holds the event as the API answers it', async () => {
    const { owner, receiver, hook } = await hooks.listening();
    const eventId = await hooks.happens(owner, 'backup.failed');
    await hooks.settled(hook);
    const [call] = receiver.calls;
    assert.ok(call);
    const payload = receiver.verify(call, hook.secret);
    const { unread: _, ...event } = await owner.api.getEvent({ params: { event_id: eventId } });
    const { unread, ...data } = payload.data;
    assert.equal(unread, true);
    assert.deepEqual(data, JSON.parse(JSON.stringify(event)));
    assert.deepEqual([payload.type, payload.timestamp], ['backup.failed', event.finished_at]);
    assert.equal(call.headers['content-type'], 'application/json');
    assert.throws(() => receiver.verify({ ...call, body: call.body.replace('failed', 'passed') }, hook.secret));
    const [delivery] = await hooks.deliveriesOf(hook);
    assert.equal(delivery?.id, call.headers['webhook-id']);
    const detail = await hooks.detailOf(hook, delivery?.id as string);
    assert.deepEqual([detail.state, detail.response_status, detail.response_body], ['delivered', 200, 'thanks']);
    assert.deepEqual(detail.payload, payload);
  });

  test('work that takes time is told of twice, and its beginning does not show its end', async () => {
    const { owner, receiver, hook } = await hooks.listening(['restore.started']);
    const { db } = app.services;
    // One transaction, so that both deliveries are rendered long after the end.
    await inTransaction(db, async (tx) => {
      const event = { scope: 'site', event_type: 'restore.started', activity: 'A restore', by: null } as const;
      const id = await recordEvent(tx, { ...event, team_id: owner.teamId, unfinished: true, detail: { step: 1 } });
      await reportProgress(tx, id, { step: 2 });
      await finishEvent(tx, id, { step: 3 });
      await finishEvent(tx, id, { step: 4 });
    });
    await hooks.settled(hook);
    const told = receiver.calls.map((call) => receiver.verify(call, hook.secret).data);
    const states = told.map(({ detail, finished_at }) => [detail.step, finished_at !== null]);
    assert.deepEqual(states.toSorted(), [
      [1, false],
      [3, true],
    ]);
  });

  test('an event that is rolled back is told to nobody', async () => {
    const { owner, receiver, hook } = await hooks.listening();
    const rolledBack = inTransaction(app.services.db, async (tx) => {
      await recordEvent(tx, {
        scope: 'team',
        event_type: 'team.updated',
        activity: 'x',
        by: null,
        team_id: owner.teamId,
      });
      throw new Error('it failed');
    });
    await assert.rejects(rolledBack);
    await hooks.happens(owner);
    await hooks.settled(hook);
    assert.deepEqual(typesOf(receiver), ['site.updated']);
  });

  test('a long answer is as good as a short one, and its first kilobyte is kept', async () => {
    const { owner, receiver, hook } = await hooks.listening();
    receiver.answer = (response) => response.end(`\0${'x'.repeat(300_000)}`);
    await hooks.happens(owner);
    const delivery = await hooks.attempted(hook, 1);
    const { state, response_body } = await hooks.detailOf(hook, delivery.id);
    assert.deepEqual([state, response_body], ['delivered', `\uFFFD${'x'.repeat(1023)}`]);
  });
});

suite('what fails is tried again', () => {
  test('after an error, a redirect and a refused connection, under the same id', async () => {
    const { owner, receiver, hook } = await hooks.listening();
    const elsewhere = await hooks.receive();
    receiver.answer = (response) => response.writeHead(500).end('out of order');
    await hooks.happens(owner);
    const first = await hooks.attempted(hook, 1);
    assert.deepEqual([first.state, first.response_status], ['waiting', 500]);
    assert.equal((await hooks.detailOf(hook, first.id)).response_body, 'out of order');
    assert.ok((await owner.api.getWebhook({ params: hook.params })).failing_since);

    receiver.answer = (response) => response.writeHead(307, { location: elsewhere.url }).end();
    await hooks.pauseOver(hook);
    const second = await hooks.attempted(hook, 2);
    assert.match(second.error ?? '', /redirect/);
    assert.equal(elsewhere.connections, 0);

    await receiver.close();
    await hooks.pauseOver(hook);
    const third = await hooks.attempted(hook, 3);
    assert.deepEqual([third.response_status, third.error], [null, 'It refused the connection.']);

    const back = await hooks.receive(receiver.port);
    await hooks.pauseOver(hook);
    const last = await hooks.attempted(hook, 4);
    assert.equal(last.state, 'delivered');
    const ids = [...receiver.calls, ...back.calls].map(({ headers }) => headers['webhook-id']);
    assert.deepEqual(ids, [first.id, first.id, first.id]);
    back.verify(back.calls[0] as (typeof back.calls)[0], hook.secret);
    assert.equal((await owner.api.getWebhook({ params: hook.params })).failing_since, null);
  });

  test('ten times in three days with growing pauses, and then it has failed', async () => {
    const { owner, receiver, hook } = await hooks.listening();
    receiver.answer = (response) => response.writeHead(503).end();
    await hooks.happens(owner);
    const pauses = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
    for (const [at, seconds] of pauses.entries()) {
      const delivery = await hooks.attempted(hook, at + 1);
      const pause =
        (Date.parse(delivery.next_attempt_at as string) - Date.parse(delivery.attempted_at as string)) / 1000;
      assert.ok(pause >= seconds && pause <= seconds * 1.2 + 5, `${seconds}: ${pause}`);
      await hooks.pauseOver(hook);
    }
    const last = await hooks.attempted(hook, 10);
    assert.deepEqual([last.state, last.next_attempt_at], ['failed', null]);
    assert.equal(receiver.calls.length, 10);
  });

  test('what was delivered or failed is sent again when asked for, under its old id', async () => {
    const { owner, receiver, hook } = await hooks.listening();
    await hooks.happens(owner);
    const { id } = await hooks.attempted(hook, 1);
    const replayed = await owner.api.replayWebhookDelivery({ params: { ...hook.params, delivery_id: id } });
    assert.equal(replayed.state, 'waiting');
    await eventually(async () => receiver.calls.length === 2);
    assert.deepEqual(new Set(receiver.calls.map(({ headers }) => headers['webhook-id'])), new Set([id]));

    await hooks.attempted(hook, 1);
    await sql`update webhook_deliveries set state = 'failed' where id = ${id}`.execute(app.services.db);
    const since = new Date(Date.now() - 60_000).toISOString();
    const replay = (body: { since: string; state?: 'failed' | 'delivered' }) =>
      owner.api.replayWebhook({ params: hook.params, body });
    assert.deepEqual(await replay({ since: new Date(Date.now() + 60_000).toISOString() }), { count: 0 });
    assert.deepEqual(await replay({ since, state: 'delivered' }), { count: 0 });
    assert.deepEqual(await replay({ since }), { count: 1 });
    await eventually(async () => receiver.calls.length === 3);
    await owner.api.updateWebhook({ params: hook.params, body: { is_active: false } });
    await assert.rejects(replay({ since }), refused(409, 'webhook.off'));
    await assert.rejects(
      owner.api.replayWebhookDelivery({ params: { ...hook.params, delivery_id: id } }),
      refused(409, 'webhook.off'),
    );
  });
});

suite('many at once', () => {
  test('a thousand events for a slow endpoint and a fast one: the fast one waits for nobody', async () => {
    const { owner, receiver: slow, hook: slowHook } = await hooks.listening(['site.*']);
    const fast = await hooks.receive();
    const fastHook = await hooks.hookFor(owner, fast.url, ['site.*']);
    slow.answer = () => {};
    const startedAt = Date.now();
    await inTransaction(app.services.db, async (tx) => {
      const event = {
        scope: 'team',
        event_type: 'site.updated',
        activity: 'x',
        by: null,
        team_id: owner.teamId,
      } as const;
      for (let at = 0; at < 1000; at++) await recordEvent(tx, event);
    });
    // The slow one answers nothing at all until the fast one has everything.
    await eventually(async () => fast.calls.length === 1000, 60_000);
    await hooks.settled(fastHook);
    assert.equal(new Set(fast.calls.map(({ headers }) => headers['webhook-id'])).size, 1000);
    // A call is given up on after fifteen seconds, and then comes the next one.
    const rounds = Math.ceil((Date.now() - startedAt) / 15_000);
    assert.ok(slow.calls.length >= 1 && slow.calls.length <= 8 * rounds, `${slow.calls.length} calls to the slow one`);
    await owner.api.deleteWebhook({ params: slowHook.params });
  });

  test('endpoints come and go while events are written, and no event is lost to that', async () => {
    const owner = await registerPerson(app, 'Owner');
    const comeAndGo = async () => {
      for (let round = 0; round < 10; round++) {
        const hook = await hooks.hookFor(owner, 'http://127.0.0.1:1/', ['site.*']);
        await owner.api.deleteWebhook({ params: hook.params });
      }
    };
    const write = async () => {
      for (let at = 0; at < 50; at++) await hooks.happens(owner);
    };
    await Promise.all([comeAndGo(), comeAndGo(), write(), write()]);
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from events where team_id = ${owner.teamId} and event_type = 'site.updated'`.execute(
      app.services.db,
    );
    assert.equal(rows[0]?.count, 100);
  });

  test('a team has twenty webhooks at most, however many are asked for at once', async () => {
    const owner = await registerPerson(app, 'Owner');
    const asked = Array.from({ length: 22 }, () => hooks.hookFor(owner, 'https://hooks.example.com/', ['git.synced']));
    const answers = await Promise.allSettled(asked);
    const reasons = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
    assert.equal(reasons.length, 2);
    for (const reason of reasons) refused(409, 'webhook.too_many')(reason);
    assert.equal((await owner.api.listWebhooks({ params: { team_id: owner.teamId } })).count, 20);
  });
});

test('who does not answer within fifteen seconds has failed, and is called again under the same id', async () => {
  const { receiver, hook } = silent;
  const first = await eventually(async () => {
    const [delivery] = await hooks.deliveriesOf(hook);
    return delivery?.error ? delivery : undefined;
  });
  assert.deepEqual([first.error, first.response_status], ['It did not answer within 15 seconds.', null]);
  receiver.answer = (response) => response.end();
  // On a busy machine another call may have begun before the answer was there, and ends as the first one did.
  await eventually(async () => {
    await hooks.pauseOver(hook);
    return (await hooks.deliveriesOf(hook))[0]?.state === 'delivered';
  }, 60_000);
  const calls = receiver.calls.filter(({ headers }) => headers['webhook-id'] === first.id);
  assert.ok(calls.length >= 2, `${calls.length} calls`);
});
