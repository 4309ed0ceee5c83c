import type { Readable, Writable } from 'node:stream';

type Values = Record<string, unknown>;
interface Message {
  id?: number;
  method?: string;
  params?: Values;
  result?: Values;
  error?: { message: string };
  sessionId?: string;
}

const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;
/** All of one picture: each is read here, where everybody waits for that. */
const MAX_BYTES = 32 * 1024 * 1024;
const END = 0;

/** Speaks to a Chromium over its pipe: JSON with a zero after each message (--remote-debugging-pipe). */
export class Devtools {
  readonly #writable: Writable;
  readonly #waiting = new Map<number, { resolve: (result: Values) => void; reject: (error: Error) => void }>();
  readonly #listeners = new Map<string, (params: Values) => void>();
  #pieces: Buffer[] = [];
  #bytes = 0;
  #allBytes = 0;
  #lastId = 0;
  #ended: Error | undefined;

  constructor(readable: Readable, writable: Writable) {
    this.#writable = writable;
    readable.on('data', (chunk: Buffer) => this.#read(chunk));
    for (const stream of [readable, writable]) {
      stream.on('error', (error) => this.#end(error));
      stream.on('close', () => this.#end(new Error('the browser ended')));
    }
  }

  on(method: string, listener: (params: Values) => void): void {
    this.#listeners.set(method, listener);
  }

  send(method: string, params: Values = {}, sessionId?: string): Promise<Values> {
    if (this.#ended) return Promise.reject(this.#ended);
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#writable.write(`${JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) })}\0`);
    });
  }

  #read(chunk: Buffer): void {
    if (this.#ended) return;
    this.#allBytes += chunk.length;
    if (this.#allBytes > MAX_BYTES) {
      this.#end(new Error('the browser says too much'));
      return;
    }
    let from = 0;
    for (let at = chunk.indexOf(END); at >= 0; at = chunk.indexOf(END, from)) {
      this.#hear(Buffer.concat([...this.#pieces, chunk.subarray(from, at)]).toString());
      this.#pieces = [];
      this.#bytes = 0;
      from = at + 1;
    }
    this.#pieces.push(chunk.subarray(from));
    this.#bytes += chunk.length - from;
    if (this.#bytes > MAX_MESSAGE_BYTES) this.#end(new Error('the browser says too much'));
  }

  #hear(text: string): void {
    const message = read(text);
    // Whatever took the browser over says what it likes, and is not listened to any more.
    if (!message) {
      this.#end(new Error('the browser says what nobody understands'));
      return;
    }
    if (message.id === undefined) {
      if (message.method) this.#listeners.get(message.method)?.(message.params ?? {});
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.error) waiting?.reject(new Error(String(message.error.message)));
    else waiting?.resolve(message.result ?? {});
  }

  #end(error: Error): void {
    this.#ended ??= error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    this.#pieces = [];
  }
}

function read(text: string): Message | undefined {
  try {
    const message: unknown = JSON.parse(text);
    return typeof message === 'object' && message !== null ? message : undefined;
  } catch {
    return undefined;
  }
}
