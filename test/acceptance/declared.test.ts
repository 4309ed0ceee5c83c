import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { sql } from 'kysely';
import { keepsAnswer, type Operation, takesStream } from '#core/http/operation.ts';
import { addressKey } from '#core/http/rate-limits.ts';
import { operationsOf } from '#features/feature.ts';
import { features } from '#features/index.ts';
import { startTestApp, type TestApp } from '../app.ts';
import { expectedStatuses } from './expected-policy.ts';
import { type Outside, startOutside } from './outside.ts';
import { fillPath, type Ingredients, operationOf, requests } from './requests.ts';
import { type Answer, createWorld, type RequestOptions, request, type World } from './world.ts';

/**
 * What the way of a request can end with, whatever the operation: each refusal is met for real at each operation that has it,
 * and the document has its status and its code there. policy.test.ts does so for the refusals of policies.
 */
const operations = operationsOf(features);

interface Described {
  operationId: string;
  responses: Record<string, { $ref?: string; description?: string }>;
}

let outside: Outside;
let app: TestApp;
let world: World;
let described: Map<string, Described>;
let responses: Record<string, { description: string }>;

before(async () => {
  outside = await startOutside();
  // Large enough to be met by nobody who does not mean to, and small enough to be used up.
  app = await startTestApp({ env: { ...outside.env, RATE_LIMIT_FACTOR: '10' } });
  world = await createWorld(app);
  const document = (await (await fetch(`${app.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, Described>>;
    components: { responses: typeof responses };
  };
  const all = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  described = new Map(all.map((each) => [each.operationId, each]));
  responses = document.components.responses;
});
after(async () => {
  await app?.close();
  await outside?.close();
});

function assertDescribed(operation: Operation, { status, json, text }: Answer): void {
  const { $ref, description } = described.get(operation.id)?.responses[status] ?? {};
  const told = $ref ? responses[$ref.split('/').at(-1) as string]?.description : description;
  const code = json?.code ?? (status === 422 ? 'request.invalid' : text);
  assert.ok(told?.includes(`\`${code}\``), `${operation.id} does not tell of ${status} ${code}`);
}

type Right = Ingredients & { token: string };
const rights = new Map<Operation, Promise<Right>>();

/** Whoever may call it, with a right request. All are refused here, which uses nothing up, so one serves all walks. */
function rightRequest(operation: Operation): Promise<Right> {
  const known = rights.get(operation) ?? makeRight(operation);
  rights.set(operation, known);
  return known;
}

async function makeRight(operation: Operation): Promise<Right> {
  const rows = [...expectedStatuses.keys()].filter((row) => operationOf(row) === operation.id);
  const row = rows.find((each) => expectedStatuses.get(each)?.owner === 200) ?? (rows[0] as string);
  const caller = expectedStatuses.get(row)?.owner === 200 ? 'owner' : 'operator';
  const made = (await requests[row]?.({ world, caller, place: world.home })) as Ingredients;
  return { ...made, token: made.token ?? (await world.credential(world.person(caller))) };
}

async function refuse(operation: Operation, made: Ingredients, options: RequestOptions, expected: [number, string]) {
  const headers = { ...made.headers, ...options.headers };
  const answer = await request(app, operation.method, fillPath(operation, made), {
    body: made.body,
    ...options,
    headers,
  });
  assert.deepEqual([answer.status, answer.json?.code ?? ''], expected, `${operation.id}: ${answer.text}`);
  assertDescribed(operation, answer);
}

const writes = ({ method }: Operation) => method !== 'GET';
const isClosed = ({ access }: Operation) => access.who !== 'anyone';
const takesCookies = ({ access }: Operation) => access.who !== 'anyone' && access.who !== 'bearer';

function walk(name: string, which: (operation: Operation) => boolean, check: (operation: Operation) => Promise<void>) {
  suite(name, () => {
    for (const operation of operations.filter(which)) test(operation.id, () => check(operation));
  });
}

walk('no credential', isClosed, async (operation) => {
  await refuse(operation, await rightRequest(operation), {}, [401, 'auth.required']);
});

walk('two session cookies', isClosed, async (operation) => {
  const headers = { cookie: 'session=one; session=two' };
  await refuse(operation, await rightRequest(operation), { headers }, [401, 'auth.duplicate_cookie']);
});

walk(
  'a session that a page of another site spends',
  (each) => writes(each) && takesCookies(each),
  async (operation) => {
    const made = await rightRequest(operation);
    const headers = { cookie: `session=${made.token}`, origin: 'http://evil.example' };
    await refuse(operation, made, { headers }, [403, 'auth.foreign_origin']);
  },
);

/** What is read as it comes has a limit of its own (site.import.test.ts). */
const hasLimit = (operation: Operation) => writes(operation) && !takesStream(operation);

walk('a body that is too large', hasLimit, async (operation) => {
  const made = await rightRequest(operation);
  const body = Buffer.alloc((operation.bodyLimitBytes ?? 1024 * 1024) + 1, 'x');
  await refuse(operation, made, { body, token: made.token }, [413, 'request.too_large']);
});

walk('a key that is none', keepsAnswer, async (operation) => {
  const made = await rightRequest(operation);
  await refuse(operation, made, { token: made.token, headers: { 'idempotency-key': 'a b' } }, [422, '']);
});

walk('a key whose first request is still running', keepsAnswer, async (operation) => {
  const made = await rightRequest(operation);
  const caller = await app.services.credentials.resolve(made.token);
  const key = `running-${operation.id}`;
  // Without a credential a key belongs to the address, so the token of what anyone may call stays away.
  const token = isClosed(operation) ? made.token : undefined;
  const addresses = ['127.0.0.1', '::1', '::ffff:127.0.0.1'].map((ip) => `address ${addressKey(ip)}`);
  const owners = isClosed(operation) ? [caller?.userId as string] : addresses;
  await app.services.db.transaction().execute(async (tx) => {
    for (const owner of owners)
      await sql`select pg_advisory_xact_lock(hashtextextended(${`${owner} ${key}`}, 0))`.execute(tx);
    const options = { headers: { 'idempotency-key': key }, ...(token && { token }) };
    await refuse(operation, made, options, [409, 'idempotency.in_progress']);
  });
});

/** The last ones: nobody gets in any more. */
walk(
  'more than the limit allows',
  () => true,
  async (operation) => {
    const made = await rightRequest(operation);
    const caller = await app.services.credentials.resolve(made.token);
    const addresses = ['127.0.0.1', '::1', '::ffff:127.0.0.1'].flatMap((ip) => [addressKey(ip), addressKey(ip, 48)]);
    const keys = operation.limit || !caller ? addresses : [caller.credential.id, ...addresses];
    const name = operation.limit ?? (writes(operation) ? 'write' : 'read');
    for (const key of keys) while (!app.services.limits.take(name, key).exceeded);
    await refuse(operation, made, { token: made.token }, [429, 'rate_limit.exceeded']);
  },
);
