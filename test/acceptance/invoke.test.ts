import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, suite, test } from 'node:test';
import type { Caller } from '#core/auth/caller.ts';
import { type Input, invoke } from '#core/http/invoke.ts';
import { keepsAnswer, type Operation } from '#core/http/operation.ts';
import { registerPerson } from '#testkit/app/people.ts';
import { sharedApp } from '#testkit/app/shared-app.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { ENDS_OWN_RIGHT, expectedStatuses } from './expected-policy.ts';
import { sharedWorld } from './open-world.ts';
import { allOperations, operationOf, rows } from './operations.ts';
import { type Ingredients, makeRequest, sendRequest } from './requests.ts';
import { type Answer, type CallerName, request, type World } from './world.ts';

/**
 * The same call over HTTP and from within, for every operation: what is answered and what is refused is the same.
 * OPERATION=createSite walks one operation alone.
 */
/** One of each kind of right; policy.test.ts has them all. */
const WHO: readonly CallerName[] = ['nobody', 'stranger', 'owner', 'reader', 'operator', 'unverified'];

let app: TestApp;
let world: World;

before(async () => {
  ({ app, world } = await sharedWorld());
});

/** Where whoever calls from within is. */
const IP = '127.0.0.1';

type Ask = { operation: Operation; made: Ingredients; token: string | undefined; key?: string };
type Within = Awaited<ReturnType<typeof invoke>>;

function overHttp({ operation, made, token, key }: Ask): Promise<Answer> {
  const params = Object.entries(made.params ?? {}).map(([name, value]) => [name, encodeURIComponent(value)]);
  const encoded = { ...made, params: Object.fromEntries(params) };
  return sendRequest(app, operation, encoded, { token, ...(key && { headers: { 'idempotency-key': key } }) });
}

async function fromWithin({ operation, made, token, key }: Ask): Promise<Within> {
  return invoke(app.services, operation, await callerOf(token), {
    ...inputOf(made),
    ...(key && { idempotencyKey: key }),
  });
}

const callerOf = async (token: string | undefined): Promise<Caller | undefined> =>
  token === undefined ? undefined : app.services.credentials.resolve(token);

function inputOf({ params, query, body, headers = {} }: Ingredients): Input {
  const bytes = Buffer.isBuffer(body) && { bytes: body, contentType: headers['content-type'] ?? 'application/json' };
  return { ip: IP, ...(params && { params }), ...(query && { query }), ...(body && { body: bytes || body }) };
}

function assertSame(within: Within, http: Answer, what: string): void {
  assert.equal(within.status, http.status, `${what}: ${JSON.stringify(within.body)} is not ${http.text}`);
  const body = http.json ?? http.text;
  assert.deepEqual(withoutMoment(within.body), withoutMoment(body), what);
  for (const name of ['operation-id', 'retry-after', 'www-authenticate', 'set-cookie', 'idempotent-replayed'])
    if (http.headers.get(name) !== null && within.status !== 200)
      assert.equal(String(within.headers[name]), http.headers.get(name), `${what}: ${name}`);
}

/** Until when a site can be restored, what is being measured, when it was looked at, and how busy the platform is. */
const OF_THE_MOMENT = new Set([
  'max_restore_point',
  'storage_usage',
  'looked_at',
  'read_at',
  'traffic',
  'queue',
  'backups',
  'hosts',
]);

/** What depends on the moment of the call, and links that open for some seconds. */
const withoutMoment = (body: unknown) =>
  JSON.parse(JSON.stringify(body ?? null), (key, value) =>
    OF_THE_MOMENT.has(key) ? null : typeof value === 'string' ? value.replace(/token=[\w.-]+$/, '') : value,
  );

suite('each operation answers and refuses the same, whichever way it is called', () => {
  for (const row of rows) {
    const operation = operationOf(row);
    if (!operation.handle) continue;
    const make = (caller: CallerName, place = world.placeOf(caller)) => makeRequest(row, { world, caller, place });

    test(row, async () => {
      for (const caller of WHO) {
        const what = `${row} as ${caller}`;
        const made = await make(caller);
        const ask = { operation, made, token: made.token ?? world.token(caller) };
        const isAllowed = expectedStatuses.get(row)?.[caller] === 200;
        if (!isAllowed || operation.method === 'GET') assertSame(await fromWithin(ask), await overHttp(ask), what);
        else if (keepsAnswer(operation) && operation.access.who !== 'anyone') await assertRepeated(ask, what);
        else assert.equal((await fromWithin(ask)).status, 200, what);
      }
      const made = await make('owner', world.home);
      const token = made.token ?? world.token('owner');
      const wrongBody = operation.method === 'GET' ? [] : [{ ...made, body: { page: [] } }];
      for (const wrong of [...wrongBody, { ...made, query: { page: 'x', size: '0', at_date: '?' } }]) {
        const ask = { operation, made: wrong, token };
        const http = await overHttp(ask);
        if (http.status !== 200) assertSame(await fromWithin(ask), http, `${row} with wrong input`);
      }
    });
  }
});

/** What is sent again with its key, be it the other way, has no second effect and gets the first answer. */
async function assertRepeated(ask: Ask, what: string): Promise<void> {
  const key = randomUUID();
  const first = await fromWithin({ ...ask, key });
  assert.equal(first.status, 200, `${what}: ${JSON.stringify(first.body)}`);
  const again = await overHttp({ ...ask, key });
  const ended = ENDS_OWN_RIGHT[ask.operation.id];
  if (ended) return assert.equal(again.status, ended, `${what}: ${again.text}`);
  // What used up its own credential is not repeated to it.
  if (again.status === 401) return;
  assert.equal(again.headers.get('idempotent-replayed'), 'true', `${what}: ${again.text}`);
  assert.deepEqual(first.body, again.json ?? again.text, what);
  const third = await fromWithin({ ...ask, key });
  assert.equal(third.headers['idempotent-replayed'], 'true', what);
  assert.deepEqual(third.body, first.body, what);
}

test('what answers by itself is not called from within', async () => {
  const raw = allOperations.filter(({ handle }) => !handle);
  assert.deepEqual(raw.map(({ id }) => id).sort(), [
    'authorizeMetrics',
    'connectTerminal',
    'downloadBackup',
    'downloadSiteFile',
    'getAttachment',
    'getBlob',
    'getFrontEnd',
    'getShellHtml',
    'getSitePicture',
    'getTemplatePicture',
    'openUnsubscribe',
    'receiveGitPush',
    'receivePaymentEvent',
    'registerOAuthClient',
    'streamAnswers',
    'streamEvents',
    'streamSiteLog',
  ]);
  for (const operation of raw)
    await assert.rejects(invoke(app.services, operation, undefined, { ip: IP }), /over HTTP alone/);
});

const operationNamed = (id: string) => allOperations.find((each) => each.id === id) as Operation;

test('whoever lost a right since they were looked up is refused', async () => {
  const ada = await registerPerson(app, 'Ada');
  const caller = await callerOf(ada.token);
  const getTeam = () =>
    invoke(app.services, operationNamed('getTeam'), caller, { ip: IP, params: { team_id: ada.teamId } });
  assert.equal((await getTeam()).status, 200);
  await app.services.db.updateTable('team_members').set({ role: 'viewer' }).where('user_id', '=', ada.userId).execute();
  const rename = await invoke(app.services, operationNamed('updateTeam'), caller, {
    ip: IP,
    params: { team_id: ada.teamId },
    body: { name: 'Mine' },
  });
  assert.deepEqual([rename.status, Object(rename.body).code], [403, 'auth.forbidden']);
  await app.services.db.deleteFrom('credentials').where('user_id', '=', ada.userId).execute();
  assert.equal((await getTeam()).status, 401);
});

test('what is called from within counts against the same limit', async () => {
  const limited = await startTestApp({ env: { RATE_LIMIT_FACTOR: '0.2' } });
  try {
    const ada = await registerPerson(limited, 'Ada');
    const caller = await limited.services.credentials.resolve(ada.token);
    const rename = () => invoke(limited.services, operationNamed('updateMe'), caller, { ip: IP, body: {} });
    assert.equal((await rename()).headers['ratelimit-limit'], '60');
    while ((await rename()).status === 200);
    const answer = await request(limited, 'PATCH', '/me', { token: ada.token, body: {} });
    assert.deepEqual([answer.status, answer.json.code], [429, 'rate_limit.exceeded']);
    assert.equal((await rename()).status, 429);
  } finally {
    await limited.close();
  }
});

test('work that goes on is waited for, and names its event', async () => {
  // One with a worker.
  const { services, ...whole } = await sharedApp();
  const ada = await registerPerson({ services, ...whole }, 'Ada');
  const caller = await services.credentials.resolve(ada.token);
  const body = { target_email: 'waited@example.com', first_name: 'W' };
  const params = { team_id: ada.teamId };
  const answer = await invoke(services, operationNamed('createInvite'), caller, {
    ip: IP,
    params,
    body,
    waitSeconds: 30,
  });
  assert.equal(answer.headers['preference-applied'], 'wait=30');
  const event_id = String(answer.headers['operation-id']);
  const event = await invoke(services, operationNamed('getEvent'), caller, { ip: IP, params: { event_id } });
  assert.ok(Object(event.body).finished_at);
});
