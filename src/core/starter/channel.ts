import { EventEmitter } from 'node:events';
import { Socket } from 'node:net';
import { deserialize, serialize } from 'node:v8';

/** The stream after standard error. */
export const CHANNEL_FD = 3;
const HEAD_BYTES = 4;
/** More than any of ours has: a program that read what a stranger wrote may be the stranger's by now. */
const MAX_MESSAGE_BYTES = 512 * 1024 * 1024;

/** Messages between the service and a program of ours, whatever can be cloned: each is its length and its bytes. */
export class Channel extends EventEmitter<{ message: [unknown]; close: [] }> {
  readonly #socket: Socket;
  #chunks: Buffer[] = [];
  #length = 0;
  #wanted = HEAD_BYTES;
  #isBody = false;

  constructor(socket: Socket) {
    super();
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    // Whoever listens hears of the end by `close`.
    socket.on('error', () => socket.destroy()).once('close', () => this.emit('close'));
  }

  /** The other end, in the program. */
  static ofProgram(): Channel {
    return new Channel(new Socket({ fd: CHANNEL_FD }));
  }

  get isOpen(): boolean {
    return this.#socket.writable;
  }

  /** What can no longer be sent is dropped: the other side is gone. */
  send(message: unknown): void {
    if (!this.isOpen) return;
    const bytes = serialize(message);
    const head = Buffer.allocUnsafe(HEAD_BYTES);
    head.writeUInt32LE(bytes.length);
    this.#socket.cork();
    this.#socket.write(head);
    this.#socket.write(bytes);
    this.#socket.uncork();
  }

  /** The other side reads what was sent, and then an end. */
  end(): void {
    this.#socket.end();
  }

  #read(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    while (this.#length >= this.#wanted) {
      const all = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks);
      const part = all.subarray(0, this.#wanted);
      this.#chunks = [all.subarray(this.#wanted)];
      this.#length -= this.#wanted;
      this.#wanted = this.#isBody ? HEAD_BYTES : part.readUInt32LE();
      if (this.#wanted > MAX_MESSAGE_BYTES) return void this.#socket.destroy();
      this.#isBody = !this.#isBody;
      if (!this.#isBody) this.emit('message', deserialize(part));
    }
  }
}
