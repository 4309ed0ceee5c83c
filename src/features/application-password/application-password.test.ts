import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { letIn, type Person, registerPerson } from '#testkit/app/people.ts';
import { sharedApp } from '#testkit/app/shared-app.ts';
import { newFqdn } from '#testkit/app/sites.ts';
import type { TestApp } from '#testkit/app/test-app.ts';
import { refused } from '#testkit/expect.ts';

let app: TestApp;
let owner: Person;
before(async () => {
  app = await sharedApp();
  owner = await registerPerson(app, 'Owner');
});

let number = 0;
const newHost = () => `blog${number++}.example.com`;
const store = (person: Person, fqdn: string, more: { team_id?: string; password?: string; username?: string } = {}) =>
  person.api.createApplicationPassword({
    body: { fqdn, username: 'ada', password: 'abcd efgh ijkl mnop', team_id: person.teamId, ...more },
  });

test('a password is stored, changed and deleted, each with an event, and shown only when it is deleted', async () => {
  const fqdn = newHost();
  assert.deepEqual(await store(owner, fqdn.toUpperCase()), { fqdn, username: 'ada' });
  const listed = await owner.api.listApplicationPasswords({ params: { team_id: owner.teamId } });
  assert.deepEqual(
    listed.results.map(({ fqdn: name, username, team_id, user_id }) => [name, username, team_id, user_id]),
    [[fqdn, 'ada', owner.teamId, owner.userId]],
  );
  assert.doesNotMatch(JSON.stringify(listed), /password|abcd/);

  const moved = `${fqdn}:8443`;
  const change = { fqdn: moved, username: 'bob', password: 'another one' };
  assert.deepEqual(await owner.api.updateApplicationPassword({ params: { fqdn }, body: change }), {
    fqdn: moved,
    username: 'bob',
  });
  await assert.rejects(
    owner.api.updateApplicationPassword({ params: { fqdn }, body: {} }),
    refused(404, 'application_password.not_found'),
  );
  assert.deepEqual(await owner.api.updateApplicationPassword({ params: { fqdn: moved }, body: {} }), {
    fqdn: moved,
    username: 'bob',
  });
  const deleted = await owner.api.deleteApplicationPassword({ params: { fqdn: moved } });
  assert.deepEqual(
    [deleted.fqdn, deleted.username, deleted.password, deleted.team_id, deleted.user_id],
    [moved, 'bob', 'another one', owner.teamId, owner.userId],
  );
  const events = await owner.api.listTeamEvents({ params: { team_id: owner.teamId }, query: { size: 3 } });
  assert.deepEqual(
    events.results.map(({ event_type, item_id }) => [event_type, item_id]),
    ['deleted', 'updated', 'created'].map((what) => [`application_password.${what}`, deleted.id]),
  );
  assert.doesNotMatch(JSON.stringify(events), /another one|abcd/);
});

test('a host is there once in a team, and twice in two', async () => {
  const other = await registerPerson(app, 'Other');
  const fqdn = newHost();
  await store(owner, fqdn);
  await store(other, fqdn);
  await assert.rejects(store(owner, fqdn), refused(409, 'application_password.exists'));
  const free = newHost();
  await store(owner, free);
  await assert.rejects(
    owner.api.updateApplicationPassword({ params: { fqdn: free }, body: { fqdn } }),
    refused(409, 'application_password.exists'),
  );
});

test('where several teams of the caller have one, those count in which they may, and team_id chooses', async () => {
  const [guest, second] = [await registerPerson(app, 'Guest'), await registerPerson(app, 'Second')];
  const fqdn = newHost();
  for (const person of [owner, second]) await store(person, fqdn, { username: person.email });
  await letIn(owner, guest, 'member');
  await letIn(second, guest, 'viewer');
  const change = (team_id?: string) =>
    guest.api.updateApplicationPassword({
      params: { fqdn },
      query: team_id ? { team_id } : {},
      body: { password: 'x' },
    });
  // A viewer's team is not in question.
  assert.equal((await change()).username, owner.email);
  await assert.rejects(change(second.teamId), refused(403));
  await assert.rejects(change(guest.teamId), refused(404, 'application_password.not_found'));
  await store(guest, fqdn, { username: guest.email });
  await assert.rejects(change(), refused(409, 'application_password.ambiguous'));
  assert.equal((await change(guest.teamId)).username, guest.email);
  await assert.rejects(
    guest.api.deleteApplicationPassword({ params: { fqdn } }),
    refused(409, 'application_password.ambiguous'),
  );
  const deleted = await guest.api.deleteApplicationPassword({ params: { fqdn }, query: { team_id: owner.teamId } });
  assert.equal(deleted.username, owner.email);
});

test('what is hosted here, the platform itself and what is no public host are refused, with the field', async () => {
  await assert.rejects(store(owner, newFqdn()), refused(409, 'application_password.hosted_here'));
  const { db } = app.services;
  const site = await db.selectFrom('regions').select('id').executeTakeFirstOrThrow();
  const fqdn = newHost();
  const sealed = app.services.secrets.seal(Buffer.from('x'));
  const row = await db
    .insertInto('sites')
    .values({
      team_id: (await registerPerson(app, 'Host')).teamId,
      user_id: owner.userId,
      fqdn,
      region_id: site.id,
      domain_option: 'custom',
      is_testing: false,
      ...app.services.config.newSites,
      http_auth_password_sealed: sealed,
      code_server_password_sealed: sealed,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await db.insertInto('site_names').values({ fqdn, site_id: row.id }).execute();
  await assert.rejects(store(owner, fqdn), refused(409, 'application_password.hosted_here'));
  await assert.rejects(store(owner, `${fqdn}:8443`), refused(409, 'application_password.hosted_here'));
  const elsewhere = newHost();
  await store(owner, elsewhere);
  await assert.rejects(
    owner.api.updateApplicationPassword({ params: { fqdn: elsewhere }, body: { fqdn } }),
    refused(409, 'application_password.hosted_here'),
  );
  const hosts = ['localhost', '127.0.0.1', '[::1]', 'a', 'https://blog.example.com', 'blog.example.com/path', 'a.b:0'];
  for (const host of [...hosts, 'a.b:99999', 'user@blog.example.com', '0x7f.1', 'blog.example.com:80:80'])
    await assert.rejects(store(owner, host), refused(422), host);
  for (const username of ['', 'a:b', 'a\nb']) await assert.rejects(store(owner, newHost(), { username }), refused(422));
  for (const password of ['', 'a\r\nb']) await assert.rejects(store(owner, newHost(), { password }), refused(422));
});

test('a team has room for two hundred, however many come at once', async () => {
  const person = await registerPerson(app, 'Many');
  const row = { team_id: person.teamId, user_id: person.userId, username: 'a', password_sealed: Buffer.alloc(1) };
  const rows = Array.from({ length: 198 }, (_, at) => ({ ...row, fqdn: `many${at}.example.com` }));
  await app.services.db.insertInto('application_passwords').values(rows).execute();
  const answers = await Promise.allSettled(Array.from({ length: 5 }, () => store(person, newHost())));
  assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 2);
  for (const answer of answers)
    if (answer.status === 'rejected') refused(409, 'application_password.too_many')(answer.reason);
});

test('what is stored can be read with the platform key alone', async () => {
  const fqdn = newHost();
  const password = 'unmistakable password';
  await store(owner, fqdn, { password });
  const row = await app.services.db
    .selectFrom('application_passwords')
    .selectAll()
    .where('fqdn', '=', fqdn)
    .executeTakeFirstOrThrow();
  assert.ok(!row.password_sealed.toString('latin1').includes(password));
  assert.equal(app.services.secrets.open(row.password_sealed).toString(), password);
});
