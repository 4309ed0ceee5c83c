import assert from 'node:assert/strict';
import { after, before, beforeEach, mock, suite, test } from 'node:test';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { OPERATOR, startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { movableClock } from '#testkit/movable-clock.ts';
import { type Answer, request } from '../../../test/acceptance/world.ts';
import { countFailures } from './credential.ts';

/** Somebody guesses passwords, from as many addresses as they like, while people sign in. */
let app: TestApp;
const TRUST_PROXY = '127.0.0.1,::1';
before(async () => {
  app = await startTestApp({ env: { RATE_LIMIT_FACTOR: '1', TRUST_PROXY } });
});
after(() => app?.close());
// What is counted by the minute must not be forgotten because this machine is slow; each test has minutes of its own.
let clock: ReturnType<typeof movableClock>;
before(() => {
  clock = movableClock({ mock });
});
beforeEach(() => clock.tick(61_000));
after(() => mock.reset());

let nextAddress = 0;
/** An address that nobody has used yet. */
const freshAddress = () => `10.${(++nextAddress >> 16) & 255}.${(nextAddress >> 8) & 255}.${nextAddress & 255}`;
const PASSWORD = 'a long enough password';

interface Try {
  from?: string;
  cookie?: string | undefined;
  origin?: string;
}
function signIn(email: string, password: string, { from = freshAddress(), cookie, origin }: Try = {}): Promise<Answer> {
  const headers = { 'x-forwarded-for': from, ...(cookie && { cookie }), ...(origin && { origin }) };
  return request(app, 'POST', '/token', { headers, body: { username: email, password } });
}
const deviceOf = (answer: Answer) =>
  answer.headers
    .getSetCookie()
    .find((each) => /^(__Host-)?device=/.test(each))
    ?.split(';')[0];
const codes = (answers: Answer[]) => Map.groupBy(answers, ({ status, json }) => `${status} ${json.code}`);

/** Many tries, some at a time, so that the machine is not kept busy with connections alone. */
async function attack(email: string, addresses: string[], triesEach: number): Promise<Answer[]> {
  const tries = addresses.flatMap((from) => Array.from({ length: triesEach }, () => from)).values();
  const answers: Answer[] = [];
  const guess = async () => {
    for (const from of tries) answers.push(await signIn(email, `guess ${answers.length}`, { from }));
  };
  await Promise.all(Array.from({ length: 20 }, guess));
  return answers;
}

/** Uses up what all addresses together may try. */
const exhaust = (email: string) => attack(email, Array.from({ length: 120 }, freshAddress), 1);

suite('an attacker on other addresses', () => {
  test('with hundreds of tries keeps the operator out neither below the bound of the account nor beyond it', async () => {
    const { email, password } = OPERATOR;
    const known = deviceOf(await signIn(email, password));
    const few = await attack(email, Array.from({ length: 9 }, freshAddress), 30);
    assert.equal(codes(few).get('401 auth.bad_sign_in')?.length, 90, 'ten an address are tried');
    assert.equal((await signIn(email, password)).status, 200, 'from a fresh address');

    const many = await attack(email, Array.from({ length: 300 }, freshAddress), 1);
    assert.equal(codes(many).get('401 auth.bad_sign_in')?.length, 10, 'a hundred in all are tried');
    assert.equal(codes(many).get('429 auth.too_many_failures')?.length, 290);
    const unknown = await signIn(email, password);
    assert.deepEqual([unknown.status, unknown.json.code], [429, 'auth.too_many_failures']);
    assert.ok(Number(unknown.headers.get('retry-after')) > 0);
    assert.match(unknown.json.detail, /link that we mail to you/);
    assert.equal((await signIn(email, password, { cookie: known })).status, 200, 'from a known device');
  });

  test('is kept out of the way in which the mailed link lets its owner in, and that browser is known then', async () => {
    const { email } = await registerPerson(app, 'Locked');
    await exhaust(email);
    assert.equal((await signIn(email, PASSWORD)).status, 429);
    const headers = { 'x-forwarded-for': freshAddress() };
    await request(app, 'POST', '/password_reset', { headers, body: { email } });
    const token = /token=([\w-]+)/.exec(await app.mailTo(email, 'asked to set a new password'))?.[1];
    const body = { token, password: 'another long password' };
    const entered = await request(app, 'POST', '/password_reset', { headers, body });
    assert.equal(entered.status, 200, entered.text);
    const again = await signIn(email, 'another long password', { cookie: deviceOf(entered) });
    assert.equal(again.status, 200);
  });
});

suite('a known device', () => {
  let person: Person;
  let cookie: string;
  before(async () => {
    person = await registerPerson(app, 'Known');
    cookie = deviceOf(await signIn(person.email, PASSWORD)) as string;
  });

  test('keeps a cookie for its host alone, which is worth nothing by itself', async () => {
    const answer = await signIn(person.email, PASSWORD, { cookie });
    const set = answer.headers.getSetCookie().find((each) => each.startsWith('device=')) as string;
    assert.match(set, /^device=[\w-]{22}\.[\w-]{43}; Path=\/; Max-Age=34560000; HttpOnly; SameSite=Strict$/);
    assert.equal(set.split(';')[0], cookie, 'it stays the same device');
    assert.notEqual(deviceOf(await signIn(person.email, PASSWORD)), cookie, 'another one is another');
    assert.equal((await request(app, 'GET', '/me', { headers: { cookie } })).status, 401);
    assert.equal((await signIn(person.email, 'wrong', { cookie })).status, 401);
  });

  test('over https has one that no other host can set', async () => {
    const env = { RATE_LIMIT_FACTOR: '1', TRUST_PROXY, BASE_URL: 'https://platform.example' };
    const secure = await startTestApp({ env });
    try {
      const api = `http://127.0.0.1:${secure.services.config.port}/f/api/v1`;
      const body = { username: OPERATOR.email, password: OPERATOR.password };
      const set = (await request({ api }, 'POST', '/token', { body })).headers.getSetCookie();
      assert.match(String(set.find((each) => each.includes('device='))), /^__Host-device=[^;]+; Path=\/;.*; Secure$/);
    } finally {
      await secure.close();
    }
  });

  test('has ten tries of its own, whatever others do, and takes none of theirs', async () => {
    const { email } = await registerPerson(app, 'Own');
    const mine = deviceOf(await signIn(email, PASSWORD));
    const other = deviceOf(await signIn(email, PASSWORD));
    for (let tries = 0; tries < 10; tries++)
      assert.equal((await signIn(email, 'wrong', { cookie: mine })).status, 401, String(tries));
    assert.equal((await signIn(email, PASSWORD, { cookie: mine })).status, 429);
    assert.equal((await signIn(email, PASSWORD, { cookie: other })).status, 200);
    const guesses = await exhaust(email);
    assert.equal(codes(guesses).get('401 auth.bad_sign_in')?.length, 100);
  });

  test('is one by our signature for this account and its password, and by nothing else', async () => {
    const { email, api } = await registerPerson(app, 'Target');
    const other = await registerPerson(app, 'Other');
    const mine = deviceOf(await signIn(email, PASSWORD)) as string;
    const theirs = deviceOf(await signIn(other.email, PASSWORD)) as string;
    await exhaust(email);
    const [name, signature] = mine.slice('device='.length).split('.');
    for (const wrong of [
      theirs,
      `device=${name}`,
      `device=.${signature}`,
      `device=x${name}.${signature}`,
      `device=${name}.${signature?.slice(1)}`,
      `__Host-${mine}`,
      `${mine}; ${theirs}`,
      `${theirs}; ${mine}`,
    ])
      assert.equal((await signIn(email, PASSWORD, { cookie: wrong })).status, 429, wrong);
    // A page of another site can not spend its tries.
    const foreign = await signIn(email, PASSWORD, { cookie: mine, origin: 'https://evil.example' });
    assert.deepEqual([foreign.status, foreign.headers.get('set-cookie')], [429, null]);
    assert.equal((await signIn(email, PASSWORD, { cookie: mine })).status, 200);

    await api.updateMe({ body: { current_password: PASSWORD, new_password: 'another long password' } });
    assert.equal((await signIn(email, 'another long password', { cookie: mine })).status, 429, 'after a new password');
  });

  test('stays one where the password is changed with it', async () => {
    const { email } = await registerPerson(app, 'Changing');
    const entered = await signIn(email, PASSWORD);
    const changed = await request(app, 'PATCH', '/me', {
      token: entered.json.access_token,
      headers: { cookie: String(deviceOf(entered)) },
      body: { current_password: PASSWORD, new_password: 'another long password' },
    });
    await exhaust(email);
    assert.equal((await signIn(email, 'another long password', { cookie: deviceOf(changed) })).status, 200);
  });
});

test('an error of the whole form is described to OAuth clients without the name of a field', async () => {
  const body = Array.from({ length: 201 }, (_, field) => `f${field}=1`).join('&');
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const response = await fetch(`${app.api}/token`, { method: 'POST', headers, body });
  const { error, error_description } = (await response.json()) as Record<string, string>;
  assert.deepEqual([response.status, error], [422, 'invalid_request']);
  assert.match(error_description ?? '', /^Value error, the form has more than 200 fields/);
});

test('right passwords are never counted, from one address or many', async () => {
  const { email } = await registerPerson(app, 'Busy');
  const from = freshAddress();
  for (let tries = 0; tries < 9; tries++) await signIn(email, 'wrong', { from });
  for (let tries = 0; tries < 5; tries++) assert.equal((await signIn(email, PASSWORD, { from })).status, 200);
  assert.equal((await signIn(email, 'wrong', { from })).status, 401);
  assert.equal((await signIn(email, PASSWORD, { from })).status, 429);
});

test('a stolen session guesses the password ten times, from however many addresses, and keeps its owner from nothing', async () => {
  const { email, token } = await registerPerson(app, 'Robbed');
  const change = (session: string, current_password: string) =>
    request(app, 'PATCH', '/me', {
      token: session,
      headers: { 'x-forwarded-for': freshAddress() },
      body: { current_password, new_password: 'another long password' },
    });
  for (let tries = 0; tries < 10; tries++) assert.equal((await change(token, 'guess')).status, 422);
  for (let tries = 0; tries < 3; tries++) assert.equal((await change(token, PASSWORD)).status, 429);
  const own = await signIn(email, PASSWORD);
  assert.equal(own.status, 200);
  assert.equal((await change(own.json.access_token, PASSWORD)).status, 200);
});

test('an address without an account is counted and answered like one with', async () => {
  const { email } = await registerPerson(app, 'There');
  const shapes: unknown[] = [];
  for (const username of [email, 'nobody-at-all@example.com']) {
    const from = freshAddress();
    const answers: Answer[] = [];
    for (let tries = 0; tries < 12; tries++) answers.push(await signIn(username, 'wrong', { from }));
    shapes.push(answers.map(({ status, json }) => [status, json.code, json.detail]));
  }
  assert.deepEqual(shapes[0], shapes[1]);
});

test('a password that could not be checked is no wrong one', async () => {
  const counted = [['failedSignIn', 'somebody']] as const;
  const fail = () => countFailures(app.services, counted, () => Promise.reject(new Error('the database is gone')));
  for (let tries = 0; tries < 20; tries++) await assert.rejects(fail, /the database is gone/);
});
