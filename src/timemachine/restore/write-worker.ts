import {
  closeSync,
  constants,
  fchmodSync,
  fdatasyncSync,
  ftruncateSync,
  futimesSync,
  openSync,
  writeSync,
  writevSync,
} from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { packFailure } from '../failure.ts';
import { filledIn } from '../holes.ts';
import { openFrame } from '../pack.ts';
import { secondsOf } from '../stores/file-operations.ts';
import type { WriteBatch, WriteJob } from './writer-crew.ts';

/** One thread of WriterCrew: decompresses, verifies and writes. */
const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

parentPort?.on('message', ({ jobs, durable }: WriteBatch) => {
  try {
    for (const job of jobs) write(job, durable);
    parentPort?.postMessage(null);
  } catch (error) {
    parentPort?.postMessage(packFailure(error));
  }
});

/** What is nothing but zeros is left out, and is a hole then. */
function fill(file: number, path: string, parts: readonly Buffer[]): void {
  const filled = parts.map((part) => [...filledIn(part)]);
  const total = parts.reduce((sum, part) => sum + part.length, 0);
  const isWhole = filled.every(([first], index) => first?.[0] === 0 && first[1] === parts[index]?.length);
  if (total === 0) return;
  if (isWhole) {
    requireWritten(writevSync(file, parts), total, path);
    return;
  }
  let position = 0;
  for (const [index, part] of parts.entries()) {
    for (const [start, end] of filled[index] ?? [])
      requireWritten(writeSync(file, part, start, end - start, position + start), end - start, path);
    position += part.length;
  }
  ftruncateSync(file, total);
}

function requireWritten(written: number, wanted: number, path: string): void {
  if (written !== wanted) throw Object.assign(new Error(`Short write to ${path}`), { code: 'ENOSPC' });
}

function write(job: WriteJob, durable: boolean): void {
  const parts = job.frames.map((frame) => openFrame(frame, Buffer.from(frame.buffer, frame.start, frame.storedBytes)));
  const file = openSync(job.path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o600);
  try {
    fill(file, job.path, parts);
    fchmodSync(file, job.mode);
    const seconds = secondsOf(job.modifiedUs);
    futimesSync(file, seconds, seconds);
    if (durable) fdatasyncSync(file);
  } finally {
    closeSync(file);
  }
}
