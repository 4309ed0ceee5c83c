import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommandShares } from './command-shares.ts';

test('a team waits for its own commands, another one for nobody, and whoever is called off leaves', async () => {
  const shares = new CommandShares(2);
  const release = await shares.take('a');
  await shares.take('a');
  await shares.take('b');
  await assert.rejects(shares.take('a', undefined, 0), { reason: 'overload' });
  await assert.rejects(shares.take('a', AbortSignal.abort()), { reason: 'stopped' });
  const third = shares.take('a');
  release();
  await third;
  await assert.rejects(shares.take('a', undefined, 0), { reason: 'overload' });
});
