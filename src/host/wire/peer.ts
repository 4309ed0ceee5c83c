import type { Socket } from 'node:net';
import { Duplex, Readable } from 'node:stream';
import { deserialize, serialize } from 'node:v8';
import { HostUnreachable } from '../host-unreachable.ts';
import { type PackedFailure, packFailure, reviveFailure } from './failures.ts';
import { fromPieces, sendPieces } from './pieces.ts';

/**
 * One call over one connection, with whatever it takes along: functions of either side are called by the other one, and an abort
 * crosses too. Both sides are this program, and know one another before anything is read here (host-address.ts). Frames are V8's own
 * serialization, four bytes of length in front: it knows buffers, dates and undefined.
 *
 * A call that answers with a stream turns the connection into that stream, and nothing else follows: as it is where both sides speak, in
 * pieces (pieces.ts) where one does, so that what was cut off does not look complete.
 */
type Message =
  | { call: number; of: number; args: unknown[] }
  | { answer: number; value: unknown }
  | { answer: number; stream: 'connection' | 'pieces' }
  | { answer: number; failure: PackedFailure }
  | { abort: number };

/** The function that the one side offers and the other begins with. */
const ROOT = 0;
const MAX_FRAME_BYTES = 256 * 1024 * 1024;

interface PeerOptions {
  /** What the other side begins with. */
  root?: Callable;
  /** The longest frame that is read from it: what it says is put together in memory, as many small objects where it likes. */
  maxFrameBytes?: number;
}
/** Who does not answer to being called off within this time is not waited for. */
const ABORT_MS = 10_000;

type Callable = (...args: never[]) => unknown;
interface Pending {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

export class Peer {
  readonly #socket: Socket;
  readonly #maxFrameBytes: number;
  readonly #functions = new Map<number, Callable>();
  readonly #pending = new Map<number, Pending>();
  readonly #aborts = new Map<number, AbortController>();
  /** What our functions threw when the other side called them, by the call: it comes back as what it was. */
  readonly #thrown = new Map<number, unknown>();
  readonly #closed = new AbortController();
  #next = ROOT + 1;
  /** What came of a frame that is not complete yet. */
  #received: Buffer[] = [];
  #receivedBytes = 0;
  #isRaw = false;

  constructor(socket: Socket, { root, maxFrameBytes = MAX_FRAME_BYTES }: PeerOptions = {}) {
    this.#socket = socket;
    this.#maxFrameBytes = maxFrameBytes;
    if (root) this.#functions.set(ROOT, root);
    socket.on('data', this.#receive);
    socket.on('error', () => {});
    // Who hangs up is gone, whatever it was waiting for.
    socket.once('end', () => this.close());
    socket.once('close', () => this.#end());
  }

  /** Aborted when the connection is gone. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  begin(args: unknown[]): Promise<unknown> {
    return this.#call(ROOT, args);
  }

  close(): void {
    if (!this.#isRaw) this.#socket.destroy();
  }

  #call(of: number, args: unknown[]): Promise<unknown> {
    const call = this.#next++;
    return new Promise((resolve, reject) => {
      if (this.#closed.signal.aborted) return reject(new HostUnreachable('the host of the site can not be reached'));
      this.#pending.set(call, { resolve, reject });
      this.#send({ call, of, args: args.map((arg) => this.#pack(arg)) });
    });
  }

  #send(message: Message): void {
    const body = serialize(message);
    const head = Buffer.alloc(4);
    head.writeUInt32BE(body.length);
    this.#socket.cork();
    this.#socket.write(head);
    this.#socket.write(body);
    this.#socket.uncork();
  }

  readonly #receive = (chunk: Buffer): void => {
    this.#received.push(chunk);
    this.#receivedBytes += chunk.length;
    try {
      while (!this.#isRaw && this.#receivedBytes >= this.#wantedBytes()) this.#readFrame();
    } catch {
      // It speaks another language, or is another version of this program.
      this.#socket.destroy();
    }
  };

  #readFrame(): void {
    const all = this.#received.length === 1 ? (this.#received[0] as Buffer) : Buffer.concat(this.#received);
    const end = 4 + all.readUInt32BE();
    const isWhole = all.length >= end;
    this.#received = isWhole ? [all.subarray(end)] : [all];
    this.#receivedBytes = isWhole ? all.length - end : all.length;
    if (isWhole) this.#take(deserialize(all.subarray(4, end)));
  }

  /** Nothing is put together before there is a whole frame of it. */
  #wantedBytes(): number {
    const first = this.#received[0];
    const length = first && first.length >= 4 ? first.readUInt32BE() : 0;
    if (length > this.#maxFrameBytes) throw new Error('a frame is too long');
    return 4 + length;
  }

  #take(message: Message): void {
    if ('call' in message) void this.#answer(message);
    else if ('abort' in message) this.#aborts.get(message.abort)?.abort();
    else {
      const pending = this.#pending.get(message.answer);
      this.#pending.delete(message.answer);
      if ('failure' in message) pending?.reject(this.#revive(message.failure));
      else if ('stream' in message) {
        const socket = this.#toStream();
        pending?.resolve(message.stream === 'pieces' ? fromPieces(socket) : socket);
      } else pending?.resolve(message.value);
    }
  }

  async #answer({ call, of, args }: Extract<Message, { call: number }>): Promise<void> {
    try {
      const act = this.#functions.get(of);
      if (!act) throw new Error('there is no such function');
      const value = await act(...(args.map((arg) => this.#unpack(arg)) as never[]));
      if (this.#closed.signal.aborted) {
        if (value instanceof Readable) value.destroy();
        return;
      }
      if (!(value instanceof Readable)) return this.#send({ answer: call, value });
      this.#send({ answer: call, stream: value instanceof Duplex ? 'connection' : 'pieces' });
      this.#pour(value);
    } catch (error) {
      if (this.#closed.signal.aborted) return;
      if (of !== ROOT) this.#thrown.set(call, error);
      this.#send({ answer: call, failure: packFailure(error, of === ROOT ? undefined : call) });
    }
  }

  /** What our own function threw is what was thrown, however far it has come. */
  #revive(failure: PackedFailure): Error {
    const own = failure.from === undefined ? undefined : this.#thrown.get(failure.from);
    return own instanceof Error ? own : reviveFailure(failure);
  }

  #toStream(): Socket {
    this.#isRaw = true;
    this.#socket.off('data', this.#receive);
    this.#socket.pause();
    if (this.#receivedBytes > 0) this.#socket.unshift(Buffer.concat(this.#received));
    return this.#socket;
  }

  #pour(value: Readable): void {
    const socket = this.#toStream();
    socket.once('close', () => value.destroy());
    if (!(value instanceof Duplex)) {
      socket.resume();
      sendPieces(value, socket);
      return;
    }
    value.once('error', () => socket.destroy());
    value.once('close', () => socket.destroySoon());
    value.pipe(socket);
    socket.pipe(value);
  }

  #end(): void {
    this.#closed.abort();
    for (const { reject } of this.#pending.values())
      reject(new HostUnreachable('the host of the site can not be reached'));
    this.#pending.clear();
    for (const abort of this.#aborts.values()) abort.abort();
  }

  /** Where the connection has become a stream, whoever has it ends it. */
  #abort(id: number): void {
    if (this.#isRaw) return;
    this.#send({ abort: id });
    setTimeout(() => this.close(), ABORT_MS).unref();
  }

  /** Functions and signals cross as numbers; they are found as arguments, and as properties of arguments. */
  #pack(value: unknown, depth = 0): unknown {
    if (typeof value === 'function') {
      const id = this.#next++;
      this.#functions.set(id, value as Callable);
      return { $function: id };
    }
    if (value instanceof AbortSignal) {
      const id = this.#next++;
      const abort = () => this.#abort(id);
      if (value.aborted) queueMicrotask(abort);
      else value.addEventListener('abort', abort, { once: true, signal: this.#closed.signal });
      return { $signal: id };
    }
    if (depth > 0 || !isPlain(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, this.#pack(inner, 1)]));
  }

  #unpack(value: unknown, depth = 0): unknown {
    if (!isPlain(value)) return value;
    if (typeof value.$function === 'number') {
      const of = value.$function;
      return (...args: unknown[]) => {
        const answer = this.#call(of, args);
        // Whoever tells something need not wait for it, and then nobody would hear that the other side is gone.
        answer.catch(() => {});
        return answer;
      };
    }
    if (typeof value.$signal === 'number') {
      const abort = new AbortController();
      this.#aborts.set(value.$signal, abort);
      return abort.signal;
    }
    if (depth > 0) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, this.#unpack(inner, 1)]));
  }
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
