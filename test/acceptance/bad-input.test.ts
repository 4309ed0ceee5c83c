import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { after, before, suite, test } from 'node:test';
import { API_PREFIX, type Operation } from '#core/http/operation.ts';
import { operationsOf } from '#features/feature.ts';
import { features } from '#features/index.ts';
import { startTestApp, type TestApp } from '../app.ts';
import { FULL, Random, SEED } from '../random.ts';
import { combine, type Draft, draftOf, type Mutation, mutationsOf, toBytes } from './bad-input.ts';
import { expectedStatuses } from './expected-policy.ts';
import { type Outside, startOutside } from './outside.ts';
import { requests } from './requests.ts';
import { exchange, type WireAnswer } from './wire.ts';
import { createWorld, PASSWORD, type Place, request, type World } from './world.ts';

const operations = operationsOf(features);

/**
 * Wrong requests for every operation, from somebody who may call it: none makes the service fail, and every refusal has
 * the shape that was promised. A whole run tries 24 for each operation, FULL=1 all of them, SEED=n mixes them differently.
 */
const AT_LEAST = FULL ? 250 : 24;
const AT_ONCE = 6;
/** Few, so that a small crowd is more than there are: if each of it held one and waited for another, none would ever come. */
const CONNECTIONS = 4;
const CROWD = CONNECTIONS + 2;

let outside: Outside;
let app: TestApp;
let world: World;
let port: number;
const statuses = new Map<number, number>();
const count = (status: number) => statuses.set(status, (statuses.get(status) ?? 0) + 1);

before(async () => {
  outside = await startOutside();
  app = await startTestApp({ env: { ...outside.env, DATABASE_POOL_SIZE: String(CONNECTIONS) } });
  world = await createWorld(app);
  port = Number(new URL(app.url).port);
});
after(async () => {
  const classes = Map.groupBy(statuses, ([status]) => `${Math.floor(status / 100)}xx`);
  const sum = (entries: [number, number][] = []) => entries.reduce((total, [, each]) => total + each, 0);
  const byClass = ['2xx', '3xx', '4xx', '5xx'].map((name) => `${name}: ${sum(classes.get(name))}`);
  const byStatus = [...statuses].sort(([a], [b]) => a - b).map(([status, each]) => `${status}: ${each}`);
  console.log(
    `bad input, seed ${SEED}: ${operations.length} operations, ${sum([...statuses])} requests, answers ${byClass.join(', ')} ` +
      `(${byStatus.join(', ')})`,
  );
  await app?.close();
  await outside?.close();
});

/** Who answers before all of a large body is there hangs up on the rest, and the reset may take the answer along: then it is asked again. */
async function exchangeWhole(bytes: Buffer): Promise<WireAnswer | undefined> {
  for (let tries = bytes.length > 65_536 ? 8 : 1; tries > 0; tries--) {
    const answer = await exchange(port, bytes);
    if (answer) return answer;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  return undefined;
}

suite('every wrong request gets a proper answer', () => {
  for (const operation of operations) {
    test(operation.id, async () => {
      const random = new Random(SEED + hash(operation.id));
      const all = mutationsOf(operation, random);
      const chosen = FULL ? [...all] : all.slice(0, AT_LEAST);
      while (chosen.length < AT_LEAST || (FULL && chosen.length < all.length + 50)) chosen.push(combine(all, random));
      const found: number[] = [];
      const failures: string[] = [];
      const attempt = async (mutation: Mutation) => {
        const valid = await takeDraft(operation);
        const draft = spoiltBy(mutation, valid);
        const bytes = toBytes(draft);
        try {
          const answer = await exchangeWhole(bytes);
          assert.ok(answer, 'the connection was closed without an answer');
          if (isUnused(draft, answer)) unused.get(operation)?.push(valid);
          count(answer.status);
          found.push(answer.status);
          check(operation, mutation, draft, answer);
        } catch (error) {
          failures.push(`${(error as Error).message}\n  ${mutation.what}\n  ${show(bytes)}`);
        }
      };
      await inParallel(chosen, attempt);
      const isTried = operation.body || operation.query || operation.params;
      // Some have little to get wrong, and it is not among the first.
      for (let at = AT_LEAST; isTried && !found.includes(422) && at < all.length; at += AT_ONCE)
        await inParallel(all.slice(at, at + AT_ONCE), attempt);
      if (failures.length > 0)
        assert.fail(`seed ${SEED}, ${failures.length} failures, among them:\n${failures.slice(0, 5).join('\n')}`);
      // Otherwise the requests never got as far as what they are meant to try.
      if (isTried) assert.ok(found.includes(422), 'nothing was found invalid');
    });
  }
});

/** Each operation has a team to itself: the number of open invites in a team is limited. */
const places = new Map<Operation, Promise<Place>>();
const newPlace = async (): Promise<Place> => ({ ...world.home, teamId: await world.team(world.home.owner) });

/** Valid requests that can be spoilt again: whoever only read, or was refused, has used nothing up. */
const unused = new Map<Operation, Draft[]>(operations.map((operation) => [operation, []]));

async function takeDraft(operation: Operation): Promise<Draft> {
  return unused.get(operation)?.pop() ?? makeDraft(operation);
}

const isUnused = ({ method }: Draft, { status }: WireAnswer) =>
  method === 'GET' ? status < 500 : status >= 400 && status < 500;

function spoiltBy(mutation: Mutation, valid: Draft): Draft {
  const { query, headers, fields } = valid;
  const draft: Draft = {
    ...valid,
    query: [...query],
    headers: headers.map(([name, value]) => [name, value]),
    fields: fields?.map(([name, json]) => [name, json]),
  };
  mutation.spoil(draft);
  return draft;
}

/** A valid request with a session of its own, since a request may well succeed in signing its sender out. */
async function makeDraft(operation: Operation): Promise<Draft> {
  const entitled = expectedStatuses.get(operation.id)?.owner === 200 ? 'owner' : 'operator';
  places.set(operation, places.get(operation) ?? newPlace());
  const place = (await places.get(operation)) as Place;
  const made = await requests[operation.id]?.({ world, caller: entitled, place });
  return draftOf(operation, made ?? {}, made?.token ?? (await world.credential(world.person(entitled))));
}

function check(operation: Operation, mutation: Mutation, draft: Draft, answer: WireAnswer): void {
  const { status, headers, body } = answer;
  assert.ok(status < 500, `${status} ${body}`);
  if (mutation.elsewhere && headers.get('content-type')?.startsWith('text/html')) return;
  const isApi = draft.path.startsWith(API_PREFIX) && status !== 431 && !(status === 400 && isUnparsable(draft));
  assert.ok(headers.has('x-request-id'), 'no x-request-id');
  if (isApi) {
    for (const name of ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'])
      assert.ok(headers.has(name), `no ${name}`);
  }
  if (status >= 400 && draft.method !== 'HEAD') checkRefusal(answer);
  if (status === 200 && isApi && operation.response && draft.method === operation.method) JSON.parse(body);
  if (!mutation.expect) return;
  assert.equal(status, mutation.expect.status, body);
  const { loc } = mutation.expect;
  if (!loc) return;
  const faults = JSON.parse(body).detail as { loc: unknown[] }[];
  assert.ok(
    faults.some((fault) => loc.every((step, at) => fault.loc[at] === step)),
    `no fault at ${loc.join('.')}: ${body}`,
  );
}

/** The parser refuses other letters in an address, and then nobody knows what was asked for. */
const isUnparsable = ({ path, query }: Draft) => !/^[\x21-\x7e]*$/.test(path + query.join(''));

const PARTS = ['body', 'query', 'path', 'header'];

function checkRefusal({ status, headers, body }: WireAnswer): void {
  assert.match(headers.get('content-type') ?? '', /^application\/json/, body);
  const answer = JSON.parse(body);
  if (status === 422) {
    assert.ok(Array.isArray(answer.detail) && answer.detail.length > 0, body);
    for (const fault of answer.detail) {
      assert.ok(Array.isArray(fault.loc) && PARTS.includes(fault.loc[0]), body);
      assert.equal(typeof fault.msg, 'string', body);
      assert.match(fault.type, /^[a-z_]+$/, body);
    }
  } else {
    assert.equal(typeof answer.detail, 'string', body);
    assert.match(answer.code, /^[a-z_]+\.[a-z_]+$/, body);
  }
  // A program that showed itself by Basic is asked for that again.
  if (status === 401) assert.match(headers.get('www-authenticate') ?? '', /^Bearer$|^Basic realm="metrics-token"/);
  if (status === 429) assert.match(headers.get('retry-after') ?? '', /^\d+$/);
  assert.doesNotMatch(
    body,
    /node_modules|\.[jt]s:\d|syntax error|violates|relation "|stack/i,
    'it tells what is inside',
  );
}

suite('what is not even HTTP gets an answer in our shape, or the door', () => {
  const host = 'Host: localhost\r\n';
  const post = (headers: string, body: string) =>
    `POST ${API_PREFIX}/token HTTP/1.1\r\n${host}${headers}\r\n\r\n${body}`;
  const get = (headers: string) => `GET ${API_PREFIX}/me HTTP/1.1\r\n${host}${headers}\r\n\r\n`;
  const wrong: Record<string, string> = {
    garbage: 'lkj 23 \x00\x01\xff\r\n\r\n',
    'a TLS handshake': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    'HTTP/0.9': `GET ${API_PREFIX}/me\r\n\r\n`,
    'HTTP/3.0': `GET ${API_PREFIX}/me HTTP/3.0\r\n${host}\r\n`,
    'HTTP/2 with prior knowledge': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'a method that is none': `BREW ${API_PREFIX}/me HTTP/1.1\r\n${host}\r\n`,
    'a method in small letters': `get ${API_PREFIX}/me HTTP/1.1\r\n${host}\r\n`,
    'a blank in the path': `GET ${API_PREFIX}/me me HTTP/1.1\r\n${host}\r\n`,
    'a path without a slash': `GET me HTTP/1.1\r\n${host}\r\n`,
    'no host': `GET ${API_PREFIX}/me HTTP/1.1\r\n\r\n`,
    'two hosts': get('Host: evil.example'),
    'headers too large': get(`X: ${'x'.repeat(40_000)}`),
    'a path too large': `GET ${API_PREFIX}/${'x'.repeat(40_000)} HTTP/1.1\r\n${host}\r\n`,
    'too many headers': get(Array.from({ length: 6000 }, (_, at) => `X-${at}: y`).join('\r\n')),
    'a header without a colon': get('nonsense'),
    'a header with a blank name': get('X Y: z'),
    'a header with a NUL': get('X: a\x00b'),
    'a folded header': get('X: a\r\n b'),
    'a bare newline in a header': get('X: a\nY: b'),
    'a length that is no number': post('Content-Length: abc', '{}'),
    'a negative length': post('Content-Length: -1', '{}'),
    'two lengths': post('Content-Length: 2\r\nContent-Length: 3', '{}x'),
    'a length and chunks': post('Content-Length: 2\r\nTransfer-Encoding: chunked', '0\r\n\r\n'),
    'an unknown transfer encoding': post('Transfer-Encoding: gzip', '{}'),
    'chunks twice': post('Transfer-Encoding: chunked, chunked', '0\r\n\r\n'),
    'a chunk size that is no number': post('Transfer-Encoding: chunked', 'zz\r\n{}\r\n0\r\n\r\n'),
    'a chunk longer than it says': post('Transfer-Encoding: chunked', '1\r\n{}\r\n0\r\n\r\n'),
    'an expectation nobody can meet': get('Expect: the-spanish-inquisition'),
    'OPTIONS *': `OPTIONS * HTTP/1.1\r\n${host}\r\n`,
    CONNECT: `CONNECT evil.example:443 HTTP/1.1\r\n${host}\r\n`,
    'an upgrade': get('Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x'),
  };
  for (const [name, bytes] of Object.entries(wrong)) {
    test(name, async () => {
      const answer = await exchange(port, Buffer.from(bytes, 'latin1'));
      if (name === 'CONNECT') return assert.equal(answer, undefined);
      assert.ok(answer, 'the connection was closed without an answer');
      count(answer.status);
      assert.ok(answer.status >= 400 && answer.status < 500, `${answer.status} ${answer.body}`);
      checkRefusal(answer);
      assert.ok(answer.headers.has('x-request-id'), 'no x-request-id');
    });
  }

  test('a request that breaks off disturbs nobody', async () => {
    const whole = post('Content-Type: application/json\r\nContent-Length: 100', '{"username":"a"');
    for (const end of [1, 20, 60, whole.length]) {
      const socket = connect(port, '127.0.0.1');
      await new Promise<void>((resolve) => socket.write(whole.slice(0, end), () => resolve()));
      socket.destroy();
    }
  });
});

suite('a crowd is served: nobody holds a connection to the database while waiting for another', () => {
  for (const operation of operations.filter(({ method }) => method !== 'GET')) {
    test(operation.id, async () => {
      const drafts = await Promise.all(Array.from({ length: CROWD }, () => makeDraft(operation)));
      const answers = await Promise.all(drafts.map((draft) => exchange(port, toBytes(draft), 60_000)));
      const refusal = TOLD_OTHERWISE[operation.id];
      const statuses = answers.map((answer) => answer?.status).filter((status) => !refusal || status !== refusal);
      if (refusal) assert.ok(statuses.includes(200), 'nobody was served');
      // What OAuth makes is a 201.
      assert.deepEqual(
        statuses.filter((status) => status !== 200 && status !== 201),
        [],
      );
      const madeUp = drafts.map((draft) => toBytes({ ...draft, headers: draft.headers.map(withMadeUpToken) }));
      const refusals = await Promise.all(madeUp.map((bytes) => exchange(port, bytes, 60_000)));
      for (const each of refusals) assert.ok(each && each.status < 500, each?.body);
    });
  }
});

/**
 * A team imports one site at a time and runs a few commands, and a person has one address and one authenticator app: the
 * others are told so.
 */
const TOLD_OTHERWISE: Record<string, number> = {
  importSite: 409,
  runSiteCommand: 429,
  confirmEmail: 409,
  confirmTotp: 409,
  removeTotp: 409,
};

const withMadeUpToken = ([name, value]: [string, string]): [string, string] => [
  name,
  name === 'Authorization' ? `Bearer ${randomUUID()}` : value,
];

test('connections that never ask anything do not keep the service from stopping', async () => {
  const other = await startTestApp();
  const sockets = ['', 'GET / HT', `GET / HTTP/1.1\r\nHost: localhost\r\nX`].map((bytes) => {
    const socket = connect(Number(new URL(other.url).port), '127.0.0.1');
    socket.on('error', () => {});
    if (bytes) socket.write(bytes);
    return socket;
  });
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
  assert.equal((await fetch(`${other.url}/healthz`)).status, 200);
  const hungUp = Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve))));
  const started = Date.now();
  const closed = other.close();
  // How long the rest of a stop takes depends on the machine. Whoever still sends is given ten seconds.
  await hungUp;
  assert.ok(Date.now() - started < 8000, `it took ${Date.now() - started} ms`);
  await closed;
});

test('after all this the service works as before', async () => {
  const ready = await fetch(`${app.url}/readyz`);
  assert.equal(ready.status, 200);
  const email = 'after@example.com';
  const body = { email, password: PASSWORD, first_name: 'After', last_name: 'Wards' };
  assert.equal((await request(app, 'POST', '/register', { body })).status, 200);
  const grant = await request(app, 'POST', '/token', { body: { username: email, password: PASSWORD } });
  const teams = await request(app, 'GET', '/team', { token: grant.json.access_token });
  assert.equal(teams.json.count, 1);
  assert.equal(({} as Record<string, unknown>).is_superuser, undefined);
});

async function inParallel<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const item of queue) await work(item);
    }),
  );
}

const hash = (text: string) => [...text].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7);
const show = (bytes: Buffer) => JSON.stringify(bytes.toString('latin1').slice(0, 3000));
