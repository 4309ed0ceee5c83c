import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Connections, openConnections } from '#core/http/connections.ts';

interface Caller {
  siteId: string;
  /** What it asked last. */
  asked?: { request: IncomingMessage; response: ServerResponse };
}

/**
 * What sites ask of themselves. The runtime hands over connections that only the PHP of one site can have made; what comes
 * over one is HTTP as from any visitor, for that one site. Nothing listens for it.
 */
export class OwnCalls {
  readonly #connections: Connections;
  readonly #arrivalMs: number;
  readonly #callers = new WeakMap<Duplex, Caller>();

  constructor(arrivalMs: number, answer: (siteId: string, request: IncomingMessage, response: ServerResponse) => void) {
    this.#arrivalMs = arrivalMs;
    this.#connections = openConnections((request, response) => {
      const caller = this.#callers.get(request.socket);
      if (caller) caller.asked = { request, response };
      answer(caller?.siteId ?? '', request, response);
    });
    this.#connections.server.on('clientError', (error: { code?: string }, socket) =>
      this.#connections.refuse(error, socket as Socket),
    );
  }

  take(siteId: string, connection: Duplex): void {
    const caller: Caller = { siteId };
    this.#callers.set(connection, caller);
    // Node watches over the connections of servers that listen, and of no others.
    const watch = setInterval(() => {
      if (!isWaitingForUs(caller)) connection.destroy();
    }, this.#arrivalMs).unref();
    connection.once('close', () => clearInterval(watch));
    this.#connections.server.emit('connection', connection);
  }

  close(): void {
    this.#connections.closeQuiet();
  }
}

/** All of a request is there, and not yet its answer, which takes as long as it takes. */
function isWaitingForUs({ asked }: Caller): boolean {
  return asked?.request.complete === true && !asked.response.writableFinished;
}
