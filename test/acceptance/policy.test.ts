import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, suite, test } from 'node:test';
import type { Operation } from '#core/http/operation.ts';
import type { TestApp } from '#testkit/app/test-app.ts';
import { expectedStatuses, foreignIds } from './expected-policy.ts';
import { walkLimited } from './limited-walk.ts';
import { sharedWorld } from './open-world.ts';
import { allOperations, allRows, idOf, operationOf, operations, rows, rowsOf } from './operations.ts';
import {
  fillPath,
  type Ingredients,
  idAt,
  idPositions,
  makeRequest,
  missingId,
  type Position,
  replaceId,
  requests,
  sendRequest,
} from './requests.ts';
import { type Answer, CALLERS, type CallerName, type RequestOptions, request, type World } from './world.ts';

/**
 * Sends the request of every row of expected-policy.ts as everybody who could call. OPERATION=createSite walks one operation alone. That a
 * refused call leaves no trace is tested in policy.full.test.ts.
 */
let app: TestApp;
let world: World;

before(async () => {
  ({ app, world } = await sharedWorld());
});

const statusFor = (row: string, caller: CallerName): number => expectedStatuses.get(row)?.[caller] as number;
const make = (row: string, caller: CallerName, place = world.placeOf(caller)): Promise<Ingredients> =>
  makeRequest(row, { world, caller, place });
const send = (operation: Operation, ingredients: Ingredients, options?: RequestOptions): Promise<Answer> =>
  sendRequest(app, operation, ingredients, options);

test('each operation has its rows, its requests and a line for each id that it takes', () => {
  const known = new Set(allOperations.map(({ id }) => id));
  const missing = [
    ...allOperations.filter((each) => rowsOf(each).length === 0).map(({ id }) => `${id}: no row in expected-policy.ts`),
    ...allRows.filter((row) => !requests[row]).map((row) => `${row}: no request in requests.ts`),
    ...allRows
      .filter((row) => !known.has(idOf(row)))
      .map((row) => `${row}: a row of no operation in expected-policy.ts`),
    ...Object.keys(requests)
      .filter((row) => !expectedStatuses.has(row))
      .map((row) => `${row}: a request of no row in requests.ts`),
  ];
  assert.deepEqual(missing, []);
  const positions = allOperations.flatMap((operation) =>
    idPositions(operation).map(({ part, name }) => `${operation.id} ${part}.${name}`),
  );
  assert.deepEqual([...foreignIds.keys()].sort(), positions.sort());
});

suite('each caller gets exactly what the table says', () => {
  for (const row of rows) {
    test(row, async () => {
      const calls = await Promise.all(CALLERS.map(async (caller) => ({ caller, made: await make(row, caller) })));
      const isRefused = ({ caller }: { caller: CallerName }) => statusFor(row, caller) >= 400;
      // What is allowed comes last: it can use up what the requests of the others are about.
      for (const { caller, made } of [...calls.filter(isRefused), ...calls.filter((each) => !isRefused(each))]) {
        const answer = await send(operationOf(row), made, { token: world.token(caller) });
        assert.equal(answer.status, statusFor(row, caller), `${row} as ${caller}: ${answer.status} ${answer.text}`);
        if (answer.status >= 400) checkRefusal(answer);
        if (caller === 'unverified' && isKeptByAddress(row)) assert.equal(answer.json.code, 'auth.unverified');
      }
    });
  }
});

/** What the owner may do, and would do if the address were confirmed. */
const isKeptByAddress = (row: string) => statusFor(row, 'unverified') === 403 && statusFor(row, 'owner') !== 403;

test('what an unconfirmed address keeps from doing says so in its rule', () => {
  for (const row of rows) {
    const operation = operationOf(row);
    const { access, id } = operation;
    if (isKeptByAddress(row)) assert.match(access.rule, /with a confirmed email address$/, id);
    // The rows of one operation may differ, and then its rule says when.
    const says = / with a confirmed email address$/.test(access.rule);
    if (says)
      assert.ok(
        rowsOf(operation).some((each) => statusFor(each, 'unverified') === 403),
        id,
      );
  }
});

function checkRefusal({ status, headers, json, text }: Answer): void {
  assert.match(headers.get('content-type') ?? '', /^application\/json/, text);
  if (status === 401) assert.equal(headers.get('www-authenticate'), 'Bearer');
  assert.equal(Array.isArray(json.detail) ? 'array' : typeof json.detail, status === 422 ? 'array' : 'string', text);
  if (status === 422) return;
  assert.match(json.code, status === 404 ? /\.not_found$/ : /^[a-z_]+\.[a-z_]+$/, text);
}

suite('a foreign id answers byte for byte like a missing one', () => {
  for (const [where, expected] of foreignIds) {
    const [id = '', place = ''] = where.split(' ');
    const operation = operations.find((each) => each.id === id);
    if (expected === 'public' || !operation) continue;
    test(where, async () => {
      const [part, name] = place.split('.') as [Position['part'], string];
      const position = { part, name };
      const token = world.token('stranger');
      const narrow = await world.credential(world.person('stranger'), { kind: 'api_token', scopes: ['read'] });
      let compared = 0;
      // What is for everybody is nobody's to hide.
      for (const row of rowsOf(operation).filter((each) => !each.endsWith('/for everybody'))) {
        const theirs = await make(row, row.includes('no ticket') ? 'member' : 'owner');
        const own = await make(row, 'stranger', world.elsewhere);
        const foreignId = idAt(theirs, position);
        if (foreignId === undefined) continue;
        const unknownId = missingId(position, foreignId);
        // In one's own team, and with everything else being theirs too.
        const answers = [
          await send(operation, replaceId(own, position, unknownId), { token }),
          await send(operation, replaceId(own, position, foreignId), { token }),
          await send(operation, replaceId(theirs, position, unknownId), { token }),
        ];
        const [missing, foreign] = answers as [Answer, Answer];
        assert.equal(missing.status, expected.status, missing.text);
        assert.equal(missing.json.code, expected.code, missing.text);
        assert.deepEqual(comparable(foreign), comparable(missing));
        if (part === 'params') {
          answers.push(await send(operation, { ...theirs, token: token as string }));
          const [, , withMissing, allTheirs] = answers as [Answer, Answer, Answer, Answer];
          assert.deepEqual(comparable(allTheirs), comparable(withMissing));
        }
        // A token that may only read finds out no more by writing.
        assert.deepEqual(
          comparable(await send(operation, replaceId(own, position, foreignId), { token: narrow })),
          comparable(await send(operation, replaceId(own, position, unknownId), { token: narrow })),
        );
        compared++;
      }
      assert.ok(compared > 0, 'no request has an id there');
    });
  }
});

walkLimited(() => ({ app, world }));

/** All of an answer but what differs between any two. */
function comparable({ status, headers, text }: Answer) {
  const changing = /^(x-request-id|date|ratelimit-.*)$/;
  return { status, text, headers: Object.fromEntries([...headers].filter(([name]) => !changing.test(name))) };
}

suite('checks come in the order that was decided', () => {
  const named = operations.filter(({ params }) => params);
  const NONSENSE: (RequestOptions & { query?: string })[] = [
    { query: '?page=abc&size=-1&after_datetime=yesterday' },
    { body: '{"name":' },
    { body: '[]' },
    { body: '{"name":1,"is_active":"maybe","description":{},"target_email":[],"city":7}' },
    { body: 'a=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    { body: '<a/>', headers: { 'content-type': 'text/xml' } },
    { body: 'x'.repeat(1024 * 1024 + 1) },
    { body: '{}', headers: { 'idempotency-key': 'with blanks' } },
  ];

  for (const operation of named) {
    test(`${operation.id}: a malformed id is 422 for whoever may call, and 401 comes first`, async () => {
      const entitled = (['owner', 'operator'] as const).find((each) => statusFor(operation.id, each) === 200);
      const made = await make(operation.id, entitled as CallerName);
      // Almost any word can be the name of a template.
      const isStrict = (position: Position) => position.part === 'params' && position.name !== 'template_name';
      for (const { part, name } of idPositions(operation).filter(isStrict)) {
        for (const id of ['not-an-id', '1e3', '{}', '%00', "'; drop table users; --", `${randomUUID()}0`]) {
          const wrong = replaceId(made, { part, name }, encodeURIComponent(id));
          const answer = await send(operation, wrong, { token: world.token(entitled as CallerName) });
          assert.equal(answer.status, 422, `${id}: ${answer.text}`);
          assert.deepEqual(answer.json.detail[0].loc, ['path', name]);
          const unknown = await send(operation, wrong);
          assert.equal(unknown.status, statusFor(operation.id, 'nobody') === 401 ? 401 : 422, unknown.text);
        }
      }
    });

    // What is everybody's is nobody's own; and without the password in its body no passkey is looked for.
    if (operation.access.who === 'anyone' || operation.id === 'removePasskey') continue;
    test(`${operation.id}: nonsense sent to what is not one's own gets no further than that`, async () => {
      // Operators may see everything, so for them only what is missing is out of reach.
      const isOperators = statusFor(operation.id, 'owner') === 403;
      const theirs = await make(operation.id, 'owner');
      const missing = idPositions(operation)
        .filter(({ part }) => part === 'params')
        .reduce((all, each) => replaceId(all, each, missingId(each, idAt(all, each))), theirs);
      const [made, token] = isOperators ? [missing, world.token('operator')] : [theirs, world.token('stranger')];
      const path = fillPath(operation, made);
      for (const nonsense of NONSENSE) {
        if (nonsense.body !== undefined && !operation.body) continue;
        const answer = await request(app, operation.method, path + (nonsense.query ?? ''), { ...nonsense, token });
        assert.equal(answer.status, 404, `${JSON.stringify(nonsense).slice(0, 80)}: ${answer.text}`);
      }
    });
  }
});

suite('a change with the session cookie comes from the platform itself', () => {
  const changing = operations.filter(({ method, id }) => method !== 'GET' && statusFor(id, 'nobody') === 401);
  for (const operation of changing) {
    test(operation.id, async () => {
      const entitled = (['owner', 'operator'] as const).find((each) => statusFor(operation.id, each) === 200);
      const [made, otherMade] = await Promise.all([
        make(operation.id, entitled as CallerName),
        make(operation.id, entitled as CallerName),
      ]);
      const post = (
        { token = world.token(entitled as CallerName) as string, ...ingredients }: Ingredients,
        origin: Record<string, string>,
      ) => send(operation, ingredients, { headers: { ...ingredients.headers, cookie: `session=${token}`, ...origin } });
      const origins = ['https://evil.example', 'null', app.url.replace('//', '//blog.'), `${app.url}@evil.example`, ''];
      for (const origin of [{}, ...origins.map((each) => ({ origin: each }))]) {
        const answer = await post(made, origin as Record<string, string>);
        if (operation.id === 'verifyEmail') {
          // Anybody may call it with a token from a mail, so a cookie from elsewhere only counts for nothing.
          if (Object.keys(origin).length > 0) assert.equal(answer.status, 401, answer.text);
          continue;
        }
        assert.equal(answer.status, 403, `${JSON.stringify(origin)}: ${answer.text}`);
        assert.equal(answer.json.code, 'auth.foreign_origin');
      }
      const own = await post(otherMade, { origin: app.url });
      assert.equal(own.status, 200, own.text);
    });
  }

  test('reading needs no origin, and a foreign page can not sign anybody out', async () => {
    const token = await world.credential(world.person('owner'));
    const cookie = `session=${token}`;
    const headers = { cookie, origin: 'https://evil.example' };
    assert.equal((await request(app, 'GET', '/me', { headers: { cookie } })).status, 200);
    const signOut = await request(app, 'POST', '/logout', { headers });
    assert.equal(signOut.headers.get('set-cookie'), null);
    assert.equal((await request(app, 'GET', '/me', { token })).status, 200);
  });
});
