import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SiteFailure } from '#runtimes/runtime.ts';
import { eventually } from '../../../test/expect.ts';
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
