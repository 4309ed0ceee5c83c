import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SiteFailure } from '#runtimes/runtime.ts';
import { Left } from '../leaving.ts';
import type { BodyTarget } from './body.ts';

/** What stays in memory; the rest of a larger body waits on disk. */
const MEMORY_BYTES = 256 * 1024;
const READ_BYTES = 64 * 1024;

/** What waiting bodies may take together: those of one site, which has a share of what all sites have. */
export class BodyBudget {
  readonly #limitBytes: number;
  readonly #whole: BodyBudget | undefined;
  #usedBytes = 0;

  constructor(limitBytes: number, whole?: BodyBudget) {
    this.#limitBytes = limitBytes;
    this.#whole = whole;
  }

  take(bytes: number): void {
    if (this.#usedBytes + bytes > this.#limitBytes) throw new SiteFailure('overload', 'too much is being sent');
    this.#whole?.take(bytes);
    this.#usedBytes += bytes;
  }

  giveBack(bytes: number): void {
    this.#whole?.giveBack(bytes);
    this.#usedBytes -= bytes;
  }
}

/**
 * A visitor's body, taken in whole before the site is asked. PHP answers one request at a time, and somebody who sends
 * slowly must not hold it for everybody else.
 */
export class TakenBody {
  readonly #budget: BodyBudget;
  readonly #chunks: Buffer[] = [];
  #file: FileHandle | undefined;
  #sizeBytes = 0;
  #isClosed = false;

  private constructor(budget: BodyBudget) {
    this.#budget = budget;
  }

  /** Undefined: the body is larger than that, and the rest of it is still unread. */
  static async take(request: IncomingMessage, limitBytes: number, budget: BodyBudget): Promise<TakenBody | undefined> {
    const body = new TakenBody(budget);
    try {
      // The connection is still needed for an answer when we stop early.
      for await (const chunk of request.iterator({ destroyOnReturn: false })) {
        if (body.#sizeBytes + (chunk as Buffer).length > limitBytes) {
          await body.close();
          return undefined;
        }
        await body.#add(chunk as Buffer);
      }
      return body;
    } catch (error) {
      await body.close();
      throw request.destroyed ? new Left() : error;
    }
  }

  async sendTo(target: BodyTarget): Promise<void> {
    for await (const chunk of this.#parts()) {
      if (!target.write(chunk)) await new Promise<void>((resume) => target.whenDrained(resume));
    }
    target.end();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#budget.giveBack(this.#sizeBytes);
    await this.#file?.close();
  }

  async #add(chunk: Buffer): Promise<void> {
    this.#budget.take(chunk.length);
    this.#sizeBytes += chunk.length;
    if (this.#sizeBytes <= MEMORY_BYTES) return void this.#chunks.push(chunk);
    this.#file ??= await openNameless();
    for (const kept of this.#chunks.splice(0)) await this.#file.write(kept);
    await this.#file.write(chunk);
  }

  async *#parts(): AsyncGenerator<Buffer> {
    yield* this.#chunks;
    for (let at = 0; this.#file && at < this.#sizeBytes; ) {
      // Whoever wanted it has gone; a part of it must not pass for the whole.
      if (this.#isClosed) throw new Error('the body was given up');
      const { bytesRead, buffer } = await this.#file.read(Buffer.allocUnsafe(READ_BYTES), 0, READ_BYTES, at);
      if (bytesRead === 0) throw new Error('a body was cut short on disk');
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }
}

/** A file that is gone with its handle, whatever happens to us. */
async function openNameless(): Promise<FileHandle> {
  const path = join(tmpdir(), `siteyard-body-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}
