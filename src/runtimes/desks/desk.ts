import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { type Lease, SiteFailure, type SiteFailureReason } from '#runtimes/runtime.ts';

export interface DeskEvents {
  /** The site may be about to work on a request, or has just ended. */
  touched(): void;
  /** Fails with a SiteFailure where the site did. Once the signal is aborted, for the failure that is its reason, it ends. */
  answer(request: IncomingMessage, response: ServerResponse, signal: AbortSignal): Promise<void>;
  /** It was ended in the middle of this request. */
  broken(failure: SiteFailure, request: string): void;
  /** It can take a request again, or never will. */
  freed(): void;
}

interface Current {
  hasBegun: boolean;
  request: string;
}

/**
 * Where a site answers one request at a time, at a socket of its own: what a process is to PHP. When it is ended, so are
 * its connections, and whoever waits at one learns why.
 */
export class Desk {
  readonly socketPath: string;
  readonly #requestTimeoutMs: number;
  readonly #events: DeskEvents;
  readonly #server: Server;
  readonly #ending = new AbortController();
  #current: Current | undefined;
  #work: Promise<void> = Promise.resolve();
  #failure: SiteFailure | undefined;

  constructor(socketPath: string, requestTimeoutMs: number, events: DeskEvents) {
    this.socketPath = socketPath;
    this.#requestTimeoutMs = requestTimeoutMs;
    this.#events = events;
    this.#server = createServer({ maxHeaderSize: 64 * 1024 }, (request, response) => {
      this.#work = this.#serve(request, response);
    });
    // Its only visitors are ours, who keep their connections for as long as they like.
    Object.assign(this.#server, { keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 });
  }

  open(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.socketPath, resolve).unref();
    });
  }

  get isAtWork(): boolean {
    return this.#current !== undefined;
  }

  get isOpen(): boolean {
    return this.#failure === undefined;
  }

  lease(): Lease {
    const current: Current = { hasBegun: false, request: '' };
    this.#begin(current);
    return {
      door: this.socketPath,
      connect: () => connect(this.socketPath),
      failure: async () => {
        if (!this.#failure) return undefined;
        if (!current.hasBegun) return new SiteFailure('stopped', 'The site was stopped before it was asked.');
        if (this.#failure.reason !== 'stopped') return this.#failure;
        return new SiteFailure('interrupted', 'The site was stopped while it answered.');
      },
      release: () => {
        // What was begun is also ended, whether anybody still listens or not; only an unused lease is over by this.
        if (this.#current === current && !current.hasBegun) this.#done();
      },
    };
  }

  /** Ends it and whatever it is at; resolves when nothing of that goes on. */
  async end(reason: SiteFailureReason, message: string): Promise<void> {
    if (!this.#failure) {
      this.#failure = new SiteFailure(reason, message);
      this.#ending.abort(this.#failure);
      this.#server.close();
      this.#server.closeAllConnections();
      const current = this.#current;
      if (current?.hasBegun) this.#events.broken(this.#failure, current.request);
      this.#done();
    }
    await this.#work;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const name = `${request.method} ${request.url}`;
    // Whoever sent it may have let go of their lease already.
    const current = this.#current ?? this.#begin({ hasBegun: true, request: name });
    Object.assign(current, { hasBegun: true, request: name });
    const seconds = Math.round(this.#requestTimeoutMs / 1000);
    const late = () => this.end('timeout', `The site took longer than ${seconds} seconds to answer.`);
    const timer = setTimeout(late, this.#requestTimeoutMs);
    try {
      await this.#events.answer(request, response, this.#ending.signal);
    } catch (error) {
      response.destroy();
      const { reason, message } =
        error instanceof SiteFailure ? error : { reason: 'crash' as const, message: String(error) };
      if (this.isOpen) void this.end(reason, message);
    } finally {
      clearTimeout(timer);
      if (this.#current === current) this.#done();
    }
  }

  #begin(current: Current): Current {
    this.#current = current;
    // Before the request is sent, so that nothing is written sooner.
    this.#events.touched();
    return current;
  }

  #done(): void {
    if (this.#current) this.#events.touched();
    this.#current = undefined;
    this.#events.freed();
  }
}
