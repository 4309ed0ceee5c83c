// SPDX-License-Identifier: GPL-2.0-or-later
import { readSync } from 'node:fs';
import type { FileSystem, OpenStream } from '@php-wasm/universal';
import { tell } from './settings.ts';

const HEAD_BYTES = 4;
const STDIN = 0;

/**
 * What a command reads. The parent is asked for it when PHP reads, and for no more than that: whoever started the command may have a use for
 * the rest. It answers each question with a length and that many bytes; none are the end. PHP waits, and so does all of this process.
 */
export class Input {
  #rest = Buffer.alloc(0);
  #isOver = false;

  attach(fs: FileSystem): void {
    // PHP closes it with the command that it was for. A new one takes the lowest number that is free.
    const stream = fs.streams[STDIN] ?? fs.open('/dev/stdin', 0);
    const operations = stream.stream_ops as object;
    const read = (_stream: OpenStream, into: Uint8Array, offset: number, length: number) =>
      this.#read(into, offset, length);
    stream.stream_ops = { ...operations, read };
  }

  /** For the next command. */
  renew(): void {
    this.#rest = Buffer.alloc(0);
    this.#isOver = false;
  }

  #read(into: Uint8Array, offset: number, length: number): number {
    if (this.#rest.length === 0 && !this.#isOver) this.#ask();
    const part = this.#rest.subarray(0, length);
    into.set(part, offset);
    this.#rest = this.#rest.subarray(part.length);
    return part.length;
  }

  #ask(): void {
    tell({ type: 'input' });
    const length = readExactly(HEAD_BYTES)?.readUInt32BE() ?? 0;
    this.#rest = readExactly(length) ?? Buffer.alloc(0);
    this.#isOver = this.#rest.length === 0;
  }
}

/** Undefined where the parent is gone. */
function readExactly(length: number): Buffer<ArrayBuffer> | undefined {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; ) {
    const count = readSync(STDIN, bytes, at, length - at, null);
    if (count === 0) return undefined;
    at += count;
  }
  return bytes;
}
