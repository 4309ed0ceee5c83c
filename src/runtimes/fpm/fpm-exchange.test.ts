import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readBody } from './fpm-exchange.ts';

const MB = 1024 * 1024;

test('of a long body that does not say how long it is, only the beginning is held in memory', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'body-'));
  const sent = Buffer.alloc(5 * MB, 'abcdefg');
  const read = Promise.withResolvers<{ first: number; all: Buffer; bytes: number; left: string[] }>();
  const server = createServer(async (incoming, response) => {
    const body = await readBody(incoming, () => join(folder, 'body'));
    const parts = [body.first];
    for (let part = await body.rest?.next(); part && !part.done; part = await body.rest?.next()) parts.push(part.value);
    await body.close();
    response.end();
    read.resolve({
      first: body.first.length,
      all: Buffer.concat(parts),
      bytes: body.bytes,
      left: readdirSync(folder),
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  try {
    const asking = request({
      host: '127.0.0.1',
      port: (server.address() as AddressInfo).port,
      method: 'POST',
      agent: false,
    });
    asking.on('response', (response) => response.resume());
    for (let at = 0; at < sent.length; at += MB) asking.write(sent.subarray(at, at + MB));
    asking.end();
    const { first, all, bytes, left } = await read.promise;
    assert.ok(first > MB && first < 2 * MB + 1, `${first} bytes are held`);
    assert.ok(all.equals(sent));
    assert.deepEqual([bytes, left], [sent.length, []]);
  } finally {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
