import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SiteFailure } from '#runtimes/runtime.ts';
import { eventually } from '#testkit/expect.ts';
import { AwakeSite } from './awake-site.ts';

test('a site whose last desk was ended has nothing to do, and can be put to sleep', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'desks-'));
  let sockets = 0;
  const site = new AwakeSite(
    { requestTimeoutMs: 60_000, desks: 1 },
    {
      newSocket: () => join(folder, String(sockets++)),
      ready: async () => {},
      touched: () => {},
      answer: async () => {
        throw new SiteFailure('crash', 'It broke.');
      },
      broken: () => {},
    },
  );
  try {
    const before = performance.now();
    const lease = await site.lease(AbortSignal.timeout(60_000));
    assert.equal(site.idleSince, undefined);
    await new Promise((resolve) => get({ createConnection: () => lease.connect() }).once('error', resolve));
    await eventually(async () => site.deskCount === 0);
    assert.ok((site.idleSince ?? 0) >= before);
  } finally {
    await site.stop(0);
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a site that makes way ends what takes too long, and goes on with those who wait when it can answer again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'desks-'));
  let [sockets, starts] = [0, 0];
  const broken: string[] = [];
  const site = new AwakeSite(
    { requestTimeoutMs: 60_000, desks: 1 },
    {
      newSocket: () => join(folder, String(sockets++)),
      ready: async () => {
        starts++;
      },
      touched: () => {},
      answer: (_request, _response, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      broken: ({ reason }) => broken.push(reason),
    },
  );
  try {
    const first = await site.lease(AbortSignal.timeout(60_000));
    const asked = new Promise((resolve) => get({ createConnection: () => first.connect() }).once('error', resolve));
    const second = site.lease(AbortSignal.timeout(60_000));
    await eventually(async () => broken.length === 0 && site.isWanted);
    let hasEnded = false;
    await Promise.all([
      asked,
      site.rest(50, 'It took long.', async () => {
        hasEnded = true;
      }),
    ]);
    assert.equal((await first.failure())?.reason, 'yielded');
    assert.deepEqual([broken, hasEnded], [['yielded'], true]);
    (await second).release();
    assert.equal(starts, 2, 'it was made ready again');
  } finally {
    await site.stop(0);
    rmSync(folder, { recursive: true, force: true });
  }
});
