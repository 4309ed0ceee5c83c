import type { ServerResponse } from 'node:http';
import type { Transform } from 'node:stream';
import type { Allowance } from './allowance.ts';
import { type Coding, createCompressor } from './codings.ts';

/** So much waits to be compressed; then whoever makes it waits too. */
const WAITING_BYTES = 256 * 1024;

export interface CompressedBodyOptions {
  coding: Coding;
  response: ServerResponse;
  allowance: Allowance;
  /** Nobody said how long the answer is, so that it is paid for as it comes. */
  isEndless: boolean;
  /** There is room again after `write` has returned false. */
  onRoom: () => void;
}

/**
 * Compresses an answer on its way to the visitor. What comes goes out at once, as slowly as it may come; what comes while the
 * compressor works waits and goes in together, so that a thousand words cost no thousand turns of a thread.
 */
export class CompressedBody {
  readonly #options: CompressedBodyOptions;
  readonly #compressor: Transform;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #isAtWork = false;
  #isEnded = false;
  #isOver = false;
  #pause: NodeJS.Timeout | undefined;

  /** The allowance must have said yes. */
  constructor(options: CompressedBodyOptions) {
    const { coding, response } = options;
    this.#options = options;
    const compressor = createCompressor(coding);
    this.#compressor = compressor;
    // Not `pipe`: it writes to a visitor who has gone, which is an error that nobody would catch.
    compressor.on('data', (chunk: Buffer) => {
      if (!this.#isOver && !response.destroyed && !response.write(chunk)) compressor.pause();
    });
    response.on('drain', () => compressor.resume());
    compressor.once('end', () => {
      if (!response.destroyed) response.end();
    });
    // Only memory can run out here. The visitor then sees that the answer broke off.
    compressor.once('error', () => response.destroy());
    if (response.destroyed) this.#leave();
    else response.once('close', () => this.#leave());
  }

  /** False: enough for now. */
  write(chunk: Buffer): boolean {
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.length;
    this.#work();
    return this.#waitingBytes < WAITING_BYTES;
  }

  /** The response ends when all of it has gone out. */
  end(): void {
    this.#isEnded = true;
    this.#work();
  }

  #work(): void {
    if (this.#isAtWork || this.#isOver) return;
    this.#isAtWork = true;
    // What comes in one piece over the socket is told part by part, and its end last.
    setImmediate(() => this.#take());
  }

  #take(): void {
    if (this.#isOver) return;
    const chunk = Buffer.concat(this.#waiting);
    const wasFull = this.#waitingBytes >= WAITING_BYTES;
    this.#waiting = [];
    this.#waitingBytes = 0;
    const { isEndless, allowance } = this.#options;
    const pauseMs = isEndless ? allowance.overdraw(chunk.length) : 0;
    if (this.#isEnded) return void this.#compressor.end(chunk);
    this.#compressor.write(chunk, () => {
      if (pauseMs === 0) this.#goOn();
      else this.#pause = setTimeout(() => this.#goOn(), pauseMs);
    });
    if (wasFull) this.#options.onRoom();
  }

  #goOn(): void {
    this.#isAtWork = false;
    if (this.#waitingBytes > 0 || this.#isEnded) this.#work();
  }

  #leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#pause);
    this.#compressor.destroy();
    this.#waiting = [];
    this.#options.allowance.end();
  }
}
