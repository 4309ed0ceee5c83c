import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { type TSchema, Type } from 'typebox';
import { inParts } from './long-answer.ts';

const Any = Type.Object({}, { additionalProperties: true });
const written = (body: object, schema: TSchema = Any) => text(inParts(body, schema) ?? assert.fail());

test('a long answer is the same in parts, whatever it holds', async () => {
  // Characters of two halves, of which the cut goes through one; quotes, controls, lone halves.
  const awkward = ['x', '😀'.repeat(40_000), '"\\\n\u0000\u2028\ud800y'.repeat(20_000)];
  const body = { first: 1, stdout: awkward.join(''), stderr: awkward[1], empty: '', last: null };
  assert.deepEqual(JSON.parse(await written(body)), body);
  const same = { a: 'z'.repeat(70_000), b: 'z'.repeat(70_000) };
  assert.equal(await written(same), JSON.stringify(same));
});

test('a long list is the same in parts, with texts beside it', async () => {
  const File = Type.Object({ key: Type.String(), size: Type.Integer() });
  const List = Type.Object({ files: Type.Array(File), text: Type.String(), before: Type.Array(Type.String()) });
  const files = Array.from({ length: 1_234 }, (_, size) => ({ key: `"files":[] ${size}`, size }));
  for (const text of ['short', '"files":['.repeat(10_000)]) {
    const body = { before: ['[]'], files, text };
    assert.deepEqual(JSON.parse(await written(body, List)), body);
  }
});

test('a short answer has no parts', () => {
  for (const body of [{ stdout: 'short' }, null, undefined, 'x'.repeat(100_000), ['x']])
    assert.equal(inParts(body, Any), undefined);
});
