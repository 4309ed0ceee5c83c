import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyFault, invalid } from './errors.ts';

test('however many errors a request has, at most 100 are reported', () => {
  const faults = Array.from({ length: 10_000 }, (_, index) => bodyFault(`a${index}`, 'Value error, not known'));
  const reported = invalid(...faults).faults ?? [];
  assert.equal(reported.length, 100);
  assert.deepEqual(reported.at(-1), faults[99]);
});
