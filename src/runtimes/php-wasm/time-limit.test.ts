import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { starvedMs } from './time-limit.ts';

test('waiting for a processor counts for the main thread, and for the other thread that waited longest', (t) => {
  const proc = mkdtempSync(join(tmpdir(), 'proc-'));
  t.after(() => rmSync(proc, { recursive: true }));
  // In nanoseconds: time on a processor, time waiting for one; then the number of time slices.
  const threads = { 41: '900000000 2000000 7', 42: '1000000 3500000000 90', 43: '1000000 3000000000 90' };
  for (const [thread, schedstat] of Object.entries(threads)) {
    mkdirSync(join(proc, '41/task', thread), { recursive: true });
    writeFileSync(join(proc, '41/task', thread, 'schedstat'), `${schedstat}\n`);
  }
  assert.equal(starvedMs(41, 'main', proc), 2);
  assert.equal(starvedMs(41, 'all', proc), 3502);
});

test('a process that has ended waited for nothing', () => {
  for (const threads of ['main', 'all'] as const) assert.equal(starvedMs(2 ** 22 + 1, threads), 0);
});
