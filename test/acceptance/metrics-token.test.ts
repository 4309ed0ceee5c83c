import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Operation } from '#core/http/operation.ts';
import { operationsOf } from '#features/feature.ts';
import { features } from '#features/index.ts';
import { startTestApp, type TestApp } from '../app.ts';
import { metricsClient } from '../metrics-client.ts';
import { expectedStatuses } from './expected-policy.ts';
import { fillPath, type Make, operationOf, requests } from './requests.ts';
import { createWorld, METRICS_REDIRECT_URI, request, type World } from './world.ts';

const operations = operationsOf(features);

let app: TestApp;
let world: World;

before(async () => {
  app = await startTestApp();
  world = await createWorld(app);
});
after(async () => {
  await app?.close();
});

test('a token of the metrics dashboard opens who its owner is, and every other operation takes its holder for nobody', async () => {
  const client = metricsClient(app, METRICS_REDIRECT_URI);
  let opened = 0;
  for (const caller of ['owner', 'operator'] as const) {
    for (const [row, { nobody }] of expectedStatuses) {
      const operation = operations.find(({ id }) => id === operationOf(row)) as Operation;
      const made = await (requests[row] as Make)({ world, caller, place: world.home });
      // A new one each time, since signing out ends it.
      const token = await client.tokenFor(world.token(caller) as string);
      const { body, headers = {} } = made;
      const ways = [{ token, headers }, { headers: { ...headers, cookie: `session=${token}`, origin: app.url } }];
      for (const way of operation.method === 'GET' ? ways : ways.slice(0, 1)) {
        const answer = await request(app, operation.method, fillPath(operation, made), { ...way, body });
        const isOpen = operation.id === 'getMetricsUser' && 'token' in way;
        assert.equal(answer.status, isOpen ? 200 : nobody, `${row} as ${caller}: ${answer.text}`);
        if (isOpen) opened++;
      }
    }
  }
  assert.equal(opened, 2);
});
