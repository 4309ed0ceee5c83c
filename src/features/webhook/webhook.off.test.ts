import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, suite, test } from 'node:test';
import { sql } from 'kysely';
import { letIn, type Person, registerPerson, signInAs } from '#testkit/app/people.ts';
import { OPERATOR, startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { createWebhooks, hookOf, typesOf, type Webhooks } from '#testkit/app/webhooks.ts';
import { eventually, refused } from '#testkit/expect.ts';

let app: TestApp;
let hooks: Webhooks;

before(async () => {
  app = await startTestApp({ env: { OUTBOUND_ALLOW: '127.0.0.0/8' } });
  hooks = createWebhooks(app);
});
after(async () => {
  await hooks?.close();
  await app?.close();
});

suite('an endpoint is switched off', () => {
  test('at once when it says that it is gone, with an event and a mail; what waits goes out when it is back', async () => {
    const { owner, receiver, hook } = await hooks.listening(['site.*']);
    receiver.answer = (response) => response.writeHead(500).end();
    await hooks.happens(owner, 'site.slept');
    const waiting = await hooks.attempted(hook, 1);
    receiver.answer = (response) => response.writeHead(410).end();
    await hooks.happens(owner, 'site.woke');
    const gone = await eventually(async () => (await hooks.deliveriesOf(hook)).find(({ state }) => state === 'failed'));
    assert.deepEqual([gone.event_type, gone.response_status], ['site.woke', 410]);
    const off = await owner.api.getWebhook({ params: hook.params });
    assert.deepEqual([off.is_active, off.disabled_reason], [false, 'gone']);
    assert.match(await app.mailTo(owner.email, 'is switched off'), /answered 410/);
    const events = (await owner.api.listTeamEvents({ params: { team_id: owner.teamId } })).results;
    assert.equal(events.filter(({ event_type }) => event_type === 'webhook.disabled').length, 1);

    const { length } = receiver.calls;
    await hooks.happens(owner, 'site.created');
    await hooks.pauseOver(hook);
    receiver.answer = (response) => response.end();
    const on = await owner.api.updateWebhook({ params: hook.params, body: { is_active: true } });
    assert.deepEqual([on.disabled_reason, on.failing_since], [null, null]);
    await hooks.happens(owner, 'site.updated');
    await eventually(async () => receiver.calls.length === length + 2);
    const ids = receiver.calls.slice(length).map(({ headers }) => headers['webhook-id']);
    assert.ok(ids.includes(waiting.id));
    assert.deepEqual(typesOf(receiver).slice(length).toSorted(), ['site.slept', 'site.updated']);
  });

  test('when it has failed for five days on end, and not a moment before', async () => {
    const { owner, receiver, hook } = await hooks.listening();
    receiver.answer = (response) => response.writeHead(502).end();
    await hooks.happens(owner);
    await hooks.attempted(hook, 1);
    const failingFor = (interval: string) =>
      sql`update webhooks set failing_since = now() - ${interval}::interval where id = ${hook.id}`.execute(
        app.services.db,
      );
    await failingFor('4 days 23 hours');
    await hooks.pauseOver(hook);
    await hooks.attempted(hook, 2);
    assert.equal((await owner.api.getWebhook({ params: hook.params })).is_active, true);
    await failingFor('5 days');
    await hooks.pauseOver(hook);
    await hooks.attempted(hook, 3);
    const off = await owner.api.getWebhook({ params: hook.params });
    assert.deepEqual([off.is_active, off.disabled_reason], [false, 'failing']);
    assert.match(await app.mailTo(owner.email, 'is switched off'), /for 5 days/);
  });

  test('and two that watch each other end there: each is told of once', async () => {
    const { owner, receiver, hook } = await hooks.listening(['webhook.disabled', 'site.updated']);
    const other = await hooks.hookFor(owner, receiver.url, ['webhook.disabled']);
    receiver.answer = (response) => response.writeHead(410).end();
    await hooks.happens(owner);
    await eventually(async () => {
      const hooks = (await owner.api.listWebhooks({ params: { team_id: owner.teamId } })).results;
      return hooks.every(({ is_active }) => !is_active);
    });
    await hooks.settled(hook);
    await hooks.settled(other);
    const disabled = await eventually(async () => {
      const { results } = await owner.api.listTeamEvents({ params: { team_id: owner.teamId } });
      const found = results.filter(({ event_type }) => event_type === 'webhook.disabled');
      return found.length >= 2 && found;
    });
    assert.deepEqual(disabled.map(({ item_id }) => item_id).toSorted(), [hook.id, other.id].toSorted());
    assert.deepEqual(typesOf(receiver), ['site.updated', 'webhook.disabled']);
  });

  test('when who set it up leaves, until somebody who manages the team takes it over', async () => {
    const owner = await registerPerson(app, 'Owner');
    const admin = await registerPerson(app, 'Admin');
    await letIn(owner, admin, 'admin');
    const receiver = await hooks.receive();
    const made = await admin.api.createWebhook({
      params: { team_id: owner.teamId },
      body: { url: receiver.url, event_types: ['site.*'] },
    });
    const hook = hookOf(owner, made);
    await owner.api.removeMember({ params: { team_id: owner.teamId, team_member_user_id: admin.userId } });
    const off = await owner.api.getWebhook({ params: hook.params });
    assert.deepEqual([off.is_active, off.disabled_reason], [false, 'person_left']);
    await hooks.happens(owner);
    assert.match(await app.mailTo(owner.email, 'is switched off'), /no longer manages the team/);
    const on = await owner.api.updateWebhook({ params: hook.params, body: { is_active: true } });
    assert.equal(on.user_id, owner.userId);
    await hooks.happens(owner, 'site.slept');
    await hooks.settled(hook);
    assert.deepEqual(typesOf(receiver), ['site.slept']);
  });
});

suite('nothing is sent', () => {
  test('while the team is suspended; what waited goes out when that is over', async () => {
    const { owner, receiver, hook } = await hooks.listening(['site.updated']);
    const operator = await signInAs(app, OPERATOR.email, OPERATOR.password);
    const suspend = (is_active: boolean) =>
      operator.api.suspendTeam({ params: { team_id: owner.teamId }, body: { is_active } });
    await suspend(false);
    await hooks.happens(owner);
    await assert.rejects(owner.api.testWebhook({ params: hook.params }), refused(409, 'team.suspended'));
    // Somebody else's turn comes and passes, so this one's did too.
    const other = await hooks.listening();
    await hooks.happens(other.owner);
    await hooks.settled(other.hook);
    assert.equal(receiver.calls.length, 0);
    await suspend(true);
    // Lifting it is an event that others hear of; the sender looks for what is due when it hears of any.
    await hooks.happens(other.owner);
    await hooks.settled(hook);
    assert.deepEqual(typesOf(receiver), ['site.updated']);
  });

  test('to a deleted endpoint, and to a new address what was meant for the old one is sent', async () => {
    const { owner, receiver, hook } = await hooks.listening();
    const next = await hooks.receive();
    receiver.answer = (response) => response.writeHead(500).end();
    await hooks.happens(owner);
    await hooks.attempted(hook, 1);
    await owner.api.updateWebhook({ params: hook.params, body: { url: next.url } });
    await hooks.pauseOver(hook);
    await eventually(async () => next.calls.length === 1);
    assert.equal(receiver.calls.length, 1);
    next.answer = (response) => response.writeHead(500).end();
    await hooks.happens(owner);
    await eventually(async () => next.calls.length === 2);
    await owner.api.deleteWebhook({ params: hook.params });
    await hooks.happens(owner);
    const other = await hooks.listening();
    await hooks.happens(other.owner);
    await hooks.settled(other.hook);
    assert.equal(next.calls.length, 2);
    const left = await sql`select from webhook_deliveries where webhook_id = ${hook.id}`.execute(app.services.db);
    assert.equal(left.rows.length, 0);
  });
});

suite('whoever is removed from the team while their request is under way', () => {
  async function adminOf(owner: Person): Promise<Person> {
    const admin = await registerPerson(app, 'Admin');
    await letIn(owner, admin, 'admin');
    return admin;
  }
  const remove = (owner: Person, { userId }: Person) =>
    owner.api.removeMember({ params: { team_id: owner.teamId, team_member_user_id: userId } });

  test('adds no webhook by sending the rest of it later', async () => {
    const owner = await registerPerson(app, 'Owner');
    const admin = await adminOf(owner);
    const { host, port } = new URL(app.url);
    const body = JSON.stringify({ url: 'https://elsewhere.example.com/' });
    const socket = connect(Number(port), '127.0.0.1');
    const answer = socket.toArray();
    const head = [
      `POST /f/api/v1/team/${owner.teamId}/webhook HTTP/1.1`,
      `Host: ${host}`,
      `Authorization: Bearer ${admin.token}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      // The service asks for the body, which means that it knows of the request.
      'Expect: 100-continue',
      'Connection: close',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    await eventually(async () => socket.bytesRead > 0);
    await new Promise((resolve) => setTimeout(resolve, 200));
    await remove(owner, admin);
    socket.write(body);
    assert.match(Buffer.concat(await answer).toString(), /HTTP\/1.1 404.*team\.not_found/s);
    assert.equal((await owner.api.listWebhooks({ params: { team_id: owner.teamId } })).count, 0);
  });

  test('learns nothing of a call that was made meanwhile', async () => {
    const { owner, receiver, hook } = await hooks.listening(['site.created']);
    const admin = await adminOf(owner);
    receiver.answer = async (response) => {
      await remove(owner, admin);
      response.end('thanks');
    };
    await assert.rejects(admin.api.testWebhook({ params: hook.params }), refused(404, 'team.not_found'));
    assert.deepEqual(await hooks.deliveriesOf(hook), []);
  });
});
