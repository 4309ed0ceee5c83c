import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { TestApp } from '#testkit/app/test-app.ts';
import { expectedStatuses } from './expected-policy.ts';
import { openWorld } from './open-world.ts';
import { operationOf, rows } from './operations.ts';
import { makeRequest, sendRequest } from './requests.ts';
import { changedTables, everythingStored } from './stored.ts';
import { CALLERS, type CallerName, type World } from './world.ts';

/** Sends the request of every row of expected-policy.ts as everybody who may not call. OPERATION=createSite walks one operation alone. */
let app: TestApp;
let world: World;
let close = async () => {};

before(async () => {
  ({ app, world, close } = await openWorld());
});
after(() => close());

const statusFor = (row: string, caller: CallerName): number => expectedStatuses.get(row)?.[caller] as number;

suite('a refused call leaves no trace', () => {
  for (const row of rows) {
    const refused = CALLERS.filter((caller) => statusFor(row, caller) >= 400);
    if (refused.length === 0) continue;
    test(row, async () => {
      const calls = await Promise.all(
        refused.map(async (caller) => ({
          caller,
          made: await makeRequest(row, { world, caller, place: world.placeOf(caller) }),
        })),
      );
      const before = await everythingStored(app.services.db);
      for (const { caller, made } of calls) {
        const answer = await sendRequest(app, operationOf(row), made, { token: world.token(caller) });
        assert.equal(answer.status, statusFor(row, caller), `${row} as ${caller}: ${answer.text}`);
      }
      assert.deepEqual(changedTables(before, await everythingStored(app.services.db)), []);
    });
  }
});
