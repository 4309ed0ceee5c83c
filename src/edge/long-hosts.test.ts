import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { platformHosts } from '#core/http/platform-hosts.ts';
import type { Route } from './route.ts';
import { RouteTable } from './route-table.ts';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

test('however long the hosts that are asked for, and however many, they are not remembered', async () => {
  const isPlatform = platformHosts('https://platform.example');
  const policies = {
    signIn: null,
    allowedAddresses: null,
    externalPaths: [],
    uploadsRefused: null,
    alias: null,
    devMode: false,
  };
  const spec = { id: 'site' } as Route['site'];
  const route: Route = { fqdn: 'a.example', teamId: 'team', site: spec, state: 'ready', preview: null, ...policies };
  const site = { hostnames: new Set(), pages: { purge() {} } };
  const table = new RouteTable(
    { subscribe: async () => {}, loadAll: async () => [route], load: async () => [] } as never,
    { counterOf: () => ({}) } as never,
    () => site as never,
    { warn() {} } as never,
  );
  await table.start();
  assert.ok(table.find('a.example:443'));
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let count = 0; count < 4_000; count++) {
    const port = `${'0'.repeat(10_000)}${count}`;
    // As a request has it: a text of its own.
    const host = Buffer.from(`a.example:${port}`).toString('latin1');
    isPlatform(host);
    table.find(host);
  }
  collect();
  const grown = process.memoryUsage().heapUsed - before;
  assert.ok(grown < 10e6, `${grown} bytes`);
  assert.ok(isPlatform('platform.example:443') && !isPlatform('a.example'));
});
