import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { keepsAnswer, type Operation } from '#core/http/operation.ts';
import { operationsOf } from '#features/feature.ts';
import { features } from '#features/index.ts';
import type { TestApp } from '../app.ts';
import { ENDS_OWN_RIGHT, expectedStatuses } from './expected-policy.ts';
import { openWorld } from './open-world.ts';
import { fillPath, type Ingredients, operationOf, requests } from './requests.ts';
import { request, type World } from './world.ts';

const operations = operationsOf(features);

/** A POST that is sent again with its Idempotency-Key, for every operation. */
let app: TestApp;
let world: World;
let close = async () => {};

before(async () => {
  ({ app, world, close } = await openWorld());
});
after(() => close());

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
  const exempt = operations.filter((operation) => operation.method === 'POST' && !keepsAnswer(operation));
  assert.deepEqual(exempt.map(({ id }) => id).sort(), EXEMPT.toSorted());
});

suite('the same key gives the first answer, and another body is refused', () => {
  for (const [row, statuses] of expectedStatuses) {
    const operation = operations.find(({ id }) => id === operationOf(row)) as Operation;
    if (!keepsAnswer(operation)) continue;
    // What is nobody's to call (an invite of somebody else) is refused, and that answer is kept too.
    const caller = statuses.owner === 200 ? 'owner' : 'operator';
    test(row, async () => {
      const made = (await requests[row]?.({ world, caller, place: world.home })) as Ingredients;
      const token = made.token ?? (await world.credential(world.person(caller)));
      const headers = { ...made.headers, 'idempotency-key': row.replaceAll(' ', '-') };
      const send = (body: unknown = made.body) =>
        request(app, 'POST', fillPath(operation, made), { body, headers, token });
      const [first, again] = [await send(), await send()];
      assert.equal(first.status, statuses[caller], first.text);
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
  const rows = await app.services.db.selectFrom('idempotent_answers').selectAll().execute();
  assert.ok(rows.length > 20, String(rows.length));
  for (const row of rows) {
    assert.equal(row.headers, null);
    assert.doesNotMatch(JSON.stringify(row), /session=|Max-Age/);
  }
});
