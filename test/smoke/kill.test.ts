import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proveKills } from '../kill/kill.ts';

test('a kill of the built service loses no acknowledged write and leaves nothing half done', async (t) => {
  const { faults, summary } = await proveKills(1);
  t.diagnostic(summary);
  assert.deepEqual(faults, []);
});
