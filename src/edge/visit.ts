import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Asked } from './asked.ts';
import { hasBody } from './framing.ts';
import type { Gate } from './gate.ts';

/** One request on its way to one site. */
export class Visit implements Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly headers: IncomingHttpHeaders;
  readonly gate: Gate;
  readonly path: string;
  readonly query: string;
  readonly clientAddress: string;
  readonly protocol: string;
  isSignedInAtEdge = false;
  cacheState: string | null = null;
  readonly startedAtMs: number;
  /** Called once, with the bytes that were sent, when the answer has been. */
  readonly #onAnswered: ((visit: Visit, bytes: number) => void) | undefined;
  #isCounted = false;
  #isWatched = false;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    gate: Gate,
    target: { path: string; query: string },
    clientAddress: string,
    protocol: string,
    startedAtMs = performance.now(),
    onAnswered?: (visit: Visit, bytes: number) => void,
  ) {
    this.request = request;
    this.response = response;
    this.headers = request.headers;
    this.gate = gate;
    this.path = target.path;
    this.query = target.query;
    this.clientAddress = clientAddress;
    this.protocol = protocol;
    this.startedAtMs = startedAtMs;
    this.#onAnswered = onAnswered;
  }

  get method(): string | undefined {
    return this.request.method;
  }

  get isHead(): boolean {
    return this.method === 'HEAD';
  }

  get isRead(): boolean {
    return this.method === 'GET' || this.method === 'HEAD';
  }

  get hasBody(): boolean {
    return hasBody(this.headers);
  }

  /** For answers that know their size. */
  countBytes(bytes: number): void {
    this.gate.counter.bytes += bytes;
    if (!this.#isCounted) this.#onAnswered?.(this, bytes);
    this.#isCounted = true;
  }

  /** The same request goes on as another visit, which is the one that counts. */
  handOver(): void {
    this.#isCounted = true;
  }

  /** For all other answers: what went over the connection until the answer ended, heads included. */
  countBytesOnClose(): void {
    if (this.#isWatched) return;
    this.#isWatched = true;
    const { socket } = this.request;
    const before = socket.bytesWritten;
    this.response.once('close', () => {
      if (!this.#isCounted) this.countBytes(Math.max(0, socket.bytesWritten - before));
    });
  }
}
