import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import type { ApiError } from '#sdk';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { putOnPlan } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { refused } from '#testkit/expect.ts';
import { deleteOldSends } from './invite-send.sql.ts';

/** Two processes on one database, which count together. */
let app: TestApp;
let second: TestApp;
let ada: Person;
let bob: Person;
before(async () => {
  app = await startTestApp({ env: { RATE_LIMIT_FACTOR: '1' } });
  second = await startTestApp({ databaseUrl: app.databaseUrl, env: { RATE_LIMIT_FACTOR: '1', ROLE: 'api' } });
  [ada, bob] = [await registerPerson(app, 'Ada'), await registerPerson(second, 'Bob')];
});
after(async () => {
  await second?.close();
  await app?.close();
});

const someone = () => `${randomUUID()}@example.com`;
const invite = ({ api, teamId }: Person, target_email: string, more: { idempotencyKey?: string } = {}) =>
  api.createInvite({
    params: { team_id: teamId },
    body: { target_email, first_name: 'You', message: 'Buy!' },
    ...more,
  });
async function inviteAndWithdraw(person: Person, address: string): Promise<void> {
  const { id } = await invite(person, address);
  await person.api.deleteInvite({ params: { team_id: person.teamId, team_member_invite_id: id } });
}
const tooMany = refused(429, 'invite.too_many_sent');
const db = () => app.services.db;
const dayPasses = () => sql`update invite_sends set created_at = created_at - interval '1 day'`.execute(db());
const open = async ({ api, teamId }: Person) => (await api.listInvites({ params: { team_id: teamId } })).count;

test('one address gets five mails a day, whoever invites it and withdraws it again', async () => {
  const address = someone();
  const [name, host] = address.split('@');
  for (let sent = 0; sent < 2; sent++) await inviteAndWithdraw(ada, address);
  for (let sent = 0; sent < 2; sent++) await inviteAndWithdraw(bob, address.toUpperCase());
  // The same mailbox, by another spelling.
  await inviteAndWithdraw(bob, `${name}+shop@${host}`);
  for (const person of [ada, bob]) await assert.rejects(invite(person, address), tooMany);
  await assert.rejects(invite(ada, `${name}+again@${host}`), tooMany);
  assert.equal(await open(ada), 0);
  await inviteAndWithdraw(ada, someone());
});

test('an invite needs no first name', async () => {
  const params = { team_id: ada.teamId };
  for (const first_name of [undefined, null]) {
    const made = await ada.api.createInvite({ params, body: { target_email: someone(), first_name } as never });
    assert.equal(made.first_name, null);
    assert.match(await app.mailTo(made.target_email), /^Hello there,/m);
    await ada.api.deleteInvite({ params: { ...params, team_member_invite_id: made.id } });
  }
});

test('the refusal says when to try again, and from then on the same key serves', async () => {
  const address = someone();
  for (let sent = 0; sent < 5; sent++) await inviteAndWithdraw(ada, address);
  const idempotencyKey = randomUUID();
  const response = await fetch(`${app.api}/team/${ada.teamId}/invite`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${ada.token}`,
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey,
    },
    body: JSON.stringify({ target_email: address, first_name: 'You', message: 'Buy!' }),
  });
  assert.equal(response.status, 429);
  const seconds = Number(response.headers.get('retry-after'));
  assert.ok(seconds > 86_000 && seconds <= 86_400, String(seconds));
  await dayPasses();
  assert.equal((await invite(ada, address, { idempotencyKey })).target_email, address);
});

test('many at once, to several processes, are counted as many', async () => {
  const [name, host] = someone().split('@');
  const tries = await Promise.allSettled(
    Array.from({ length: 16 }, (_, at) => invite(at % 2 === 0 ? ada : bob, `${name}+${at}@${host}`)),
  );
  assert.equal(tries.filter(({ status }) => status === 'fulfilled').length, 5);
  for (const tried of tries) if (tried.status === 'rejected') tooMany(tried.reason);
});

test('a team sends twenty a day on the plan free and more on a larger one, counted after a restart too', async () => {
  await dayPasses();
  for (let sent = 0; sent < 20; sent++) await inviteAndWithdraw(ada, someone());
  await assert.rejects(invite(ada, someone()), tooMany);
  const restarted = await startTestApp({ databaseUrl: app.databaseUrl, env: { RATE_LIMIT_FACTOR: '1', ROLE: 'api' } });
  try {
    const headers = { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ target_email: someone(), first_name: 'You' });
    const response = await fetch(`${restarted.api}/team/${ada.teamId}/invite`, { method: 'POST', headers, body });
    assert.equal(response.status, 429);
  } finally {
    await restarted.close();
  }
  await putOnPlan(app, ada.teamId, 'micro');
  await invite(ada, someone());
});

test('a person sends two hundred a day, for all their teams together', async () => {
  await dayPasses();
  const row = { mailbox: someone(), team_id: randomUUID(), user_id: bob.userId };
  await db()
    .insertInto('invite_sends')
    .values(Array.from({ length: 199 }, () => row))
    .execute();
  await invite(bob, someone());
  await assert.rejects(invite(bob, someone()), tooMany);
});

test('an address with an account is answered like one without', async () => {
  await dayPasses();
  const known = bob.email;
  const unknown = someone();
  const shapeOf = (made: object) => Object.keys(made).sort();
  assert.deepEqual(shapeOf(await invite(ada, known)), shapeOf(await invite(ada, unknown)));
  const refusals: string[] = [];
  for (const address of [known, unknown]) {
    const row = { mailbox: address, team_id: randomUUID(), user_id: randomUUID() };
    await db()
      .insertInto('invite_sends')
      .values(Array.from({ length: 5 }, () => row))
      .execute();
    const [open] = (await ada.api.listInvites({ params: { team_id: ada.teamId } })).results.filter(
      ({ target_email }) => target_email === address,
    );
    await ada.api.deleteInvite({ params: { team_id: ada.teamId, team_member_invite_id: open?.id as string } });
    refusals.push(
      (await invite(ada, address).catch((error: ApiError) => `${error.status} ${error.message}`)) as string,
    );
  }
  assert.match(refusals[0] ?? '', /^429 /);
  assert.equal(refusals[0], refusals[1]);
});

test('the mail names the address of whoever invites, which is a confirmed one', async () => {
  await dayPasses();
  const address = someone();
  await invite(ada, address);
  assert.match(await app.mailTo(address), new RegExp(`Ada Tester \\(${ada.email}\\) invites you`));
});

test('what is older than a day is forgotten', async () => {
  await dayPasses();
  await deleteOldSends(db());
  assert.equal((await db().selectFrom('invite_sends').selectAll().execute()).length, 0);
});

test('the link in the mail confirms the address of whoever joins by it, and the one that is passed on does not', async () => {
  for (const [way, isVerified] of [
    ['mailed', true],
    ['passed on', false],
  ] as const) {
    const joining = await registerPerson(app, 'Joining', { verified: false });
    const { link } = await invite(ada, joining.email);
    const mailed = /\/invite\?token=\S+/.exec(await app.mailTo(joining.email, '/invite?token='))?.[0] as string;
    const token = new URL(way === 'mailed' ? mailed : link, app.url).searchParams.get('token') as string;
    await joining.api.acceptInvite({ body: { token } });
    assert.equal((await joining.api.getMe()).is_verified, isVerified, way);
  }
});
