import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { keepsAnswer } from '#core/http/operation.ts';
import type { TestApp } from '#testkit/app/test-app.ts';
import { ENDS_OWN_RIGHT, expectedStatuses } from './expected-policy.ts';
import { sharedWorld } from './open-world.ts';
import { allOperations, operationOf, rows } from './operations.ts';
import { makeRequest, sendRequest } from './requests.ts';
import type { World } from './world.ts';

/** Sends each POST twice with the same Idempotency-Key. OPERATION=createSite walks one operation alone. */
let app: TestApp;
let world: World;

before(async () => {
  ({ app, world } = await sharedWorld());
});

/** Sign-in, whose answers nobody keeps, and what the payment provider sends, who has ids of its own for its events. */
const EXEMPT = [
  'signIn',
  'passSecondStep',
  'beginPasskeySignIn',
  'signInWithPasskey',
  'beginDeviceSignIn',
  'exchangeDeviceCode',
  'exchangeMetricsCode',
  'exchangeOAuthToken',
  'registerOAuthClient',
  'revokeOAuthToken',
  'receivePaymentEvent',
  'receiveGitPush',
];

test('every POST keeps its answer, but for those that were decided', () => {
  const exempt = allOperations.filter((operation) => operation.method === 'POST' && !keepsAnswer(operation));
  assert.deepEqual(exempt.map(({ id }) => id).sort(), EXEMPT.toSorted());
});

const walked = rows.filter((row) => keepsAnswer(operationOf(row)));

suite('the same key gives the first answer, and another body is refused', () => {
  for (const row of walked) {
    const operation = operationOf(row);
    // What nobody of Home can call (an invite of somebody else) is refused, and that response is stored too.
    const caller = expectedStatuses.get(row)?.owner === 200 ? 'owner' : 'operator';
    test(row, async () => {
      const made = await makeRequest(row, { world, caller, place: world.home });
      const token = await world.credential(world.person(caller));
      const headers = { 'idempotency-key': row.replaceAll(' ', '-') };
      const send = (body = made.body) => sendRequest(app, operation, { ...made, body }, { headers, token });
      const [first, again] = [await send(), await send()];
      assert.equal(first.status, expectedStatuses.get(row)?.[caller], first.text);
      if (ENDS_OWN_RIGHT[row]) return assert.equal(again.status, ENDS_OWN_RIGHT[row], again.text);
      assert.equal(first.headers.get('idempotent-replayed'), null);
      assert.equal(again.headers.get('idempotent-replayed'), 'true', again.text);
      assert.deepEqual([again.status, again.text], [first.status, first.text]);
      for (const name of ['set-cookie', 'content-type', 'operation-id'])
        assert.equal(again.headers.get(name), first.headers.get(name), name);

      const other = Buffer.isBuffer(made.body) ? Buffer.concat([made.body, made.body]) : { ...made.body, unknown: 1 };
      const refused = await send(other);
      assert.equal(refused.status, 422, refused.text);
      assert.deepEqual(refused.json.detail[0].loc, ['header', 'Idempotency-Key']);
    });
  }
});

test('no header of a kept answer can be read in the database, be it a cookie', async () => {
  const stored = await app.services.db.selectFrom('idempotent_answers').selectAll().execute();
  assert.ok(stored.length >= walked.length / 2, String(stored.length));
  for (const row of stored) {
    assert.equal(row.headers, null);
    assert.doesNotMatch(JSON.stringify(row), /session=|Max-Age/);
  }
});
