import { closeSync, constants, fchmodSync, fdatasyncSync, futimesSync, openSync, writevSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { packFailure } from '../failure.ts';
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

function write(job: WriteJob, durable: boolean): void {
  const parts = job.frames.map((frame) => openFrame(frame, Buffer.from(frame.buffer, frame.start, frame.storedBytes)));
  const file = openSync(job.path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o600);
  try {
    const total = parts.reduce((sum, part) => sum + part.length, 0);
    if (total > 0 && writevSync(file, parts) !== total) {
      throw Object.assign(new Error(`Short write to ${job.path}`), { code: 'ENOSPC' });
    }
    fchmodSync(file, job.mode);
    const seconds = secondsOf(job.modifiedUs);
    futimesSync(file, seconds, seconds);
    if (durable) fdatasyncSync(file);
  } finally {
    closeSync(file);
  }
}
