import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proveKills } from './kill.ts';

const kills = Number(process.env.KILLS ?? 4);

test(`after ${kills} kills every acknowledged write is there once and nothing is half done`, async (t) => {
  const { faults, summary } = await proveKills(kills);
  t.diagnostic(summary);
  assert.deepEqual(faults, []);
});
