import type { Readable } from 'node:stream';
import { DROPPED_BYTES_PER_MS, SHORTEST_REST_MS } from '#core/starter/pace.ts';
import type { Command } from './runtime.ts';

type StreamName = 'stdout' | 'stderr';

/** Of what is only told as it comes, this much stays: what PHP complained of at first. */
const KEPT_OF_TOLD_BYTES = 64 * 1024;

/**
 * What a command writes to one stream. It is told as it comes, and kept, up to a length; the rest is read, so that the command does not wait for
 * ever, and dropped. Whoever is slow to be told holds the command up.
 */
export class CollectedOutput {
  readonly #stream: Readable;
  readonly #name: StreamName;
  readonly #command: Pick<Command, 'maxOutputBytes' | 'onOutput' | 'keepsOutput'>;
  readonly #chunks: Buffer[] = [];
  readonly #done = Promise.withResolvers<void>();
  #keptBytes = 0;
  #toldBytes = 0;
  #owedMs = 0;
  #expectedBytes = Number.POSITIVE_INFINITY;
  /** What was read of the stream, by whoever read it before too. */
  readBytes: number;
  truncated = false;

  constructor(stream: Readable, name: StreamName, command: Command, readBytes = 0) {
    this.#stream = stream;
    this.#name = name;
    this.#command = command;
    this.readBytes = readBytes;
    stream.on('data', this.#take).on('close', this.#done.resolve).on('error', this.#done.resolve);
    if (stream.destroyed) this.#done.resolve();
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString();
  }

  /** Resolves when so much was read of the stream in all, or it has ended. Another command may write to it from then on. */
  async until(expectedBytes = Number.POSITIVE_INFINITY): Promise<void> {
    this.#expectedBytes = expectedBytes;
    this.#look();
    try {
      await this.#done.promise;
    } finally {
      this.#stream.off('data', this.#take).off('close', this.#done.resolve).off('error', this.#done.resolve);
    }
  }

  readonly #take = async (chunk: Buffer) => {
    this.readBytes += chunk.length;
    const room = this.#command.maxOutputBytes - this.#toldBytes;
    this.truncated ||= chunk.length > room;
    const taken = chunk.subarray(0, Math.max(room, 0));
    this.#keep(taken);
    this.#toldBytes += taken.length;
    if (taken.length > 0 && this.#command.onOutput) {
      this.#stream.pause();
      try {
        await this.#command.onOutput(this.#name, taken);
        this.#stream.resume();
      } catch (error) {
        this.#done.reject(error);
      }
    } else if (taken.length === 0) this.#rest(chunk.length / DROPPED_BYTES_PER_MS);
    this.#look();
  };

  #rest(forMs: number): void {
    this.#owedMs += forMs;
    if (this.#owedMs < SHORTEST_REST_MS) return;
    this.#stream.pause();
    setTimeout(() => this.#stream.resume(), this.#owedMs);
    this.#owedMs = 0;
  }

  #keep(chunk: Buffer): void {
    const limit = this.#command.keepsOutput === false ? KEPT_OF_TOLD_BYTES : Number.POSITIVE_INFINITY;
    const kept = chunk.subarray(0, limit - this.#keptBytes);
    if (kept.length > 0) this.#chunks.push(kept);
    this.#keptBytes += kept.length;
  }

  #look(): void {
    if (this.readBytes >= this.#expectedBytes) this.#done.resolve();
  }
}
