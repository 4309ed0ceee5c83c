import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { keepsAnswer } from '#core/http/operation.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { pause } from '#testkit/pause.ts';
import { ENDS_OWN_RIGHT, expectedStatuses } from './expected-policy.ts';
import { allOperations, allRows, operationOf, rows } from './operations.ts';
import { type Outside, startOutside } from './outside.ts';
import { makeRequest, sendRequest } from './requests.ts';
import { type Answer, createWorld, PASSWORD, type Person, request, type World } from './world.ts';

/** Rights that end and rights that are narrow, on two processes of the service that share a database. */
let outside: Outside;
let app: TestApp;
let second: TestApp;
let world: World;

before(async () => {
  outside = await startOutside();
  app = await startTestApp({ env: outside.env });
  second = await startTestApp({ databaseUrl: app.databaseUrl, env: { ...outside.env, ROLE: 'api' } });
  world = await createWorld(app);
});
after(async () => {
  await second?.close();
  await app?.close();
  await outside?.close();
});

suite('a right that is taken away is gone at once, on every process', () => {
  /** What is remembered of a credential is forgotten after five seconds in any case. */
  const SOON_MS = 4000;
  const bothAnswer = async (token: string, path: string, status: number) => {
    for (const each of [app, second]) {
      const answer = await request(each, 'GET', path, { token });
      assert.equal(answer.status, status, answer.text);
    }
  };
  /** The process that took the right away knows with its next request, the other one as soon as it hears of it. */
  const bothRefuse = async (token: string, path: string, status: number) => {
    const here = await request(app, 'GET', path, { token });
    assert.equal(here.status, status, here.text);
    const started = Date.now();
    let there = await request(second, 'GET', path, { token });
    while (there.status !== status && Date.now() - started < SOON_MS) {
      there = await request(second, 'GET', path, { token });
    }
    assert.equal(there.status, status, `the other process still answers ${there.status}`);
  };

  async function newMember(role: 'viewer' | 'member' | 'admin' = 'member') {
    const person = await world.user();
    await world.joins(world.home.teamId, person, role);
    return { person, token: await world.credential(person) };
  }

  test('a removed member', async () => {
    const { person, token } = await newMember('admin');
    const path = `/team/${world.home.teamId}`;
    const ticket = `/support/ticket/${await world.ticket(world.home.teamId, person)}`;
    await bothAnswer(token, path, 200);
    await bothAnswer(token, ticket, 200);
    const teamToken = await world.credential(person, { kind: 'api_token', teamId: world.home.teamId });
    await bothAnswer(teamToken, path, 200);
    const removal = await request(app, 'DELETE', `${path}/member/${person.id}`, { token: world.token('owner') });
    assert.equal(removal.status, 200, removal.text);
    await bothRefuse(token, path, 404);
    await bothRefuse(token, ticket, 404);
    // A token for that team alone has nothing left to open.
    await bothRefuse(teamToken, path, 401);
    const events = await request(app, 'GET', '/event', { token });
    assert.equal(events.json.results.filter((event: { scope: string }) => event.scope === 'team').length, 0);
    assert.deepEqual((await request(app, 'GET', '/support/ticket', { token })).json, {});
  });

  const revocations: Record<string, (person: Person, token: string) => Promise<Answer | unknown>> = {
    'signing out': (_person, token) => request(app, 'POST', '/logout', { token }),
    'a new password': async (person) =>
      request(app, 'PATCH', '/me', {
        token: await world.credential(person),
        body: { current_password: PASSWORD, new_password: 'another password' },
      }),
    'a password reset': async (person) =>
      request(app, 'POST', '/password_reset', {
        body: { token: await world.mailedLink(person, 'password_reset'), password: 'another password' },
      }),
    'verifying the address': async (person) =>
      request(app, 'POST', '/verify_email', { body: { token: await world.mailedLink(person, 'verify_email') } }),
  };
  for (const [name, revoke] of Object.entries(revocations)) {
    test(`the credential after ${name}`, async () => {
      const { person, token } = await newMember();
      await bothAnswer(token, '/me', 200);
      const answer = (await revoke(person, token)) as Answer;
      assert.equal(answer.status, 200, answer.text);
      await bothRefuse(token, '/me', 401);
    });
  }

  test('a deleted API token, and no other', async () => {
    const { token: session } = await newMember();
    const body = { name: 'ci', scopes: ['read'] };
    const [kept, gone] = [
      (await request(app, 'POST', '/api_token', { token: session, body })).json,
      (await request(app, 'POST', '/api_token', { token: session, body })).json,
    ];
    await bothAnswer(gone.token, '/me', 200);
    await request(app, 'DELETE', `/api_token/${gone.id}`, { token: session });
    await bothRefuse(gone.token, '/me', 401);
    await bothAnswer(kept.token, '/me', 200);
    await bothAnswer(session, '/me', 200);
  });

  test('the credentials of a user who was deactivated', async () => {
    const { person, token } = await newMember();
    await bothAnswer(token, '/me', 200);
    await app.services.db.updateTable('users').set({ is_active: false }).where('id', '=', person.id).execute();
    await eventually(async () => (await request(app, 'GET', '/me', { token })).status === 401, SOON_MS);
    await bothRefuse(token, '/me', 401);
    const signIn = await request(app, 'POST', '/token', { body: { username: person.email, password: PASSWORD } });
    assert.deepEqual([signIn.status, signIn.json.code], [403, 'account.blocked']);
  });

  test('a token whose time is over, also where it is remembered', async () => {
    const { person } = await newMember();
    const expiresAt = new Date(Date.now() + 3000);
    const token = await world.credential(person, { expiresAt });
    await bothAnswer(token, '/me', 200);
    await pause(expiresAt.getTime() - Date.now() + 50);
    await bothRefuse(token, '/me', 401);
  });

  for (const name of ['this', 'the other'] as const) {
    test(`the open event stream of a removed member, on ${name} process`, async () => {
      const { person, token } = await newMember();
      const stream = await fetch(`${(name === 'this' ? app : second).api}/event/stream`, {
        headers: { authorization: `Bearer ${token}` },
        signal: AbortSignal.timeout(30_000),
      });
      const ended = readAll(stream);
      await world.event({ teamId: world.home.teamId });
      await request(app, 'DELETE', `/team/${world.home.teamId}/member/${person.id}`, { token: world.token('owner') });
      const removedAt = Date.now();
      await world.event({ person: world.home.owner });
      const secret = await world.event({ teamId: world.home.teamId });
      const text = await ended;
      assert.ok(Date.now() - removedAt < SOON_MS, 'the stream stayed open');
      assert.ok(!text.includes(secret), 'it told of something after the removal');
    });
  }
});

async function readAll(response: Response): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body as ReadableStream<Uint8Array>) text += decoder.decode(chunk);
  return text;
}

async function eventually(holds: () => Promise<boolean>, withinMs: number): Promise<void> {
  const started = Date.now();
  while (!(await holds())) assert.ok(Date.now() - started < withinMs, 'it did not happen in time');
}

suite('an answer that is kept is shown to nobody whose right to it has ended', () => {
  // What anyone may call is nobody's right; repeated.test.ts walks that.
  const keyed = allOperations.filter((operation) => keepsAnswer(operation) && operation.access.who !== 'anyone');
  const isWalked = (row: string) => expectedStatuses.get(row)?.owner === 200 && keyed.includes(operationOf(row));

  test('the walk has every operation that keeps its answer, but for those of operators', () => {
    const walked = new Set(allRows.filter(isWalked).map(operationOf));
    const left = keyed.filter((operation) => !walked.has(operation)).map(({ access }) => access.who);
    assert.ok(walked.size > 25, String(walked.size));
    assert.deepEqual([...new Set(left)], ['operator']);
  });

  for (const row of rows.filter(isWalked)) {
    test(row, async () => {
      const person = await world.user();
      const place = { teamId: await world.team(person), owner: person, opener: person };
      const token = await world.credential(person);
      const theirs: World = { ...world, home: place, person: () => person, token: () => token };
      const made = await makeRequest(row, { world: theirs, caller: 'owner', place });
      const headers = { 'idempotency-key': 'once' };
      const send = () => sendRequest(app, operationOf(row), { ...made, token }, { headers });
      const [first, again] = [await send(), await send()];
      assert.equal(first.status, 200, first.text);
      // Then there is no right left to take away.
      if (ENDS_OWN_RIGHT[row]) {
        assert.equal(again.headers.get('idempotent-replayed'), null, again.text);
        return assert.equal(again.status, ENDS_OWN_RIGHT[row], again.text);
      }
      // What the call used up is gone; whatever else is answered is the first answer.
      if (again.status !== 404) assert.equal(again.headers.get('idempotent-replayed'), 'true', again.text);

      await app.services.db.deleteFrom('team_members').where('user_id', '=', person.id).execute();
      const gone = async () => (await request(app, 'GET', `/team/${place.teamId}`, { token })).status === 404;
      await eventually(gone, 30_000);
      const late = await send();
      assert.equal(late.headers.get('idempotent-replayed'), null, late.text);
      assert.ok([403, 404, 409].includes(late.status), `${late.status} ${late.text}`);
    });
  }
});

suite('a narrow token shows no more than it opens', () => {
  test('a token for one team sees that team alone', async () => {
    const owner = world.person('owner');
    const otherTeam = await world.team(owner);
    const other = { teamId: otherTeam, owner, opener: owner };
    const token = await world.credential(owner, { kind: 'api_token', teamId: world.home.teamId });
    const otherEvent = await world.event({ teamId: otherTeam });
    await world.ticket(otherTeam, owner);

    // What is the owner's own and no team's stays visible.
    const personal = ['getEvent/of the account', 'getAttachment/of no ticket yet'];
    for (const row of rows) {
      if (expectedStatuses.get(row)?.stranger !== 404 || personal.includes(row)) continue;
      const made = await makeRequest(row, { world, caller: 'owner', place: other });
      const answer = await sendRequest(app, operationOf(row), { ...made, token });
      assert.equal(answer.status, 404, `${row}: ${answer.text}`);
    }
    const teams = await request(app, 'GET', '/team', { token });
    assert.deepEqual(
      teams.json.results.map((team: { id: string }) => team.id),
      [world.home.teamId],
    );
    assert.ok(!(await request(app, 'GET', '/event?size=100', { token })).text.includes(otherEvent));
    assert.ok(!(await request(app, 'GET', '/support/ticket?size=100', { token })).text.includes(otherTeam));
    // Nor does it lead out of the team.
    const invite = await world.invite(await world.team(await world.user()), owner.email);
    const accepted = await request(app, 'POST', '/invite/accept', { token, body: { token: invite.token } });
    assert.equal(accepted.json.code, 'auth.bound_to_team');
    assert.equal((await request(app, 'GET', '/api_token', { token })).json.code, 'auth.bound_to_team');
    const wider = await request(app, 'GET', '/team', { token: world.token('owner') });
    assert.ok(wider.json.count > 1);
  });

  test("an operator's token for one team is no operator's", async () => {
    const person = world.person('operator');
    const teamId = await world.team(person);
    const token = await world.credential(person, { kind: 'api_token', teamId });
    assert.equal((await request(app, 'GET', `/team/${teamId}`, { token })).status, 200);
    assert.equal((await request(app, 'GET', '/operator/team', { token })).status, 403);
  });

  test('only a token that may write sees the link of an invite', async () => {
    const { id } = await world.invite(world.home.teamId);
    for (const caller of ['owner', 'reader', 'planner'] as const) {
      const token = world.token(caller);
      const one = await request(app, 'GET', `/invite/${id}`, { token });
      const list = await request(app, 'GET', `/team/${world.home.teamId}/invite?size=100`, { token });
      for (const invite of [one.json, ...list.json.results]) {
        if (caller === 'owner') assert.match(invite.link, /\/invite\?token=.{60,}/);
        else assert.equal(invite.link, '');
      }
      assert.equal(one.text.includes('token='), caller === 'owner');
    }
  });
});
