// SPDX-License-Identifier: GPL-2.0-or-later
import { type Complaints, noteComplaint } from '../../php/answer-rules.ts';
import { type LogMessage, tell } from './settings.ts';

/**
 * What PHP writes to its error log, on its way to the parent. PHP writes each message at once, and its end as a line break of
 * its own, so that a message with line breaks in it stays one. How much gets through is bounded, for each request and for
 * each second: what is lost is counted, and the parent's time is everybody's.
 */
const REQUEST_BYTES = 64 * 1024;
const SECOND_BYTES = 128 * 1024;
const MESSAGE_BYTES = 32 * 1024;
/** Short messages cost something too. */
const LEAST_BYTES = 100;
const BATCH_BYTES = 16 * 1024;
const BATCH_MS = 200;

let secondBytes = 0;
let secondStartedAt = 0;

export async function passOnErrors(stream: ReadableStream<Uint8Array>, isTold: boolean): Promise<Complaints> {
  const complaints = { ranOutOfMemory: false, ranOutOfFiles: false };
  const batch = new Batch();
  let chunks: Uint8Array[] = [];
  let bytes = 0;
  const end = () => {
    if (bytes === 0) return;
    const text = Buffer.concat(chunks).toString().trimEnd();
    noteComplaint(complaints, text);
    if (isTold && text !== '') batch.add({ atMs: Date.now(), text });
    chunks = [];
    bytes = 0;
  };
  for await (const chunk of stream) {
    if (chunk.length > 0 && bytes < MESSAGE_BYTES) chunks.push(copyOf(chunk, MESSAGE_BYTES - bytes));
    bytes += chunk.length;
    if (chunk.length === 0 || chunk.at(-1) === 0x0a) end();
  }
  end();
  batch.close();
  return complaints;
}

/** PHP's memory is used again at once, and these are bytes with a sign, whatever their type says. */
function copyOf({ buffer, byteOffset, length }: Uint8Array, maxBytes: number): Uint8Array {
  return new Uint8Array(buffer, byteOffset, Math.min(length, maxBytes)).slice();
}

/** The first message goes at once, since PHP may never come back after it; others together. */
class Batch {
  #messages: LogMessage[] = [];
  #bytes = 0;
  #requestBytes = 0;
  #leftOut = 0;
  #isFirst = true;
  #timer: NodeJS.Timeout | undefined;

  add(message: LogMessage): void {
    const cost = Math.max(LEAST_BYTES, Buffer.byteLength(message.text));
    if (!this.#takes(cost)) {
      this.#leftOut++;
      return;
    }
    this.#messages.push(message);
    this.#bytes += cost;
    if (this.#isFirst || this.#bytes >= BATCH_BYTES) this.#send();
    else this.#timer ??= setTimeout(() => this.#send(), BATCH_MS);
    this.#isFirst = false;
  }

  close(): void {
    const noun = this.#leftOut === 1 ? 'message' : 'messages';
    if (this.#leftOut > 0)
      this.#messages.push({ atMs: Date.now(), text: `${this.#leftOut} more ${noun} of this request were left out.` });
    this.#send();
  }

  #takes(cost: number): boolean {
    const now = performance.now();
    if (now - secondStartedAt >= 1000) {
      secondStartedAt = now;
      secondBytes = 0;
    }
    if (this.#requestBytes + cost > REQUEST_BYTES || secondBytes + cost > SECOND_BYTES) return false;
    this.#requestBytes += cost;
    secondBytes += cost;
    return true;
  }

  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#messages.length > 0) tell({ type: 'log', messages: this.#messages });
    this.#messages = [];
    this.#bytes = 0;
  }
}
