import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EarlyInput } from './early-input.ts';

test('early input comes in order and once', () => {
  const early = new EarlyInput();
  for (const text of ['ls', '', ' -l', '\r']) early.add(Buffer.from(text));
  assert.equal(String(early.take()), 'ls -l\r');
  assert.equal(early.take().length, 0);
});

test('early input is bounded, and no message costs more the more there were before it', () => {
  const early = new EarlyInput();
  const nothing = Buffer.alloc(0);
  const letter = Buffer.from('x');
  for (let message = 0; message < 3_000_000; message++) early.add(message % 2 ? nothing : letter);
  assert.equal(early.take().length, 64 * 1024);
});
