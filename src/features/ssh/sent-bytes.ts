import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerChannel } from 'ssh2';

const MOST_WAITING_BYTES = 1024 * 1024;
const REKEY_LOOK_MS = 20;

/** What the library remembers of a write that waited for its window. */
interface Remembered {
  _chunk?: unknown;
  _chunkcb?: unknown;
  _chunkErr?: unknown;
  _chunkcbErr?: unknown;
}

/**
 * Both streams of a channel to the client, one piece after another. A piece counts as sent when the client's window took it and our side of
 * the network did: the library waits for the first alone, and a window can be as large as whoever is there says.
 */
export class SentBytes {
  readonly #channel: ServerChannel;
  readonly #socket: Socket;
  readonly #gone: AbortSignal;
  readonly #waiting = new Set<() => void>();
  #last: Promise<void> = Promise.resolve();

  constructor(channel: ServerChannel, socket: Socket, gone: AbortSignal) {
    this.#channel = channel;
    this.#socket = socket;
    this.#gone = gone;
    gone.addEventListener('abort', () => {
      for (const fail of this.#waiting) fail();
    });
  }

  write(stream: 'stdout' | 'stderr', bytes: Buffer): Promise<void> {
    const written = this.#last.then(() => this.#write(stream, bytes));
    this.#last = written.catch(() => {});
    return written;
  }

  async #write(stream: 'stdout' | 'stderr', bytes: Buffer): Promise<void> {
    const before = this.#socket.bytesWritten;
    await this.#until((done) => {
      const to = stream === 'stdout' ? this.#channel : this.#channel.stderr;
      to.write(bytes, () => done());
    });
    // It would send them once more when the other stream has to wait.
    const remembered: Remembered = this.#channel as Remembered;
    for (const name of ['_chunk', '_chunkcb', '_chunkErr', '_chunkcbErr'] as const) remembered[name] = undefined;
    // While keys are exchanged anew, what is written waits in the library.
    while (this.#socket.bytesWritten < before + bytes.length && !this.#gone.aborted) await sleep(REKEY_LOOK_MS);
    if (this.#socket.writableLength > MOST_WAITING_BYTES) await this.#until((done) => this.#socket.once('drain', done));
  }

  /** Fails when nobody is there any more. */
  #until(begin: (done: () => void) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = () => reject(new Error('the client is gone'));
      if (this.#gone.aborted) return fail();
      this.#waiting.add(fail);
      begin(() => {
        this.#waiting.delete(fail);
        resolve();
      });
    });
  }
}
