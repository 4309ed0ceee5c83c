import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { sql } from 'kysely';
import { registerPerson } from '#testkit/app/people.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { createWebhooks, type Hook, hookOf, type Webhooks } from '#testkit/app/webhooks.ts';
import { eventually, refused } from '#testkit/expect.ts';
import { forgetOldDeliveries } from './webhook.ts';

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

suite('the record', () => {
  test('is made, read, changed and deleted; what makes no sense is named field by field', async () => {
    const owner = await registerPerson(app, 'Owner');
    const params = { team_id: owner.teamId };
    const body = {
      url: ' HTTPS://Hooks.Example.com/a?b=1 ',
      description: ' For the shop ',
      event_types: ['site.*', 'site.*'] as const,
    };
    const { secret: _, ...made } = await owner.api.createWebhook({
      params,
      body: { ...body, event_types: [...body.event_types] },
    });
    assert.deepEqual(
      [made.url, made.description, made.event_types],
      ['https://hooks.example.com/a?b=1', 'For the shop', ['site.*']],
    );
    const one = { ...params, webhook_id: made.id };
    assert.deepEqual(await owner.api.getWebhook({ params: one }), made);
    const change = { description: '', event_types: [] };
    const changed = await owner.api.updateWebhook({ params: one, body: change });
    assert.deepEqual(changed, { ...made, ...change });
    assert.deepEqual((await owner.api.listWebhooks({ params })).results, [changed]);
    const wrong: [Record<string, unknown>, string][] = [
      [{ url: 'http://hooks.example.com/' }, 'url'],
      [{ url: 'http://8.8.8.8/' }, 'url'],
      [{ url: 'ftp://hooks.example.com/' }, 'url'],
      [{ url: 'https://user:word@hooks.example.com/' }, 'url'],
      [{ url: 'https://hooks.example.com/#a' }, 'url'],
      [{ event_types: ['site.painted'] }, 'event_types'],
      [{ event_types: ['paint.*'] }, 'event_types'],
      [{ event_types: ['*'] }, 'event_types'],
      [{ event_types: ['account.registered'] }, 'event_types'],
    ];
    for (const [fields, field] of wrong) {
      const faultThere = (error: unknown) => {
        refused(422)(error);
        assert.deepEqual((error as { faults: { loc: unknown[] }[] }).faults[0]?.loc.slice(0, 2), ['body', field]);
        return true;
      };
      await assert.rejects(owner.api.updateWebhook({ params: one, body: fields }), faultThere, JSON.stringify(fields));
      const whole = { url: 'https://hooks.example.com/', ...fields };
      await assert.rejects(owner.api.createWebhook({ params, body: whole }), faultThere, JSON.stringify(fields));
    }
    await owner.api.deleteWebhook({ params: one });
    await assert.rejects(owner.api.getWebhook({ params: one }), refused(404, 'webhook.not_found'));
  });

  test('of deliveries is listed by state, kept for thirty days and counted', async () => {
    const { owner, receiver, hook } = await hooks.listening();
    await hooks.happens(owner);
    await hooks.settled(hook);
    receiver.answer = (response) => response.writeHead(500).end();
    await hooks.happens(owner);
    await eventually(async () => (await hooks.deliveriesOf(hook))[0]?.error);
    const list = async (state: 'waiting' | 'delivered' | 'failed') =>
      (await owner.api.listWebhookDeliveries({ params: hook.params, query: { state } })).count;
    assert.deepEqual([await list('waiting'), await list('delivered'), await list('failed')], [1, 1, 0]);
    const headers = { authorization: `Bearer ${app.services.secrets.derive('metrics token')}` };
    const page = await (await fetch(`${app.url}/metrics`, { headers })).text();
    assert.ok(Number(/^siteyard_webhook_deliveries_waiting (\d+)$/m.exec(page)?.[1]) >= 1);
    assert.match(page, /^siteyard_webhook_deliveries_overdue_seconds \d/m);
    const older = (days: number) =>
      sql`update webhook_deliveries set created_at = now() - ${days} * interval '1 day' where webhook_id = ${hook.id}`.execute(
        app.services.db,
      );
    await older(29.9);
    await forgetOldDeliveries(app.services.db);
    assert.equal((await hooks.deliveriesOf(hook)).length, 2);
    await older(30.1);
    await forgetOldDeliveries(app.services.db);
    assert.equal((await hooks.deliveriesOf(hook)).length, 0);
  });
});

suite('secrets', () => {
  test('are rotated without a gap: for a day calls verify with the old one and the new one', async () => {
    const { owner, receiver, hook } = await hooks.listening(['site.updated']);
    const { secret } = await owner.api.rotateWebhookSecret({ params: hook.params, body: {} });
    const nextCall = async () => {
      const { length } = receiver.calls;
      await hooks.happens(owner);
      await eventually(async () => receiver.calls.length > length);
      return receiver.calls.at(-1) as (typeof receiver.calls)[0];
    };
    const between = await nextCall();
    assert.equal(between.headers['webhook-signature']?.split(' ').length, 2);
    receiver.verify(between, hook.secret);
    receiver.verify(between, secret);
    await sql`update webhook_secrets set expires_at = expires_at - interval '24 hours' where webhook_id = ${hook.id}`.execute(
      app.services.db,
    );
    const later = await nextCall();
    assert.throws(() => receiver.verify(later, hook.secret));
    receiver.verify(later, secret);
    const leaked = await owner.api.rotateWebhookSecret({ params: hook.params, body: { revoke_previous: true } });
    const last = await nextCall();
    assert.throws(() => receiver.verify(last, secret));
    receiver.verify(last, leaked.secret);
    for (let more = 0; more < 4; more++) await owner.api.rotateWebhookSecret({ params: hook.params, body: {} });
    await assert.rejects(
      owner.api.rotateWebhookSecret({ params: hook.params, body: {} }),
      refused(409, 'webhook.too_many_secrets'),
    );
    await forgetOldDeliveries(app.services.db);
    assert.equal((await countOf('webhook_secrets', hook)).good, 5);
  });

  test('are shown when they are made, and are nowhere to be read after', async () => {
    const owner = await registerPerson(app, 'Owner');
    const made = await owner.api.createWebhook({
      params: { team_id: owner.teamId },
      body: { url: 'https://hooks.example.com/planted-path-token?key=planted-query-token' },
      idempotencyKey: 'planted',
    });
    assert.match(made.secret, /^whsec_[\w+/]{43}=$/);
    const hook = hookOf(owner, made);
    assert.equal('secret' in (await owner.api.getWebhook({ params: hook.params })), false);
    const { secret } = await owner.api.rotateWebhookSecret({ params: hook.params, body: {} });
    await owner.api.deleteWebhook({ params: hook.params });
    const stored = await everyText();
    for (const planted of [made.secret, secret]) {
      const bytes = Buffer.from(planted.slice('whsec_'.length), 'base64');
      for (const form of [planted.slice('whsec_'.length), bytes.toString('hex'), Buffer.from(planted).toString('hex')])
        assert.ok(!stored.includes(form), 'a secret is in the database in plain');
    }
    assert.ok(!stored.includes('planted-path-token') && !stored.includes('planted-query-token'));
  });

  async function countOf(table: string, { id }: Hook): Promise<{ good: number }> {
    const { rows } = await sql<{ good: number }>`
      select count(*)::int as good from ${sql.id(table)} where webhook_id = ${id}`.execute(app.services.db);
    return rows[0] as { good: number };
  }

  /** The whole database as text. */
  async function everyText(): Promise<string> {
    const { db } = app.services;
    const tables = await sql<{ schema: string; name: string }>`
      select schemaname as schema, tablename as name from pg_tables where schemaname in ('public', 'jobs')`.execute(db);
    const texts = await Promise.all(
      tables.rows.map(({ schema, name }) =>
        sql<{ text: string | null }>`
        select string_agg(t::text, ';') as text from ${sql.id(schema, name)} t`.execute(db),
      ),
    );
    return texts.map(({ rows }) => rows[0]?.text ?? '').join('\n');
  }
});

suite('a test call', () => {
  test('is made at once and shows the answer, also to what is switched off', async () => {
    const { owner, receiver, hook } = await hooks.listening();
    receiver.answer = (response) => response.writeHead(418).end('I am a teapot');
    const failed = await owner.api.testWebhook({ params: hook.params });
    assert.deepEqual(
      [failed.state, failed.response_status, failed.response_body, failed.next_attempt_at],
      ['failed', 418, 'I am a teapot', null],
    );
    assert.equal((await owner.api.getWebhook({ params: hook.params })).failing_since, null);
    await owner.api.updateWebhook({ params: hook.params, body: { is_active: false } });
    receiver.answer = (response) => response.end();
    const delivered = await owner.api.testWebhook({ params: hook.params });
    assert.equal(delivered.state, 'delivered');
    const payload = receiver.verify(receiver.calls[1] as (typeof receiver.calls)[0], hook.secret);
    assert.deepEqual(delivered.payload, payload);
    assert.deepEqual([payload.type, payload.data.user_id], ['webhook.test', owner.userId]);
    assert.deepEqual(
      (await hooks.deliveriesOf(hook)).map(({ id }) => id),
      [delivered.id, failed.id],
    );
  });

  test('with a key is made once, however often it is asked for', async () => {
    const { owner, receiver, hook } = await hooks.listening();
    const ask = () => owner.api.testWebhook({ params: hook.params, idempotencyKey: 'once' });
    assert.deepEqual(await ask(), await ask());
    assert.equal(receiver.calls.length, 1);
  });
});
