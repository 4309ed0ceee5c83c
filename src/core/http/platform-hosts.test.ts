import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { RouteTable } from '../../edge/route-table.ts';
import { platformHosts } from './platform-hosts.ts';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

test('however long the hosts that are asked for, and however many, they are not remembered', async () => {
  const isPlatform = platformHosts('https://platform.example');
  const route = { fqdn: 'a.example', state: 'ready', teamId: 'team', site: { id: 'site' } };
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
