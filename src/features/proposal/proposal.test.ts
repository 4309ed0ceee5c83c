import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import { narrowed } from '#core/auth/caller.ts';
import { inTransaction } from '#core/db/database.ts';
import { unavailable } from '#core/http/failures.ts';
import type { Operation } from '#core/http/operation.ts';
import { MASK, maskSecrets, maskText } from '#core/mask-secrets.ts';
import { type ApiError, createClient } from '#sdk';
import { letIn, type Person, registerPerson } from '#testkit/app/people.ts';
import { sharedApp } from '#testkit/app/shared-app.ts';
import { CMS, insertSite, putOnPlan } from '#testkit/app/sites.ts';
import type { TestApp } from '#testkit/app/test-app.ts';
import { eventually } from '#testkit/expect.ts';
import { cleanAnswer } from '../assistant/clean-answer.ts';
import { callProposed } from './proposal.jobs.ts';
import { type CallInput, propose } from './proposal.ts';

let app: TestApp;
let ada: Person;
before(async () => {
  app = await sharedApp();
  ada = await registerPerson(app, 'Ada');
  await putOnPlan(app, ada.teamId, 'business');
});

const code = (expected: string) => (error: ApiError) => {
  assert.equal(error.code, expected);
  return true;
};
const proposed = (by: Person, name: string, more = {}) =>
  by.api.createProposal({
    body: {
      operation: 'createSite',
      input: { team_id: ada.teamId, fqdn: `${name}.localhost`, ...CMS, ...more },
    },
  });
const confirmed = (by: Person, id: string) => by.api.confirmProposal({ params: { proposal_id: id }, wait: 30 });
const sitesOf = async (by: Person) => (await by.api.listSites()).results.map(({ fqdn }) => fqdn);

async function tokenOf(person: Person, scopes: ('read' | 'write' | 'plan')[]): Promise<Person> {
  const { token } = await person.api.createApiToken({ body: { name: 'robot', scopes } });
  return { ...person, token, api: createClient({ baseUrl: app.url, token }) };
}

test('a proposal changes nothing until its asker confirms it, and is then called once however many confirm at once', async () => {
  const proposal = await proposed(ada, 'once');
  assert.equal(proposal.state, 'open');
  assert.match(proposal.description, /Create a site.*once\.localhost/);
  assert.deepEqual(await sitesOf(ada), []);
  const answers = await Promise.allSettled(Array.from({ length: 5 }, () => confirmed(ada, proposal.id)));
  const done = answers.filter((answer) => answer.status === 'fulfilled').map(({ value }) => value);
  assert.equal(done.length, 1);
  assert.deepEqual([done[0]?.state, done[0]?.result?.status], ['confirmed', 200]);
  assert.ok(done[0]?.result?.operation_id);
  for (const answer of answers) if (answer.status === 'rejected') code('proposal.not_open')(answer.reason);
  assert.deepEqual(await sitesOf(ada), ['once.localhost']);
  await assert.rejects(ada.api.refuseProposal({ params: { proposal_id: proposal.id } }), code('proposal.not_open'));
});

test('only the asker confirms, not with the token that may only plan, not after an hour, and not what they refused', async () => {
  const bob = await registerPerson(app, 'Bob');
  await letIn(ada, bob, 'admin');
  const planner = await tokenOf(ada, ['plan']);
  const proposal = await proposed(planner, 'mine');
  await assert.rejects(confirmed(bob, proposal.id), code('proposal.not_found'));
  await assert.rejects(confirmed(planner, proposal.id), code('auth.insufficient_scope'));
  await sql`update proposals set expires_at = now() where id = ${proposal.id}`.execute(app.services.db);
  await assert.rejects(confirmed(ada, proposal.id), code('proposal.not_open'));
  assert.equal((await ada.api.getProposal({ params: { proposal_id: proposal.id } })).state, 'expired');

  const other = await proposed(planner, 'other');
  assert.equal((await ada.api.refuseProposal({ params: { proposal_id: other.id } })).state, 'refused');
  await assert.rejects(confirmed(ada, other.id), code('proposal.not_open'));
  const third = await proposed(planner, 'third');
  assert.equal((await confirmed(await tokenOf(ada, ['write']), third.id)).result?.status, 200);
  assert.deepEqual((await sitesOf(ada)).sort(), ['once.localhost', 'third.localhost']);
});

test('rights are asked again when it is confirmed, and a proposal reaches no other team than its own', async () => {
  const carl = await registerPerson(app, 'Carl');
  await letIn(ada, carl, 'member');
  const proposal = await proposed(carl, 'late');
  await sql`update team_members set role = 'viewer' where user_id = ${carl.userId} and team_id = ${ada.teamId}`.execute(
    app.services.db,
  );
  const failed = await confirmed(carl, proposal.id);
  assert.deepEqual([failed.state, failed.result?.status], ['failed', 403]);
  await assert.rejects(proposed(carl, 'later'), code('proposal.not_possible'));

  const caller = await app.services.credentials.resolve(carl.token);
  assert.ok(caller);
  const input = { body: { team_id: ada.teamId, fqdn: 'x.localhost', ...CMS } };
  const wish = { operation: 'createSite', input, source: 'mcp' as const, teamId: carl.teamId, ip: '127.0.0.1' };
  await assert.rejects(propose(app.services, caller, wish), code('proposal.not_possible'));
  assert.deepEqual([...narrowed(caller, { teamId: carl.teamId }).roles.keys()], [carl.teamId]);
});

test('a proposal of a team that its asker has left is shown to nobody, and a token of one team sees none of another', async () => {
  const dora = await registerPerson(app, 'Dora');
  await letIn(ada, dora, 'member');
  await proposed(dora, 'left');
  const ids = async (by: Person) => (await by.api.listProposals()).results.map(({ id }) => id);
  assert.equal((await ids(dora)).length, 1);
  const { token } = await dora.api.createApiToken({ body: { name: 'own', scopes: ['write'], team_id: dora.teamId } });
  assert.deepEqual(await ids({ ...dora, api: createClient({ baseUrl: app.url, token }) }), []);
  await sql`delete from team_members where user_id = ${dora.userId} and team_id = ${ada.teamId}`.execute(
    app.services.db,
  );
  // Who writes past the service is heard of a moment later.
  await eventually(async () => (await ids(dora)).length === 0);
});

test('a site can be proposed to move to another team of its asker, and moves', async () => {
  const fqdn = 'moves.localhost';
  await insertSite(app, ada, { fqdn });
  const zoe = await registerPerson(app, 'Zoe');
  await letIn(zoe, ada, 'admin');
  const input = { fqdn, team_id: zoe.teamId };
  const { id } = await ada.api.createProposal({ body: { operation: 'updateSite', input } });
  const { result } = await confirmed(ada, id);
  assert.equal(result?.status, 200, JSON.stringify(result));
  // The same after a kill: a second attempt finds the answer of the first.
  await sql`update proposals set result = null where id = ${id}`.execute(app.services.db);
  const { jobs, db } = app.services;
  await jobs.enqueue(db, callProposed, { proposalId: id, eventId: randomUUID(), ip: '127.0.0.1' });
  const again = await eventually(async () => (await ada.api.getProposal({ params: { proposal_id: id } })).result);
  assert.deepEqual(again, result);
});

test('its asker sees all that a program proposes, which is never too long for that and sets no password by the way', async () => {
  const fqdn = 'seen.localhost';
  await insertSite(app, ada, { fqdn });
  const caller = await app.services.credentials.resolve(ada.token);
  assert.ok(caller);
  const ask = (operation: string, input: CallInput) =>
    propose(app.services, caller, { operation, input, source: 'mcp', ip: '127.0.0.1' });
  const cmd = `${'true; '.repeat(200)} export token=$(rm -rf /)`;
  const made = await ask('runSiteCommand', { params: { fqdn }, body: { cmd } });
  const { input } = await ada.api.getProposal({ params: { proposal_id: made.id } });
  assert.deepEqual(input.body, { cmd });
  const listed = (await ada.api.listProposals()).results.find(({ id }) => id === made.id);
  assert.ok(listed && !('input' in listed) && !('preview' in listed));
  const change = { params: { fqdn }, body: { code_server_password: 'x'.repeat(20) } };
  await assert.rejects(ask('updateSite', change), code('proposal.not_possible'));
  await assert.rejects(proposed(ada, 'long', { cms_blog_name: 'x'.repeat(70_000) }), /64 kB/);
});

test('nobody has more than fifty open', async () => {
  const eve = await registerPerson(app, 'Eve');
  await letIn(ada, eve, 'member');
  const { id } = await proposed(eve, 'first');
  await sql`insert into proposals (user_id, operation, input_sealed, description, source, expires_at)
    select user_id, operation, input_sealed, description, source, expires_at from proposals, generate_series(1, 49) where id = ${id}`.execute(
    app.services.db,
  );
  await assert.rejects(proposed(eve, 'last'), /50 open proposals/);
  await eve.api.refuseProposal({ params: { proposal_id: id } });
  await proposed(eve, 'last');
});

test('what nobody may propose is refused with the reason', async () => {
  const ask = (operation: string, input = {}) => ada.api.createProposal({ body: { operation, input } });
  for (const operation of ['createApiToken', 'listSites', 'nothing', 'confirmProposal'])
    await assert.rejects(ask(operation), code('proposal.not_possible'));
  await assert.rejects(ask('deleteSite', { fqdn: 'missing.localhost' }), /no such site/i);
  await assert.rejects(ask('createSite', { team_id: ada.teamId }), /fqdn: Field required/);
});

test('killed while it calls, a proposal is called again with the same effect and ends', async () => {
  const { db, jobs } = app.services;
  const proposal = await proposed(ada, 'killed');
  const { id } = (await app.services.credentials.resolve(ada.token))?.credential ?? {};
  // What a kill after the call and before its end was written down leaves.
  const answer = await fetch(`${app.api}/site`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${ada.token}`,
      'content-type': 'application/json',
      'idempotency-key': proposal.id,
    },
    body: JSON.stringify({ team_id: ada.teamId, fqdn: 'killed.localhost', ...CMS }),
  });
  assert.equal(answer.status, 200);
  await sql`update proposals set state = 'confirmed', confirmed_with = ${id} where id = ${proposal.id}`.execute(db);
  const eventId = answer.headers.get('operation-id') as string;
  await jobs.enqueue(db, callProposed, { proposalId: proposal.id, eventId, ip: '127.0.0.1' });
  const ended = await eventually(async () => {
    const found = await ada.api.getProposal({ params: { proposal_id: proposal.id } });
    return found.result !== null && found;
  });
  assert.deepEqual([ended.state, ended.result?.status, ended.result?.operation_id], ['confirmed', 200, eventId]);
  assert.equal((await sitesOf(ada)).filter((fqdn) => fqdn === 'killed.localhost').length, 1);
});

test('a call that nobody refused is tried for as long as it takes, among those of its team; a list says only how it ended', async () => {
  const { db, operations } = app.services;
  const proposal = await proposed(ada, 'waits');
  await confirmed(ada, proposal.id);
  const { rows } = await sql`
    select name, group_id from jobs.job where data->'payload'->>'proposalId' = ${proposal.id}`.execute(db);
  assert.deepEqual(rows, [{ name: 'assistant', group_id: ada.teamId }]);
  const listed = async () => (await ada.api.listProposals()).results.find(({ id }) => id === proposal.id)?.result;
  assert.deepEqual(Object.keys((await listed()) ?? {}).sort(), ['detail', 'operation_id', 'status']);

  await sql`update proposals set result = null, id = ${randomUUID()} where id = ${proposal.id}`.execute(db);
  const { id = '' } = (await ada.api.listProposals()).results[0] ?? {};
  const run = (changed: object | undefined) => {
    const operation = { ...operations.get('createSite'), ...changed } as Operation;
    const services = { ...app.services, operations: new Map(changed ? [['createSite', operation]] : []) };
    const payload = { proposalId: id, eventId: randomUUID(), ip: '127.0.0.1' };
    return callProposed.run(payload, {
      id,
      services,
      signal: AbortSignal.abort(),
      commit: (effect) => inTransaction(db, effect),
    });
  };
  const prepare = async () => {
    throw unavailable();
  };
  await assert.rejects(run({ prepare }), { isNotYet: true });
  assert.equal((await ada.api.getProposal({ params: { proposal_id: id } })).result, null);
  await run(undefined);
  const { result } = await ada.api.getProposal({ params: { proposal_id: id } });
  assert.match(String(result?.detail), /does not know this call any more/);
});

test('what is secret in a proposal is sealed in the database and hidden in answers', async () => {
  const secret = 'correct-horse-battery';
  const { id, input, description } = await proposed(ada, 'secret', { cms_password: secret });
  assert.ok(!JSON.stringify({ input, description }).includes(secret));
  const { rows } = await sql`select row_to_json(p)::text as text from proposals p where id = ${id}`.execute(
    app.services.db,
  );
  assert.ok(!JSON.stringify(rows).includes(secret));
});

test('secrets are taken out by their names and by what they look like, and other words stay', () => {
  const texts = [
    `define( 'DB_PASSWORD', 'hunter2hunter2' );`,
    `'auth_key' => "hunter2hunter2"`,
    'https://ada:hunter2hunter2@git.example.com/x.git',
    'Authorization: Bearer hunter2hunter2',
    'password=hunter2hunter2&x=1',
    'sy_hunter2hunter2hunter2hunter2hunter2hunter2hunter',
    '-----BEGIN OPENSSH PRIVATE KEY-----\nhunter2hunter2\n-----END OPENSSH PRIVATE KEY-----',
    '$P$Bhunter2hunter2hunter2hunter2abcd',
    `define('LOGGED_IN_KEY', 'it\\'s hunter2'); define('NONCE_KEY',"hunter2 and no end`,
    `$db['pw'] = 'hunter2'`,
    'Authorization: Token hunter2hunter2',
    String.raw`{\"db_pass\":\"hunter2\"}`,
    'https://ada:at@hunter2@git.example.com/x.git',
    'SG.hunter2hunter2hunter2.hunter2hunter2',
    'https://blog.example.com/?autologin=hunter2',
    'aB3d aB3d hunt er2h unte r2aB',
  ];
  for (const text of texts) assert.doesNotMatch(maskSecrets({ text }).text, /hunter2|er2h/);
  const nested = {
    password: { new: 'hunter2' },
    passwords: [{ v: 'hunter2' }],
    ssh_key: 'hunter2',
    login_url: 'hunter2',
  };
  assert.ok(!JSON.stringify(maskSecrets(nested)).includes('hunter2'));
  const kept = {
    fqdn: 'blog.example.com',
    text: 'The token of the day: a password helps; see wp-login.php',
    password: '',
  };
  assert.equal(maskSecrets({ http_auth_password: 'x' }).http_auth_password, MASK);
  assert.deepEqual(maskSecrets(kept), kept);
});

test('looking for secrets takes no longer than the text is, whatever is in it', () => {
  const units = [
    'a',
    'a-',
    'a.',
    '-eyJ',
    'token ',
    '://a:',
    "password'",
    '-----BEGIN ',
    'abcd ',
    '[',
    '<',
    '![',
    '[a](',
  ];
  const begun = performance.now();
  for (const unit of units) cleanAnswer(maskText(unit.repeat(1_000_000 / unit.length)), app.url);
  assert.ok(performance.now() - begun < 20_000);
});
