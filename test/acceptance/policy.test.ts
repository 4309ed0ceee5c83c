import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { type RawBuilder, sql } from 'kysely';
import type { Operation } from '#core/http/operation.ts';
import { operationsOf } from '#features/feature.ts';
import { features } from '#features/index.ts';
import type { TestApp } from '../app.ts';
import { expectedStatuses, foreignIds } from './expected-policy.ts';
import { walkLimited } from './limited-walk.ts';
import { openWorld } from './open-world.ts';
import {
  fillPath,
  type Ingredients,
  idAt,
  idPositions,
  missingId,
  operationOf,
  type Position,
  replaceId,
  requests,
} from './requests.ts';
import { type Answer, CALLERS, type CallerName, type RequestOptions, request, type World } from './world.ts';

const operations = operationsOf(features);

/** Walks the whole table of operations with everybody who could call. */
let app: TestApp;
let world: World;
let close = async () => {};

before(async () => {
  ({ app, world, close } = await openWorld());
});
after(() => close());

const operationsById = new Map(operations.map((operation) => [operation.id, operation]));
const rows = [...expectedStatuses.keys()];
const statusFor = (row: string, caller: CallerName): number => expectedStatuses.get(row)?.[caller] as number;
const operationAt = (row: string): Operation => operationsById.get(operationOf(row)) as Operation;
const make = async (row: string, caller: CallerName, place = world.placeOf(caller)): Promise<Ingredients> =>
  (await requests[row]?.({ world, caller, place })) as Ingredients;

function send(operation: Operation, ingredients: Ingredients, options: RequestOptions = {}): Promise<Answer> {
  const { body, token, headers } = ingredients;
  return request(app, operation.method, fillPath(operation, ingredients), {
    ...(body !== undefined && { body }),
    ...(headers && { headers }),
    ...options,
    token: token ?? options.token,
  });
}

test('the table has a row for each operation and an operation for each row', () => {
  const named = new Set(rows.map(operationOf));
  assert.deepEqual([...named].sort(), [...operationsById.keys()].sort());
  assert.deepEqual(rows.toSorted(), Object.keys(requests).sort());
  const positions = operations.flatMap((operation) =>
    idPositions(operation).map(({ part, name }) => `${operation.id} ${part}.${name}`),
  );
  assert.deepEqual([...foreignIds.keys()].sort(), positions.sort());
});

suite('each caller gets exactly what the table says', () => {
  for (const row of rows) {
    test(row, async () => {
      const operation = operationAt(row);
      const makeCalls = () => Promise.all(CALLERS.map(async (caller) => ({ caller, made: await make(row, caller) })));
      const call = async ({ caller, made }: Awaited<ReturnType<typeof makeCalls>>[number]) => {
        const answer = await send(operation, made, { token: world.token(caller) });
        assert.equal(answer.status, statusFor(row, caller), `${row} as ${caller}: ${answer.status} ${answer.text}`);
        if (answer.status >= 400) checkRefusal(answer);
        if (caller === 'unverified' && isKeptByAddress(row)) assert.equal(answer.json.code, 'auth.unverified');
      };
      const isAllowed = ({ caller }: { caller: CallerName }) => statusFor(row, caller) === 200;

      let calls = await makeCalls();
      for (let attempts = 1; ; attempts++) {
        const before = await everythingStored();
        for (const refused of calls.filter((each) => !isAllowed(each))) await call(refused);
        const after = await everythingStored();
        if (isDeepStrictEqual(after, before)) break;
        // Work in the background may have changed something just then. What a refused call leaves, it leaves each time.
        if (attempts === 8) assert.deepEqual(after, before, `${row}: a refused call left a trace`);
        calls = await makeCalls();
      }
      for (const allowed of calls.filter(isAllowed)) await call(allowed);
    });
  }
});

/** What the owner may do, and would do if the address were confirmed. */
const isKeptByAddress = (row: string) => statusFor(row, 'unverified') === 403 && statusFor(row, 'owner') !== 403;

test('what an unconfirmed address keeps from doing says so in its rule', () => {
  for (const row of rows) {
    const { access, id } = operationAt(row);
    if (isKeptByAddress(row)) assert.match(access.rule, /with a confirmed email address$/, id);
    // The rows of one operation may differ, and then its rule says when.
    const says = / with a confirmed email address$/.test(access.rule);
    const ofOperation = rows.filter((each) => operationOf(each) === id);
    if (says)
      assert.ok(
        ofOperation.some((each) => statusFor(each, 'unverified') === 403),
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

/** Of these tables the rest changes by itself: when a token was last used, how far an operation is. */
const STEADY_COLUMNS: Record<string, RawBuilder<unknown>> = {
  credentials: sql`(t.id, t.scopes, t.expires_at)`,
  // New sites are synced with their repository when they are there, by nobody.
  events: sql`(case when t.event_type <> 'git.synced' or t.user_id is not null then (t.id, t.event_type) end)`,
  git_links: sql`(t.site_id, t.git_url, t.branch)`,
  // What its sites take on disk is measured while they are being created.
  teams: sql`(t.id, t.user_id, t.name, t.timezone, t.plan_type_name, t.is_active)`,
  sites: sql`(t.id, t.team_id, t.fqdn, t.http_auth_enabled, t.is_sleeping)`,
  // Where names lead is looked up in DNS from time to time.
  site_names: sql`(t.fqdn, t.site_id, t.mode)`,
  deleted_sites: sql`(t.id, t.fqdn)`,
  // What is sent again fails again, since nobody is at these addresses.
  webhooks: sql`(t.id, t.url, t.description, t.is_active)`,
  webhook_deliveries: sql`(t.id, t.state)`,
  payment_customers: sql`(t.account, t.customer_id, t.user_id)`,
  // Work on sites that are only rows fails for good at some time of its own; those that the rows are about are these.
  failed_jobs: sql`(case when t.kind = 'housekeeping' then t.id end)`,
};

/** What a request could change, in a form that can be compared. */
async function everythingStored(): Promise<Record<string, string>> {
  const tables = [
    'users',
    'teams',
    'team_members',
    'limited_members',
    'site_roles',
    'team_invites',
    'tickets',
    'ticket_replies',
    'attachments',
  ];
  const ofTeams = [
    'application_passwords',
    'sites',
    'site_names',
    'external_paths',
    'deleted_sites',
    'released_names',
    'git_accounts',
    'git_links',
  ];
  const all = [
    ...tables,
    ...ofTeams,
    'webhooks',
    'webhook_secrets',
    'webhook_deliveries',
    'regions',
    'checkouts',
    'payment_customers',
    'subscriptions',
    'payment_events',
    'invite_sends',
    'test_payment_objects',
    'failed_jobs',
    'mailed_links',
    'idempotent_answers',
    'credentials',
    'events',
  ];
  // One question for all of them: it is asked twice for each row of the table.
  const digests = all.map((table) => {
    const row = STEADY_COLUMNS[table] ?? sql`t`;
    return sql`select ${sql.lit(table)} as name, concat(count(*), ' ', sum(hashtextextended(${row}::text, 0))) as digest from ${sql.id(table)} t`;
  });
  const { rows } = await sql<{ name: string; digest: string }>`${sql.join(digests, sql` union all `)}`.execute(
    app.services.db,
  );
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
}

suite('a foreign id answers byte for byte like a missing one', () => {
  for (const [where, expected] of foreignIds) {
    if (expected === 'public') continue;
    test(where, async () => {
      const [id = '', place = ''] = where.split(' ');
      const [part, name] = place.split('.') as [Position['part'], string];
      const position = { part, name };
      const operation = operationsById.get(id) as Operation;
      const token = world.token('stranger');
      const narrow = await world.credential(world.person('stranger'), { kind: 'api_token', scopes: ['read'] });
      let compared = 0;
      // What is for everybody is nobody's to hide.
      for (const row of rows.filter((each) => operationOf(each) === id && !each.endsWith('/for everybody'))) {
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
