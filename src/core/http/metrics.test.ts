import assert from 'node:assert/strict';
import { test } from 'node:test';
import { figures } from '#core/figures.ts';
import { createLog } from '#core/log.ts';
import type { Services } from '#core/services.ts';
import { createMetrics } from './metrics.ts';

test('the duration of requests to sites is labeled with the cache status', async () => {
  const metrics = createMetrics({ log: createLog('silent') } as Services, []);
  metrics.observeVisit('HIT', 0.0004);
  metrics.observeVisit('HIT', 0.3);
  metrics.observeVisit(null, 0.002);
  const page = await metrics.render();
  assert.match(page, /^siteyard_edge_request_duration_seconds_bucket\{le="0\.001",cache="hit"\} 1$/m);
  assert.match(page, /^siteyard_edge_request_duration_seconds_count\{cache="hit"\} 2$/m);
  assert.match(page, /^siteyard_edge_request_duration_seconds_count\{cache="none"\} 1$/m);
});

test('metrics that cannot be read are left out of a scrape, and the others are exported', async () => {
  let isAway = false;
  const shown = (name: string, read: () => number) =>
    figures({ metrics: { [name]: { help: name, type: 'gauge' } }, read: () => ({ [name]: read() }) });
  const fromDatabase = shown('teams', () => {
    if (isAway) throw new Error('the database is away');
    return 7;
  });
  const services = { log: createLog('silent') } as Services;
  const metrics = createMetrics(services, [fromDatabase, shown('php_processes', () => 3)]);
  assert.match(await metrics.render(), /^siteyard_teams 7$/m);

  isAway = true;
  const page = await metrics.render();
  assert.doesNotMatch(page, /siteyard_teams/);
  assert.match(page, /^siteyard_php_processes 3$/m);
  assert.match(page, /^siteyard_metrics_unread 1$/m);

  isAway = false;
  const again = await metrics.render();
  assert.match(again, /^siteyard_teams 7$/m);
  assert.match(again, /^siteyard_metrics_unread 0$/m);
});
