import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readBase64, readText } from './proxy.text.ts';

const SECRET = 'open "sesame"';
const PART = 64 * 1024;

test('a long text is the same in parts, and has no secret wherever one stands', async () => {
  // The cut between two parts goes through a character of four bytes, then through a secret in both of its spellings.
  const before = 'x'.repeat(PART - 2);
  const text = `${before}😀${SECRET.repeat(3)}${'y'.repeat(PART - 40)}${JSON.stringify(SECRET)}${'z'.repeat(2 * PART)}`;
  assert.equal(await readText(Buffer.from(text), []), text);
  const clean = text.replaceAll(SECRET, '[cut]').replaceAll(JSON.stringify(SECRET).slice(1, -1), '[cut]');
  for (let shift = 0; shift < 16; shift++) {
    const shifted = '-'.repeat(shift);
    assert.equal(await readText(Buffer.from(shifted + text), [SECRET]), shifted + clean);
  }
});

test('what is no text is none, wherever that shows', async () => {
  const long = Buffer.alloc(3 * PART, 'a');
  for (const odd of [0x00, 0xff]) {
    const body = Buffer.from(long);
    body[body.length - 1] = odd;
    assert.equal(await readText(body, []), undefined);
    assert.equal(await readBase64(body, []), body.toString('base64'));
    assert.equal(await readBase64(body, ['a secret']), body.toString('base64'));
  }
  const told = Buffer.concat([long.subarray(5), Buffer.from('a secret'), Buffer.from([0xff, 0xfe])]);
  const shown = Buffer.from(await readBase64(told, ['a secret']), 'base64').toString('latin1');
  assert.equal(shown, told.toString('latin1').replace('a secret', '[cut]'));
});

test('ten megabytes leave everybody else their turn', async () => {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await Promise.all([readText(Buffer.alloc(10 * 1024 * 1024, 'a'), [SECRET]), readBase64(Buffer.alloc(PART * 20), [])]);
  isOver = true;
  // One part of all that goes on for each turn.
  assert.ok(turns >= 159 + 19, `${turns} turns`);
});
