import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { sql } from 'kysely';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { request } from '../../../test/acceptance/world.ts';

/** The sign-in of programs by a code (RFC 8628), through the real app with its real limits. */
let app: TestApp;
let ada: Person;
before(async () => {
  app = await startTestApp({ env: { RATE_LIMIT_FACTOR: '1', TRUST_PROXY: '127.0.0.1' } });
  ada = await registerPerson(app, 'Ada');
});
after(() => app.close());

let addresses = 0;
const post = (path: string, body: object, person?: Person) =>
  request(app, 'POST', `/device_sign_in${path}`, {
    body,
    headers: {
      'x-forwarded-for': `198.51.100.${++addresses % 250}`,
      ...(person && { authorization: `Bearer ${person.token}` }),
    },
  });
const begin = async () => (await post('', { client_name: 'siteyard on laptop' })).json;
const ask = (device_code: string) => post('/token', { device_code });
/** As if the program had waited as long as it was told to. */
const letTimePass = () => sql`update device_sign_ins set polled_at = null`.execute(app.services.db);

suite('a program that signs in by a code', () => {
  test('gets an API token of whoever confirmed it, with what they chose, once', async () => {
    const codes = await begin();
    assert.match(codes.user_code, /^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/);
    assert.equal(codes.verification_uri, `${app.url}/device`, 'the code is typed, and in no link');
    assert.equal('verification_uri_complete' in codes, false);
    const early = await ask(codes.device_code);
    assert.deepEqual([early.status, early.json.error], [400, 'authorization_pending']);

    const typed = codes.user_code.toLowerCase().replace('-', ' ');
    const seen = await post('/inspect', { user_code: typed }, ada);
    assert.equal(seen.json.client_name, 'siteyard on laptop');
    assert.match(seen.json.ip, /^198\.51\.100\./);
    assert.equal((await post('/confirm', { user_code: typed, scopes: ['read'] }, ada)).status, 200);
    assert.equal((await post('/confirm', { user_code: typed, scopes: ['write'] }, ada)).status, 404, 'once');

    await letTimePass();
    const answers = await Promise.all([ask(codes.device_code), ask(codes.device_code)]);
    const granted = answers.find(({ status }) => status === 200);
    assert.equal(granted?.json.scope, 'read');
    assert.equal(answers.filter(({ status }) => status === 200).length, 1, 'one of two who ask at once');
    const again = await ask(codes.device_code);
    assert.deepEqual([again.status, again.json.error], [400, 'invalid_grant']);

    const headers = { authorization: `Bearer ${granted?.json.access_token}` };
    const who = await request(app, 'GET', '/token/introspect', { headers });
    assert.deepEqual([who.json.kind, who.json.scopes, who.json.user_id], ['api_token', ['read'], ada.userId]);
    const { json: tokens } = await request(app, 'GET', '/api_token', { headers });
    assert.ok(tokens.results.some(({ name }: { name: string }) => name === 'siteyard on laptop'));
  });

  test('is told when it was refused, when it asks too often, and when its time is over', async () => {
    const codes = await begin();
    assert.equal((await post('/refuse', { user_code: codes.user_code }, ada)).status, 200);
    const refused = await ask(codes.device_code);
    assert.deepEqual(
      [refused.status, refused.json.error, refused.json.code],
      [400, 'access_denied', 'device_sign_in.refused'],
    );

    const hasty = await begin();
    await ask(hasty.device_code);
    assert.equal((await ask(hasty.device_code)).json.error, 'slow_down');
    await sql`update device_sign_ins set expires_at = now()`.execute(app.services.db);
    assert.equal((await ask(hasty.device_code)).json.error, 'expired_token');
    assert.equal((await post('/confirm', { user_code: hasty.user_code, scopes: ['read'] }, ada)).status, 404);
  });

  test('gets nothing when the session that confirmed it has ended meanwhile', async () => {
    const bob = await registerPerson(app, 'Bob');
    const codes = await begin();
    assert.equal((await post('/confirm', { user_code: codes.user_code, scopes: ['write'] }, bob)).status, 200);
    await request(app, 'POST', '/logout', { headers: { authorization: `Bearer ${bob.token}` } });
    assert.equal((await ask(codes.device_code)).json.error, 'invalid_grant');
  });

  test('has a name that can not pass for anything but a name', async () => {
    const named = async (client_name: string) => {
      const { json } = await post('', { client_name });
      return (await post('/inspect', { user_code: json.user_code }, ada)).json.client_name;
    };
    assert.equal(await named(' Siteyard” in?  Yes, “it\u200b is\u00ad '), "Siteyard' in? Yes, 'it is");
    assert.equal(await named('\u200b'), 'A program');
    for (const client_name of ['\x1b[2Jx', 'x\u202etxt', 'x\u2066y'])
      assert.equal((await post('', { client_name })).status, 422);
  });

  test('has codes that are kept as hashes, and that nobody can try many of', async () => {
    const codes = await begin();
    const { rows } = await sql`select * from device_sign_ins`.execute(app.services.db);
    const kept = JSON.stringify(rows, (_, value) => (Buffer.isBuffer(value) ? value.toString('latin1') : value));
    for (const code of [codes.device_code, codes.user_code, codes.user_code.replace('-', '')])
      assert.ok(!kept.includes(code));

    const eve = await registerPerson(app, 'Eve');
    const tries = await Promise.all(
      Array.from({ length: 15 }, () => post('/inspect', { user_code: 'BBBB-BBBB' }, eve)),
    );
    assert.equal(tries.filter(({ status }) => status === 404).length, 10);
    const right = await post('/inspect', { user_code: codes.user_code }, eve);
    assert.deepEqual([right.status, right.json.code], [429, 'device_sign_in.too_many_failures']);
    assert.ok(Number(right.headers.get('retry-after')) > 0);
    assert.equal((await post('/inspect', { user_code: codes.user_code }, ada)).status, 200, 'nobody else is kept out');

    // From an address that has had its tries, what is refused counts against nobody.
    const { limits } = app.services;
    const before = limits.peek('failedDeviceCode', ada.userId).remaining;
    while (!limits.take('failedDeviceCode', '203.0.113.9').exceeded);
    const headers = { 'x-forwarded-for': '203.0.113.9', authorization: `Bearer ${ada.token}` };
    const body = { user_code: codes.user_code };
    assert.equal((await request(app, 'POST', '/device_sign_in/inspect', { body, headers })).status, 429);
    assert.equal(limits.peek('failedDeviceCode', ada.userId).remaining, before);
  });
});
