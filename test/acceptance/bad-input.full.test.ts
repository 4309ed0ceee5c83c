import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { toBytes } from './bad-input.ts';
import { operations } from './operations.ts';
import { type Outside, startOutside } from './outside.ts';
import { createWorld } from './world.ts';
import { assertServes, FAST_COUNT, WrongRequests, wrongRequests } from './wrong-requests.ts';

/** The wrong requests that bad-input.test.ts leaves out, on a service that works off its jobs. OPERATION=createSite walks one operation alone. */

/** Few, so that a small crowd is more than there are: if each of it held one and waited for another, none would ever come. */
const CONNECTIONS = 4;
const CROWD = CONNECTIONS + 2;

let outside: Outside;
let app: TestApp;
let wrong: WrongRequests;

before(async () => {
  outside = await startOutside();
  app = await startTestApp({ env: { ...outside.env, DATABASE_POOL_SIZE: String(CONNECTIONS) } });
  wrong = new WrongRequests(app, await createWorld(app));
});
after(async () => {
  console.log(`bad input, ${wrong?.summary()}`);
  await app?.close();
  await outside?.close();
});

suite('every wrong request gets a proper answer', () => {
  for (const operation of operations)
    test(operation.id, () => wrong.send(operation, wrongRequests(operation).slice(FAST_COUNT)));
});

suite('a crowd is served: nobody holds a connection to the database while waiting for another', () => {
  for (const operation of operations.filter(({ method }) => method !== 'GET')) {
    test(operation.id, async () => {
      const drafts = await Promise.all(Array.from({ length: CROWD }, () => wrong.makeDraft(operation)));
      const answers = await Promise.all(drafts.map((draft) => wrong.sendBytes(toBytes(draft), 60_000)));
      const refusal = TOLD_OTHERWISE[operation.id];
      const statuses = answers.map((answer) => answer?.status).filter((status) => !refusal || status !== refusal);
      if (refusal) assert.ok(statuses.includes(200), 'nobody was served');
      // What OAuth makes is a 201.
      assert.deepEqual(
        statuses.filter((status) => status !== 200 && status !== 201),
        [],
      );
      const madeUp = drafts.map((draft) => toBytes({ ...draft, headers: draft.headers.map(withMadeUpToken) }));
      const refusals = await Promise.all(madeUp.map((bytes) => wrong.sendBytes(bytes, 60_000)));
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

test('after all this the service works as before', () => assertServes(app));
