import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runChaos } from './chaos.ts';

// Root alone can mount the disk that is filled. `npm run chaos` is the long form.
const skip = process.getuid?.() === 0 ? false : 'only root can mount a small disk';

test('whatever goes wrong, nothing that was acknowledged is lost, and all works again by itself', {
  skip,
}, async (t) => {
  const { faults, summary } = await runChaos(3, 'memory', () => {});
  t.diagnostic(summary);
  assert.deepEqual(faults, []);
});
