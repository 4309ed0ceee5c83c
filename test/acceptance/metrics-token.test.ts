import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { TestApp } from '#testkit/app/test-app.ts';
import { metricsClient } from '#testkit/clients/metrics-client.ts';
import { expectedStatuses } from './expected-policy.ts';
import { sharedWorld } from './open-world.ts';
import { operationOf, rows } from './operations.ts';
import { makeRequest, sendRequest } from './requests.ts';
import { METRICS_REDIRECT_URI, type World } from './world.ts';

let app: TestApp;
let world: World;

before(async () => {
  ({ app, world } = await sharedWorld());
});

test('a token of the metrics dashboard opens who its owner is, and every other operation takes its holder for nobody', async () => {
  const client = metricsClient(app, METRICS_REDIRECT_URI);
  let opened = 0;
  for (const caller of ['owner', 'operator'] as const) {
    for (const row of rows) {
      const operation = operationOf(row);
      const { token: _own, ...made } = await makeRequest(row, { world, caller, place: world.home });
      // A new one each time, since signing out ends it.
      const token = await client.tokenFor(world.token(caller) as string);
      const ways = [{ token }, { headers: { cookie: `session=${token}`, origin: app.url } }];
      for (const way of operation.method === 'GET' ? ways : ways.slice(0, 1)) {
        const answer = await sendRequest(app, operation, made, way);
        const isOpen = operation.id === 'getMetricsUser' && 'token' in way;
        assert.equal(
          answer.status,
          isOpen ? 200 : expectedStatuses.get(row)?.nobody,
          `${row} as ${caller}: ${answer.text}`,
        );
        if (isOpen) opened++;
      }
    }
  }
  assert.equal(opened, rows.includes('getMetricsUser') ? 2 : 0);
});
