import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { hasBody } from './framing.ts';
import type { Gate } from './gate.ts';

/** One request on its way to one site. */
export class Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly headers: IncomingHttpHeaders;
  readonly gate: Gate;
  /** As sent, not decoded. */
  readonly path: string;
  /** With the question mark, or empty. */
  readonly query: string;
  readonly clientAddress: string;
  /** `http` or `https`, as the visitor came. */
  readonly protocol: string;
  /** The edge itself used the Authorization header, so that it is none of the site's business. */
  isSignedInAtEdge = false;
  /** How the page cache came in, if it did. */
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

  get isHead(): boolean {
    return this.request.method === 'HEAD';
  }

  get isRead(): boolean {
    return this.request.method === 'GET' || this.request.method === 'HEAD';
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
