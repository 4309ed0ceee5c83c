import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { after, before, test } from 'node:test';
import { type Person, registerPerson, signInAs } from '#testkit/app/people.ts';
import { sharedApp } from '#testkit/app/shared-app.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { refused } from '#testkit/expect.ts';
import { pause } from '#testkit/pause.ts';

let app: TestApp;
let person: Person;
before(async () => {
  app = await startTestApp({ env: { RATE_LIMIT_FACTOR: '100' } });
  person = await registerPerson(app, 'Ada');
});
after(() => app.close());

function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  return fetch(`${app.api}${path}`, {
    method,
    headers: { authorization: `Bearer ${person.token}`, ...json, ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

interface Faults {
  detail: { loc: (string | number)[]; msg: string; type: string }[];
}

test('every fault of query and body is reported in one answer, in the words of Pydantic', async () => {
  const response = await send('POST', '/support/ticket', {
    team_id: 'x',
    subject: 7,
    resolved: 'yes',
    site_live_id: null,
    category: '',
  });
  assert.equal(response.status, 422);
  const { detail } = (await response.json()) as Faults;
  const found = Object.fromEntries(detail.map(({ loc, type }) => [loc.join('.'), type]));
  assert.deepEqual(found, {
    'body.team_id': 'uuid_parsing',
    'body.subject': 'string_type',
    'body.description': 'missing',
    'body.resolved': 'bool_parsing',
    'body.category': 'string_too_short',
  });
  const paging = (await (await send('GET', '/team?page=0&size=many')).json()) as Faults;
  assert.deepEqual(
    paging.detail.map(({ loc, type }) => [loc.join('.'), type]),
    [
      ['query.page', 'greater_than_equal'],
      ['query.size', 'int_parsing'],
    ],
  );
});

test('a repeated or empty query parameter is a validation error, not a filter that matches nothing', async () => {
  const faultsOf = async (path: string) => {
    const response = await send('GET', path);
    assert.equal(response.status, 422, path);
    return ((await response.json()) as Faults).detail.map(({ loc, type }) => [loc.join('.'), type]);
  };
  assert.deepEqual(await faultsOf('/team?size=1&size=2'), [['query.size', 'value_error']]);
  assert.deepEqual(await faultsOf('/event?fqdn='), [['query.fqdn', 'string_too_short']]);
  assert.deepEqual(await faultsOf('/site?team_id='), [['query.team_id', 'uuid_parsing']]);
  assert.equal((await send('GET', '/team?unknown=1&unknown=2')).status, 200);
});

test('a body that is not JSON, not there, or not an object is a 422 like every other bad input', async () => {
  const typeOf = async (response: Response) => [
    response.status,
    ((await response.json()) as Faults).detail.map(({ type }) => type),
  ];
  const create = (body: string, contentType: string) =>
    send('POST', '/support/ticket', body, { 'content-type': contentType });
  assert.deepEqual(await typeOf(await create('{"a":', 'application/json')), [422, ['json_invalid']]);
  assert.deepEqual(await typeOf(await create('[]', 'application/json')), [422, ['model_attributes_type']]);
  assert.deepEqual(await typeOf(await create('a=b', 'application/x-www-form-urlencoded')), [422, ['value_error']]);
  assert.deepEqual(await typeOf(await create('hello', 'text/plain')), [422, ['value_error']]);
  assert.deepEqual(await typeOf(await send('POST', '/support/ticket')), [422, ['missing']]);
});

test('operations without authentication accept bodies of 128 kB, all others 1 MB', async () => {
  const statusOf = async (path: string, bytes: number) =>
    (await send('POST', path, { padding: 'x'.repeat(bytes) })).status;
  assert.equal(await statusOf('/password_reset', 100_000), 422);
  assert.equal(await statusOf('/password_reset', 200_000), 413);
  assert.equal(await statusOf('/support/ticket', 1_000_000), 422);
  assert.equal(await statusOf('/support/ticket', 1_100_000), 413);
});

test('the body of a Git webhook is parsed only after its signature was verified', async (t) => {
  const parse = t.mock.method(JSON, 'parse');
  const body = JSON.stringify({ ref: 'refs/heads/main', only: 'here' });
  const response = await send('POST', `/git_hook/${randomUUID()}`, body);
  assert.equal(response.status, 404);
  assert.deepEqual(
    parse.mock.calls.filter(({ arguments: [text] }) => String(text) === body),
    [],
  );
});

test('unknown fields are ignored, whatever they hold; text that is none is refused in known ones', async () => {
  const ticket = { team_id: person.teamId, subject: 'A', description: 'B' };
  assert.equal(
    (await send('POST', '/support/ticket', { ...ticket, unknown: 'a\u0000b', __proto__: { x: 1 } })).status,
    200,
  );
  const response = await send('POST', '/support/ticket', { ...ticket, subject: 'a\u0000b', description: '\ud800' });
  const { detail } = (await response.json()) as Faults;
  assert.deepEqual(
    detail.map(({ loc, type }) => [loc.join('.'), type]),
    [
      ['body.subject', 'string_unicode'],
      ['body.description', 'string_unicode'],
    ],
  );
});

test('checks come in order: sign-in, path ids, what the path names, then query and body', async () => {
  const foreign = `/team/${crypto.randomUUID()}`;
  assert.equal((await fetch(`${app.api}/team/nonsense`)).status, 401);
  assert.equal((await send('PATCH', '/team/nonsense', '{')).status, 422);
  assert.equal((await send('PATCH', foreign, '{')).status, 404);
  assert.equal((await send('PATCH', `/team/${person.teamId}`, '{')).status, 422);
});

test('ids may come in capitals', async () => {
  assert.equal((await send('GET', `/team/${person.teamId.toUpperCase()}`)).status, 200);
  const body = { team_id: person.teamId.toUpperCase(), subject: 'A', description: 'B' };
  assert.equal((await send('POST', '/support/ticket', body)).status, 200);
});

test('an Idempotency-Key gives the effect once, and the first answer again', async () => {
  const body = { team_id: person.teamId, subject: 'Once', description: 'B' };
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const first = await send('POST', '/support/ticket', body, headers);
  const again = await send('POST', '/support/ticket', body, headers);
  assert.equal(first.headers.get('idempotent-replayed'), null);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  assert.equal(await again.text(), await first.text());
  const other = await send('POST', '/support/ticket', { ...body, subject: 'Twice' }, headers);
  assert.equal(other.status, 422);
  assert.deepEqual(((await other.json()) as Faults).detail[0]?.loc, ['header', 'Idempotency-Key']);
  const stranger = await registerPerson(app);
  const foreign = await send(
    'POST',
    '/support/ticket',
    { ...body, team_id: stranger.teamId },
    { ...headers, authorization: `Bearer ${stranger.token}` },
  );
  assert.equal(foreign.headers.get('idempotent-replayed'), null);
});

test('many requests with one key at once have one effect; the others are told to wait or get its answer', async () => {
  const body = { target_email: 'racer@example.com', first_name: 'R' };
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => send('POST', `/team/${person.teamId}/invite`, body, headers)),
  );
  for (const answer of answers) assert.ok([200, 409].includes(answer.status));
  for (const answer of answers.filter(({ status }) => status === 409))
    assert.match(await answer.text(), /idempotency.in_progress/);
  assert.equal(answers.filter(({ status, headers: h }) => status === 200 && !h.get('idempotent-replayed')).length, 1);
  const replay = await send('POST', `/team/${person.teamId}/invite`, body, headers);
  assert.equal(replay.headers.get('idempotent-replayed'), 'true');
  assert.ok(replay.headers.get('operation-id'));
});

test('a refusal under a key is the first answer too, and leaves nothing behind', async () => {
  const ticket = (await (
    await send('POST', '/support/ticket', { team_id: person.teamId, subject: 'A', description: 'B' })
  ).json()) as { id: string };
  const chat = (headers: Record<string, string>) =>
    send('POST', `/support/ticket/${ticket.id}/reply`, { description: 'x', is_assistant_chat_message: true }, headers);
  await app.services.db.updateTable('tickets').set({ messages_remaining: 0 }).where('id', '=', ticket.id).execute();
  const headers = { 'idempotency-key': 'k-402' };
  assert.equal((await chat(headers)).status, 402);
  const again = await chat(headers);
  assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [402, 'true']);
  const replies = (await (await send('GET', `/support/ticket/${ticket.id}/reply`)).json()) as { count: number };
  assert.equal(replies.count, 0);
});

test('the answer to joining a team is repeated to a member, and not to who has left', async () => {
  const guest = await registerPerson(app, 'Guest');
  const invite = await person.api.createInvite({
    params: { team_id: person.teamId },
    body: { target_email: guest.email, first_name: 'Guest' },
  });
  const token = new URL(invite.link).searchParams.get('token') as string;
  const join = () => guest.api.acceptInvite({ body: { token }, idempotencyKey: 'join' });
  assert.deepEqual(await join(), await join());
  await person.api.removeMember({ params: { team_id: person.teamId, team_member_user_id: guest.userId } });
  await assert.rejects(join(), refused(409, 'idempotency.rights_lost'));
});

test('kept answers are sealed: an invite link is nowhere in the database', async () => {
  const answer = await send(
    'POST',
    `/team/${person.teamId}/invite`,
    { target_email: 'sealed@example.com', first_name: 'S' },
    { 'idempotency-key': 'k-seal' },
  );
  const { link } = (await answer.json()) as { link: string };
  const token = new URL(link).searchParams.get('token') as string;
  const rows = await app.services.db
    .selectFrom('idempotent_answers')
    .select('body_sealed')
    .where('key', '=', 'k-seal')
    .execute();
  assert.equal(rows.length, 1);
  assert.ok(!rows[0]?.body_sealed.includes(token));
});

test('an answer that was kept before headers were sealed is still repeated, headers and all', async () => {
  const body = { target_email: 'older@example.com', first_name: 'O' };
  const headers = { 'idempotency-key': 'k-older' };
  const invite = () => send('POST', `/team/${person.teamId}/invite`, body, headers);
  const first = await invite();
  const text = await first.text();
  const operationId = first.headers.get('operation-id') as string;
  await app.services.db
    .updateTable('idempotent_answers')
    .set({
      headers: JSON.stringify({ 'operation-id': operationId }),
      body_sealed: app.services.secrets.seal(Buffer.from(text)),
    })
    .where('key', '=', 'k-older')
    .execute();
  const again = await invite();
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  assert.equal(again.headers.get('operation-id'), operationId);
  assert.equal(await again.text(), text);
});

test('every answer carries a request id and the state of the rate limit', async () => {
  for (const response of [await send('GET', '/team'), await send('GET', '/nowhere'), await fetch(`${app.api}/team`)]) {
    assert.match(response.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
    for (const name of ['limit', 'remaining', 'reset']) assert.ok(response.headers.has(`ratelimit-${name}`), name);
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
  }
});

test('an unsupported method is rejected with 405 and the supported methods in Allow', async () => {
  const allowed = async (method: string, path: string) => {
    const response = await fetch(`${app.url}${path}`, { method });
    return [response.status, ((await response.json()) as { code: string }).code, response.headers.get('allow')];
  };
  const refusal = (allow: string) => [405, 'route.method_not_allowed', allow];
  assert.deepEqual(await allowed('PUT', '/f/api/v1/team'), refusal('GET, HEAD'));
  assert.deepEqual(await allowed('POST', '/f/api/v1/site/a.example.com/?x=1'), refusal('DELETE, GET, HEAD, PATCH'));
  assert.deepEqual(await allowed('OPTIONS', '/f/api/v1/logout'), refusal('POST'));
  assert.deepEqual(await allowed('GET', '/f/api/v1/logout'), refusal('POST'));
  assert.deepEqual(await allowed('GET', '/f/api/v1/nowhere'), [404, 'route.not_found', null]);
  assert.deepEqual(await allowed('DELETE', '/healthz'), refusal('GET, HEAD'));
  assert.deepEqual(await allowed('POST', '/f/api/v1/nowhere'), [404, 'route.not_found', null]);
});

test('responses have no RateLimit headers if rate limits are disabled', async () => {
  const { url } = await sharedApp();
  const names = [...(await fetch(`${url}/f/api/v1/team`)).headers.keys()];
  assert.ok(names.includes('x-request-id'));
  assert.deepEqual(
    names.filter((name) => name.startsWith('ratelimit-')),
    [],
  );
});

test('what is not there is a JSON 404, under the API and beside it', async () => {
  const response = await send('GET', '/nowhere');
  assert.equal(response.status, 404);
  assert.equal(((await response.json()) as { code: string }).code, 'route.not_found');
  assert.equal((await fetch(`${app.url}/assets/missing.js`)).status, 404);
});

test('the API answers on the platform hosts alone; any other host is a site', async () => {
  const ask = (host: string) =>
    new Promise<number>((resolve, reject) => {
      const request = httpRequest(`${app.api}/region`, { headers: { host } }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      request.on('error', reject).end();
    });
  assert.equal(await ask('localhost'), 200);
  assert.equal(await ask('127.0.0.1:80'), 200);
  assert.equal(await ask('blog.localhost'), 404);
  assert.equal(await ask('evil.example'), 404);
});

test('health needs nothing, metrics need the token', async () => {
  assert.equal((await fetch(`${app.url}/healthz`)).status, 200);
  assert.equal((await fetch(`${app.url}/readyz`)).status, 200);
  assert.equal((await fetch(`${app.url}/metrics`)).status, 401);
  const token = app.services.secrets.derive('metrics token');
  const page = await (await fetch(`${app.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text();
  assert.match(
    page,
    /siteyard_http_request_duration_seconds_count\{operation="listTeams",method="GET",status="200"\} \d/,
  );
  for (const name of [
    'siteyard_queue_jobs_waiting',
    'siteyard_database_connections',
    'siteyard_event_loop_delay_seconds',
  ])
    assert.ok(page.includes(name), name);
});

test('many strangers with bad tokens at an operation that asks who they are hold nobody up', async () => {
  const ask = () => fetch(`${app.api}/verify_email`, { method: 'POST', headers: { authorization: 'Bearer wrong' } });
  const answers = await Promise.all(Array.from({ length: 40 }, ask));
  for (const answer of answers) assert.equal(answer.status, 401);
});

test('a list that is far too long is one fault, not one for each item', async () => {
  const response = await send('POST', '/api_token', { name: 'x', scopes: Array.from({ length: 200_000 }, () => 1) });
  assert.equal(response.status, 422);
  const { detail } = (await response.json()) as Faults;
  assert.ok(detail.some(({ type }) => type === 'too_long'));
  assert.ok(detail.length < 12, String(detail.length));
});

test('a refused token request speaks OAuth too', async () => {
  const ask = (body: Record<string, string>) =>
    fetch(`${app.api}/token`, { method: 'POST', body: new URLSearchParams(body) });
  const missing = (await (await ask({ username: 'a' })).json()) as Record<string, string>;
  assert.equal(missing.error, 'invalid_request');
  const other = (await (await ask({ grant_type: 'magic', username: 'a', password: 'b' })).json()) as Record<
    string,
    string
  >;
  assert.equal(other.error, 'unsupported_grant_type');
});

test('limits count per credential, per address at sign-in, and per account and address for failures', async () => {
  const limited = await startTestApp({ env: { RATE_LIMIT_FACTOR: '0.5' } });
  try {
    const ada = await registerPerson(limited, 'Ada');
    const bob = await registerPerson(limited, 'Bob');
    const get = (token: string) => fetch(`${limited.api}/me`, { headers: { authorization: `Bearer ${token}` } });
    const rename = (token: string) =>
      fetch(`${limited.api}/me`, {
        method: 'PATCH',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: '{}',
      });
    for (let i = 0; i < 150; i++) assert.equal((await rename(ada.token)).status, 200);
    const tooMany = await rename(ada.token);
    assert.equal(tooMany.status, 429);
    assert.ok(Number(tooMany.headers.get('retry-after')) > 0);
    assert.equal(((await tooMany.json()) as { code: string }).code, 'rate_limit.exceeded');
    assert.equal((await rename(bob.token)).status, 200);
    assert.equal((await get(ada.token)).status, 200);

    const signIn = (password: string) =>
      fetch(`${limited.api}/token`, { method: 'POST', body: new URLSearchParams({ username: bob.email, password }) });
    for (let i = 0; i < 5; i++) assert.equal((await signIn('wrong')).status, 401);
    assert.equal((await signIn('a long enough password')).status, 429);
    assert.equal((await signIn('wrong')).status, 429);
  } finally {
    await limited.close();
  }
});

test('a request counts against the limit of its credential and that of the owner', async () => {
  // One write for a credential, four for a person.
  const limited = await startTestApp({ databaseUrl: app.databaseUrl, env: { RATE_LIMIT_FACTOR: '0.003' } });
  try {
    const [ada, bob] = [await registerPerson(app, 'Ada'), await registerPerson(app, 'Bob')];
    const write = async (token: string) => {
      const authorization = `Bearer ${token}`;
      const headers = { authorization, 'content-type': 'application/json' };
      const answer = await fetch(`${limited.api}/me`, { method: 'PATCH', headers, body: '{}' });
      return [answer.status, answer.headers.get('ratelimit-limit'), answer.headers.get('ratelimit-remaining')];
    };
    const signInAgain = async () => (await signInAs(app, ada.email)).token;
    for (let time = 0; time < 3; time++) assert.deepEqual(await write(await signInAgain()), [200, '1', '0']);
    assert.equal((await write(await signInAgain()))[0], 200);
    assert.deepEqual(await write(await signInAgain()), [429, '4', '0']);
    assert.equal((await write(bob.token))[0], 200);
  } finally {
    await limited.close();
  }
});

test('failed sign-ins are counted when many come at once', async () => {
  const limited = await startTestApp({ env: { RATE_LIMIT_FACTOR: '2' } });
  try {
    const bob = await registerPerson(limited, 'Bob');
    const signIn = () =>
      fetch(`${limited.api}/token`, {
        method: 'POST',
        body: new URLSearchParams({ username: bob.email, password: 'wrong' }),
      });
    const answers = await Promise.all(Array.from({ length: 30 }, signIn));
    assert.equal(answers.filter(({ status }) => status === 401).length, 20);
    const change = () =>
      fetch(`${limited.api}/me`, {
        method: 'PATCH',
        headers: { authorization: `Bearer ${bob.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ current_password: 'wrong', new_password: 'another password' }),
      });
    const changes = await Promise.all(Array.from({ length: 30 }, change));
    assert.equal(changes.filter(({ status }) => status === 422).length, 20);
  } finally {
    await limited.close();
  }
});

test('processes with different keys do not share a database', async () => {
  const options = { databaseUrl: app.databaseUrl, env: { SECRET_KEY: 'another key that is long enough too' } };
  await assert.rejects(startTestApp(options), /another key/);
});

test('stopping finishes requests in flight', async () => {
  const stopping = await startTestApp();
  const ada = await registerPerson(stopping, 'Ada');
  const request = httpRequest(`${stopping.api}/me`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json', 'content-length': '22' },
  });
  const status = new Promise<number>((resolve, reject) => {
    request.on('response', (response) => resolve(response.resume().statusCode ?? 0)).on('error', reject);
  });
  request.write('{"first_name"');
  await pause(100);
  const closed = stopping.close();
  await pause(100);
  request.end(':"Last" }');
  assert.equal(await status, 200);
  await closed;
});
