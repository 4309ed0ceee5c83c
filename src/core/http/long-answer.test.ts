import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { inParts } from './long-answer.ts';

test('a long answer is the same in parts, whatever it holds', async () => {
  // Characters of two halves, of which the cut goes through one; quotes, controls, lone halves.
  const awkward = ['x', '😀'.repeat(40_000), '"\\\n\u0000\u2028\ud800y'.repeat(20_000)];
  const body = { first: 1, stdout: awkward.join(''), stderr: awkward[1], empty: '', last: null };
  const written = await text(inParts(body, JSON.stringify) ?? assert.fail());
  assert.deepEqual(JSON.parse(written), body);
  const same = { a: 'z'.repeat(70_000), b: 'z'.repeat(70_000) };
  assert.equal(await text(inParts(same, JSON.stringify) ?? assert.fail()), JSON.stringify(same));
});

test('a short answer has no parts', () => {
  for (const body of [{ stdout: 'short' }, null, undefined, 'x'.repeat(100_000), ['x']])
    assert.equal(inParts(body, JSON.stringify), undefined);
});
