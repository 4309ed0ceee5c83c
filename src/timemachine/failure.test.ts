import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratchFolder } from '#testkit/snapshots/scratch.ts';
import { FAILURE_CODES, failedBy, packFailure, reviveFailure, TimeMachineFailure } from './failure.ts';
import { hashOf } from './hash.ts';
import { ProgressReport } from './progress.ts';
import { WriterCrew } from './restore/writer-crew.ts';

test('a failure is the same on both sides of the border of a process', () => {
  for (const code of FAILURE_CODES) {
    const failure = new TimeMachineFailure(code, 'it went wrong');
    const revived = reviveFailure(structuredClone(packFailure(failure)));
    assert.ok(failedBy(revived, code));
    assert.deepEqual([revived.message, revived.stack], [failure.message, failure.stack]);
  }
});

test('what has no code of ours is unexpected, whatever it calls itself', () => {
  const impostor = Object.assign(new Error('no space'), { name: 'corrupt_object', code: 'corrupt_object' });
  assert.equal(failedBy(impostor, 'corrupt_object'), false);
  for (const thrown of [impostor, 'a text', undefined]) assert.equal(packFailure(thrown).code, 'unexpected');
});

test('a thread that finds a frame of other bytes fails as whoever reads it here would', async (t) => {
  const bytes = Buffer.from('other bytes');
  const frame = {
    hash: hashOf('the bytes'),
    plainBytes: bytes.length,
    isCompressed: false,
    buffer: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
    start: 0,
    storedBytes: bytes.length,
  };
  const crew = new WriterCrew(1, false, new ProgressReport());
  t.after(() => crew.close());
  await crew.write([{ path: join(scratchFolder(t), 'file'), mode: 0o644, modifiedUs: 0, frames: [frame] }]);
  await assert.rejects(crew.finish(), { code: 'corrupt_object' });
});
