import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { API_PREFIX, type Operation } from '#core/http/operation.ts';
import type { TestApp } from '#testkit/app/test-app.ts';
import { FULL, Random, SEED } from '#testkit/random.ts';
import { combine, type Draft, draftOf, type Mutation, mutationsOf, toBytes } from './bad-input.ts';
import { expectedStatuses } from './expected-policy.ts';
import { makeRequest } from './requests.ts';
import { exchange, type WireAnswer } from './wire.ts';
import { PASSWORD, type Place, request, type World } from './world.ts';

/**
 * Sends wrong requests to an operation, from somebody who may call it. bad-input.test.ts sends the first few of each operation and
 * bad-input.full.test.ts all others: 24 together, or every one there is with FULL=1. SEED=n mixes them differently.
 */
export const FAST_COUNT = 6;
const AT_ONCE = 6;
const DEFAULT_BODY_LIMIT_BYTES = 1024 * 1024;

/** The wrong requests of an operation in a fixed order. The first is invalid beyond doubt wherever the operation takes anything. */
export function wrongRequests(operation: Operation): Mutation[] {
  const random = new Random(SEED + hash(operation.id));
  const all = mutationsOf(operation, random);
  const invalid = all.find(({ expect }) => expect?.status === 422);
  const takesInput = operation.body || operation.query || operation.params;
  assert.ok(invalid || !takesInput, `${operation.id} takes input, and no mutation of it is invalid beyond doubt`);
  const ordered = invalid ? [invalid, ...all.filter((each) => each !== invalid)] : all;
  const count = FULL ? Math.max(250, ordered.length + 50) : 24;
  const chosen = ordered.slice(0, count);
  while (chosen.length < count) chosen.push(combine(all, random));
  return chosen;
}

const hash = (text: string) => [...text].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7);

export class WrongRequests {
  readonly #world: World;
  readonly #port: number;
  /** Each operation has a team to itself: the number of open invites in a team is limited. */
  readonly #places = new Map<Operation, Promise<Place>>();
  /** Valid requests that can be spoilt again: one that only read, or was refused, has used nothing up. */
  readonly #unused = new Map<Operation, Draft[]>();
  readonly #statuses = new Map<number, number>();

  constructor(app: TestApp, world: World) {
    this.#world = world;
    this.#port = Number(new URL(app.url).port);
  }

  /** None makes the service fail, and every refusal has the shape that was promised. */
  async send(operation: Operation, mutations: Mutation[]): Promise<void> {
    const failures: string[] = [];
    const queue = mutations.values();
    const work = async () => {
      for (const mutation of queue) {
        const failure = await this.#sendOne(operation, mutation);
        if (failure) failures.push(failure);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    if (failures.length > 0)
      assert.fail(`seed ${SEED}, ${failures.length} failures, among them:\n${failures.slice(0, 5).join('\n')}`);
  }

  /** A valid request with a session of its own, since a request may well succeed in signing its sender out. */
  async makeDraft(operation: Operation): Promise<Draft> {
    const world = this.#world;
    const caller = expectedStatuses.get(operation.id)?.owner === 200 ? 'owner' : 'operator';
    const place = this.#places.get(operation) ?? this.#newPlace();
    this.#places.set(operation, place);
    const made = await makeRequest(operation.id, { world, caller, place: await place });
    return draftOf(operation, made, made.token ?? (await world.credential(world.person(caller))));
  }

  async sendBytes(bytes: Buffer, timeoutMs?: number): Promise<WireAnswer | undefined> {
    const answer = await exchange(this.#port, bytes, timeoutMs);
    if (answer) this.#statuses.set(answer.status, (this.#statuses.get(answer.status) ?? 0) + 1);
    return answer;
  }

  /** How many requests got which status. */
  summary(): string {
    const counts = [...this.#statuses].sort(([a], [b]) => a - b);
    const sum = counts.reduce((total, [, count]) => total + count, 0);
    return `seed ${SEED}: ${sum} requests (${counts.map(([status, count]) => `${status}: ${count}`).join(', ')})`;
  }

  async #newPlace(): Promise<Place> {
    const { home, team } = this.#world;
    return { ...home, teamId: await team(home.owner) };
  }

  async #sendOne(operation: Operation, mutation: Mutation): Promise<string | undefined> {
    const unused = this.#unused.get(operation) ?? [];
    this.#unused.set(operation, unused);
    const valid = unused.pop() ?? (await this.makeDraft(operation));
    const draft = spoiltBy(mutation, valid);
    const bytes = toBytes(draft);
    try {
      const answer = await this.#sendWhole(bytes);
      assert.ok(answer, 'the connection was closed without an answer');
      if (isUnused(draft, answer)) unused.push(valid);
      check(operation, mutation, draft, answer, bytes.length);
      return undefined;
    } catch (error) {
      return `${(error as Error).message}\n  ${mutation.what}\n  ${show(bytes)}`;
    }
  }

  /** A server that answers before all of a large body is there resets the connection, and the answer may be lost: then it is asked again. */
  async #sendWhole(bytes: Buffer): Promise<WireAnswer | undefined> {
    for (let tries = bytes.length > 65_536 ? 8 : 1; tries > 0; tries--) {
      const answer = await this.sendBytes(bytes);
      if (answer) return answer;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    return undefined;
  }
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

function check(operation: Operation, mutation: Mutation, draft: Draft, answer: WireAnswer, sizeBytes: number): void {
  const { status, headers, body } = answer;
  assert.ok(status < 500, `${status} ${body}`);
  if (mutation.elsewhere && headers.get('content-type')?.startsWith('text/html')) return;
  const isApi = draft.path.startsWith(API_PREFIX) && status !== 431 && !(status === 400 && isUnparsable(draft));
  assert.ok(headers.has('x-request-id'), 'no x-request-id');
  if (status >= 400 && draft.method !== 'HEAD') checkRefusal(answer);
  if (status === 200 && isApi && operation.response && draft.method === operation.method) JSON.parse(body);
  if (!mutation.expect) return;
  // A wrong value may also make the body larger than the operation takes, which is checked first.
  if (status === 413 && sizeBytes > (operation.bodyLimitBytes ?? DEFAULT_BODY_LIMIT_BYTES)) return;
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

export function checkRefusal({ status, headers, body }: WireAnswer): void {
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

/** Somebody new can register, sign in and has a team. */
export async function assertServes(app: TestApp): Promise<void> {
  const ready = await fetch(`${app.url}/readyz`);
  assert.equal(ready.status, 200);
  const email = `after-${randomUUID()}@example.com`;
  const body = { email, password: PASSWORD, first_name: 'After', last_name: 'Wards' };
  assert.equal((await request(app, 'POST', '/register', { body })).status, 200);
  const grant = await request(app, 'POST', '/token', { body: { username: email, password: PASSWORD } });
  const teams = await request(app, 'GET', '/team', { token: grant.json.access_token });
  assert.equal(teams.json.count, 1);
  assert.equal(({} as Record<string, unknown>).is_superuser, undefined);
}

const show = (bytes: Buffer) => JSON.stringify(bytes.toString('latin1').slice(0, 3000));
