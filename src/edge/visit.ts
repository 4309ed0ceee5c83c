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
  #isCounted = false;
  #isWatched = false;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    gate: Gate,
    target: { path: string; query: string },
    clientAddress: string,
    protocol: string,
  ) {
    this.request = request;
    this.response = response;
    this.headers = request.headers;
    this.gate = gate;
    this.path = target.path;
    this.query = target.query;
    this.clientAddress = clientAddress;
    this.protocol = protocol;
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
    this.#isCounted = true;
    this.gate.counter.bytes += bytes;
  }

  /** For all other answers: what went over the connection until the answer ended, heads included. */
  countBytesOnClose(): void {
    if (this.#isWatched) return;
    this.#isWatched = true;
    const { socket } = this.request;
    const before = socket.bytesWritten;
    this.response.once('close', () => {
      if (!this.#isCounted) this.gate.counter.bytes += Math.max(0, socket.bytesWritten - before);
    });
  }
}
