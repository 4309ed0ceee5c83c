import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { starvedMs } from './time-limit.ts';

test('the time that a process waited for a processor is that of all its threads', (t) => {
  const proc = mkdtempSync(join(tmpdir(), 'proc-'));
  t.after(() => rmSync(proc, { recursive: true }));
  // In nanoseconds: time on a processor, time waiting for one; then the number of time slices.
  for (const [thread, schedstat] of Object.entries({ 41: '900000000 2000000 7', 42: '1000000 3500000000 90' })) {
    mkdirSync(join(proc, '41/task', thread), { recursive: true });
    writeFileSync(join(proc, '41/task', thread, 'schedstat'), `${schedstat}\n`);
  }
  assert.equal(starvedMs(41, proc), 3502);
});

test('a process that has ended waited for nothing', () => {
  assert.equal(starvedMs(2 ** 22 + 1), 0);
});
