import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { programFile } from '#core/program.ts';
import { reviveFailure, type SentFailure } from '../failure.ts';
import type { ProgressReport } from '../progress.ts';

export interface WriteJob {
  path: string;
  mode: number;
  modifiedUs: number;
  frames: {
    hash: string;
    plainBytes: number;
    isCompressed: boolean;
    /** The stored bytes of the frame are a part of this. */
    buffer: ArrayBuffer;
    start: number;
    storedBytes: number;
  }[];
}

export interface WriteBatch {
  jobs: WriteJob[];
  durable: boolean;
}

const PROGRAM = programFile(join(import.meta.dirname, 'write-worker.ts'));
/** So many batches may wait in a thread: enough to keep it busy, few enough to keep memory small. */
const WAITING = 2;

/** Threads that write files. A failure of any of them fails the next call. */
export class WriterCrew {
  readonly #members: { worker: Worker; waiting: WriteJob[][] }[];
  readonly #durable: boolean;
  #failure: Error | undefined;
  #onProgress: (() => void) | undefined;

  constructor(size: number, durable: boolean, progress: ProgressReport) {
    this.#durable = durable;
    this.#members = Array.from({ length: size }, () => {
      const member = { worker: new Worker(PROGRAM), waiting: [] as WriteJob[][] };
      member.worker.on('message', (failure: SentFailure | null) => {
        const written = member.waiting.shift() ?? [];
        progress.add({ files: written.length, bytes: written.reduce((sum, job) => sum + sizeOf(job), 0) });
        if (failure) this.#failure ??= reviveFailure(failure);
        this.#onProgress?.();
      });
      member.worker.on('error', (error) => {
        this.#failure ??= error as Error;
        this.#onProgress?.();
      });
      return member;
    });
  }

  /** Hands a batch over, as soon as a thread has room for it. The buffers in it are gone afterwards. */
  async write(jobs: WriteJob[]): Promise<void> {
    for (;;) {
      if (this.#failure) throw this.#failure;
      const [free] = [...this.#members].sort((a, b) => a.waiting.length - b.waiting.length);
      if (free && free.waiting.length < WAITING) {
        free.waiting.push(jobs);
        const buffers = new Set(jobs.flatMap(({ frames }) => frames.map(({ buffer }) => buffer)));
        const batch: WriteBatch = { jobs, durable: this.#durable };
        free.worker.postMessage(batch, [...buffers]);
        return;
      }
      await this.#progress();
    }
  }

  async finish(): Promise<void> {
    while (!this.#failure && this.#members.some(({ waiting }) => waiting.length > 0)) await this.#progress();
    if (this.#failure) throw this.#failure;
  }

  async close(): Promise<void> {
    await Promise.all(
      this.#members.map(async ({ worker }) => {
        const exited = once(worker, 'exit');
        await worker.terminate();
        await exited.catch(() => {});
      }),
    );
  }

  #progress(): Promise<void> {
    return new Promise((resolve) => {
      this.#onProgress = resolve;
    });
  }
}

function sizeOf({ frames }: WriteJob): number {
  return frames.reduce((sum, { plainBytes }) => sum + plainBytes, 0);
}
