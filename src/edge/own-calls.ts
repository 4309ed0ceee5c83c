import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Connections, openConnections } from '#core/http/connections.ts';

/**
 * What sites ask of themselves. The runtime hands over connections that only the PHP of one site can have made; what comes
 * over one is HTTP as from any visitor, for that one site. Nothing listens for it.
 */
export class OwnCalls {
  readonly #connections: Connections;
  readonly #longestMs: number;
  readonly #callers = new WeakMap<Duplex, string>();

  constructor(longestMs: number, answer: (siteId: string, request: IncomingMessage, response: ServerResponse) => void) {
    this.#longestMs = longestMs;
    this.#connections = openConnections((request, response) =>
      answer(this.#callers.get(request.socket) ?? '', request, response),
    );
    this.#connections.server.on('clientError', (error: { code?: string }, socket) =>
      this.#connections.refuse(error, socket as Socket),
    );
  }

  take(siteId: string, connection: Duplex): void {
    this.#callers.set(connection, siteId);
    // Node watches the connections of servers that listen, and of no others.
    const deadline = setTimeout(() => connection.destroy(), this.#longestMs);
    connection.once('close', () => clearTimeout(deadline));
    this.#connections.server.emit('connection', connection);
  }

  close(): void {
    this.#connections.closeQuiet();
  }
}
