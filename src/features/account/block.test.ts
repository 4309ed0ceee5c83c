import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createClient } from '#sdk';
import { type Person, registerPerson, signInAs } from '#testkit/app/people.ts';
import { sharedApp } from '#testkit/app/shared-app.ts';
import { OPERATOR, type TestApp } from '#testkit/app/test-app.ts';
import { eventually, refused } from '#testkit/expect.ts';

let app: TestApp;
let operator: Pick<Person, 'api'>;
before(async () => {
  app = await sharedApp();
  operator = await signInAs(app, OPERATOR.email, OPERATOR.password);
});

const anonymous = () => createClient({ baseUrl: app.url });
const block = (user_id: string, is_active = false) =>
  operator.api.blockUser({ params: { user_id }, body: { is_active } });

test('a blocked person is out at once, with every session and token, and stays out until let in again', async () => {
  const person = await registerPerson(app, 'Mallory');
  const { token } = await person.api.createApiToken({ body: { name: 'script', scopes: ['read'] } });
  const script = createClient({ baseUrl: app.url, token });
  await script.getMe();

  assert.equal((await block(person.userId)).is_active, false);
  await assert.rejects(person.api.getMe(), refused(401));
  await assert.rejects(script.getMe(), refused(401));
  await assert.rejects(signInAs(app, person.email), refused(403, 'account.blocked'));
  await assert.rejects(signInAs(app, person.email, 'a wrong password'), refused(401, 'auth.bad_sign_in'));

  assert.equal((await block(person.userId, true)).is_active, true);
  const again = await signInAs(app, person.email);
  await assert.rejects(script.getMe(), refused(401));
  const told = (await again.api.listEvents()).results.map(({ event_type }) => event_type);
  assert.deepEqual(told.slice(0, 2), ['account.unblocked', 'account.blocked']);
});

test('the links that a blocked person was mailed serve no more, and no new one is sent', async () => {
  const person = await registerPerson(app, 'Trudy', { verified: false });
  const tokenIn = (mail: string, path: string) => new RegExp(`${path}\\?token=([\\w-]+)`).exec(mail)?.[1] as string;
  const mail = await app.mailTo(person.email, '/verify');
  await block(person.userId);
  const invalid = refused(409, 'account.link_invalid');
  await assert.rejects(anonymous().verifyEmail({ body: { token: tokenIn(mail, '/verify') } }), invalid);
  const reset = { token: tokenIn(mail, '/reset'), password: 'a password of my own' };
  await assert.rejects(anonymous().resetPassword({ body: reset }), invalid);
  // It is answered as for every address, and the link of before works again for who is let in again.
  assert.deepEqual(await anonymous().resetPassword({ body: { email: person.email } }), {});
  await block(person.userId, true);
  await anonymous().resetPassword({ body: reset });
});

test('an operator finds people by a part of name or address, and can not block themself', async () => {
  const person = await registerPerson(app, 'Findable');
  const find = async (search: string) =>
    (await operator.api.listAllUsers({ query: { search } })).results.map(({ email }) => email);
  assert.deepEqual(await find(person.email.toUpperCase()), [person.email]);
  assert.ok((await find('findable tes')).includes(person.email));
  assert.deepEqual(await find('%'), []);
  const me = await operator.api.getMe();
  await assert.rejects(block(me.id), refused(409, 'account.own'));
  await operator.api.getMe();
});

test("a blocked person's team goes on", async () => {
  const owner = await registerPerson(app, 'Owner');
  await block(owner.userId);
  const teams = await eventually(async () => (await operator.api.listAllTeams({ query: { size: 100 } })).results);
  assert.equal(teams.find(({ id }) => id === owner.teamId)?.is_active, true);
});
