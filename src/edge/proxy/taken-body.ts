import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Left } from '../leaving.ts';
import { NOTICES, NoticeError } from '../notices.ts';
import type { BodyTarget } from './body.ts';
import type { BodyBudget, WaitingBody } from './body-budget.ts';

/** What stays in memory; the rest of a larger body waits on disk. */
const MEMORY_BYTES = 256 * 1024;
const READ_BYTES = 64 * 1024;

/**
 * A visitor's body, taken in whole before the site is asked. PHP answers one request at a time, and somebody who sends
 * slowly must not hold it for everybody else.
 */
export class TakenBody implements WaitingBody {
  readonly from: string;
  readonly #budget: BodyBudget;
  readonly #chunks: Buffer[] = [];
  #file: FileHandle | undefined;
  sizeBytes = 0;
  isArriving = true;
  #isClosed = false;
  readonly #slow = Promise.withResolvers<never>();

  private constructor(from: string, budget: BodyBudget) {
    this.from = from;
    this.#budget = budget;
    // Mostly nobody is too slow.
    this.#slow.promise.catch(() => {});
    budget.all.add(this, budget);
  }

  /** Undefined: the body is larger than that, and the rest of it is still unread. */
  static async take(
    request: IncomingMessage,
    from: string,
    limitBytes: number,
    budget: BodyBudget,
  ): Promise<TakenBody | undefined> {
    const body = new TakenBody(from, budget);
    try {
      // The connection is still needed for an answer when we stop early.
      const chunks = request.iterator({ destroyOnReturn: false });
      for (;;) {
        const { done, value } = await Promise.race([chunks.next(), body.#slow.promise]);
        if (done) break;
        if (body.sizeBytes + (value as Buffer).length > limitBytes) {
          await body.close();
          return undefined;
        }
        await body.#add(value as Buffer);
      }
      body.#arrived();
      return body;
    } catch (error) {
      await body.close();
      throw request.destroyed ? new Left() : error;
    }
  }

  endAsSlow(): void {
    void this.close();
    this.#slow.reject(new NoticeError(NOTICES.tooSlow, undefined));
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
    this.#arrived();
    this.#budget.giveBack(this, this.sizeBytes);
    this.#budget.all.remove(this);
    await this.#file?.close();
  }

  #arrived(): void {
    if (this.isArriving) this.#budget.all.arrived(this);
    this.isArriving = false;
  }

  async #add(chunk: Buffer): Promise<void> {
    if (this.#isClosed) return;
    this.#budget.take(this, chunk.length);
    this.sizeBytes += chunk.length;
    if (this.sizeBytes <= MEMORY_BYTES) return void this.#chunks.push(chunk);
    this.#file ??= await openNameless();
    for (const kept of this.#chunks.splice(0)) await this.#file.write(kept);
    await this.#file.write(chunk);
  }

  async *#parts(): AsyncGenerator<Buffer> {
    yield* this.#chunks;
    for (let at = 0; this.#file && at < this.sizeBytes; ) {
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
