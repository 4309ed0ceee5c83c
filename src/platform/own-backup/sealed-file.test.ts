import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratchFolder } from '#testkit/snapshots/scratch.ts';
import { readSealedLines, writeSealedLines } from './sealed-file.ts';

test('lines come back as they were, whatever signs are in them and however long they are', async (t) => {
  const file = join(scratchFolder(t), 'sealed');
  const rows = ['between\u2028lines\u2029and\u0085paragraphs', '', 'a\r\nb\rc', 'ü€😀'.repeat(30_000)];
  const lines = rows.map((row) => JSON.stringify({ row }));
  const given = async function* () {
    yield* lines;
  };
  await writeSealedLines(file, 'a passphrase', given());
  const read: string[] = [];
  for await (const line of readSealedLines(file, 'a passphrase')) read.push(line);
  assert.deepEqual(read, lines);
});
