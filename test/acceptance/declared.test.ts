import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { sql } from 'kysely';
import { keepsAnswer, type Operation, takesStream } from '#core/http/operation.ts';
import { addressKey, RateLimits } from '#core/http/rate-limits.ts';
import type { TestApp } from '#testkit/app/test-app.ts';
import { sharedWorld } from './open-world.ts';
import { allowedRow, operations } from './operations.ts';
import { type Ingredients, makeRequest, sendRequest } from './requests.ts';
import type { Answer, RequestOptions, World } from './world.ts';

/**
 * What the way of a request can end with, whatever the operation: each refusal is met for real at each operation that has it,
 * and the document has its status and its code there. policy.test.ts does so for the refusals of policies. OPERATION=createSite walks one
 * operation alone.
 */
interface Described {
  operationId: string;
  responses: Record<string, { $ref?: string; description?: string }>;
}

let app: TestApp;
let world: World;
let described: Map<string, Described>;
let responses: Record<string, { description: string }>;

before(async () => {
  ({ app, world } = await sharedWorld());
  const document = (await (await fetch(`${app.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, Described>>;
    components: { responses: typeof responses };
  };
  const all = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  described = new Map(all.map((each) => [each.operationId, each]));
  responses = document.components.responses;
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
  const { row, caller } = allowedRow(operation);
  const made = await makeRequest(row, { world, caller, place: world.home });
  return { ...made, token: made.token ?? (await world.credential(world.person(caller))) };
}

/** The request is sent without the token unless the options have it. */
async function refuse(
  operation: Operation,
  { token: _token, ...made }: Right,
  { body, ...options }: RequestOptions,
  expected: [number, string],
) {
  const ingredients = body === undefined ? made : { ...made, body: body as Buffer };
  const answer = await sendRequest(app, operation, ingredients, options);
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

suite('more than the limit allows', () => {
  // The app that the walks share has no limits.
  let unlimited: RateLimits;
  before(() => {
    unlimited = app.services.limits;
  });
  after(() => {
    app.services.limits = unlimited;
  });
  for (const operation of operations)
    test(operation.id, async () => {
      const made = await rightRequest(operation);
      const caller = await app.services.credentials.resolve(made.token);
      const addresses = ['127.0.0.1', '::1', '::ffff:127.0.0.1'].flatMap((ip) => [addressKey(ip), addressKey(ip, 48)]);
      const keys = operation.limit || !caller ? addresses : [caller.credential.id, ...addresses];
      const name = operation.limit ?? (writes(operation) ? 'write' : 'read');
      const limits = new RateLimits(1);
      for (const key of keys) while (!limits.take(name, key).exceeded);
      app.services.limits = limits;
      await refuse(operation, made, { token: made.token }, [429, 'rate_limit.exceeded']);
    });
});
