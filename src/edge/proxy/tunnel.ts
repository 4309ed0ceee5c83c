import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Gate } from '../gate.ts';
import { followVisitor } from '../leaving.ts';
import { NOTICES, sendNotice } from '../notices.ts';
import type { RawHeaders } from '../raw-headers.ts';
import type { Visit } from '../visit.ts';
import { fromMessage } from './answer.ts';
import type { ExternalPaths } from './external.ts';
import { answerHeaders, type ForwardedFacts, requestHeaders } from './headers.ts';
import { relay } from './relay.ts';
import type { Upstream } from './upstream.ts';

const LINGER_MS = 5_000;

export interface TunnelOptions {
  upstream: Upstream;
  external: ExternalPaths;
  facts: (visit: Visit) => ForwardedFacts;
}

/** Requests that leave HTTP, such as WebSockets: after the handshake, bytes go both ways until one side ends. */
export class Tunnels {
  readonly #options: TunnelOptions;
  readonly #open = new Set<Duplex>();

  constructor(options: TunnelOptions) {
    this.#options = options;
  }

  close(): void {
    for (const socket of this.#open) socket.destroy();
  }

  async connect(visit: Visit, socket: Duplex, head: Buffer): Promise<void> {
    const { upstream, external, facts } = this.#options;
    // Whoever is asked would wait for a body, and what follows the head is the other protocol's already.
    if (visit.hasBody) return void sendNotice(visit.response, NOTICES.badRequest);
    const sentBefore = (socket as Socket).bytesWritten;
    const leaving = followVisitor(visit.response);
    const asking: RawHeaders = ['Connection', 'Upgrade', 'Upgrade', visit.headers.upgrade ?? 'websocket'];
    const elsewhere = visit.gate.externalPath(visit.path);
    const { message, tunnel } = elsewhere
      ? await external.upgrade(visit, elsewhere, leaving.signal, asking)
      : await upstream.upgrade(visit.gate, {
          method: visit.request.method ?? 'GET',
          path: visit.path + visit.query,
          headers: [...requestHeaders(visit, facts(visit)), ...asking],
          leaving,
        });
    if (!tunnel) {
      const headers = visit.gate.guarded(answerHeaders(message.rawHeaders));
      await relay(visit.response, { source: fromMessage(message), headers });
      return;
    }
    // From here on the connection is no response's any more.
    visit.response.detachSocket(socket as Socket);
    visit.response.statusCode = 101;
    socket.once('close', () => visit.countBytes((socket as Socket).bytesWritten - sentBefore));
    socket.write(handshake(message, visit.gate));
    if (tunnel.head.length > 0) socket.write(tunnel.head);
    if (head.length > 0) tunnel.socket.write(head);
    this.#join(socket, tunnel.socket);
  }

  #join(one: Duplex, other: Duplex): void {
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const) {
      this.#open.add(from);
      from.on('error', () => to.destroy());
      from.once('close', () => {
        this.#open.delete(from);
        to.destroy();
      });
      // One side has said all it has to say. The other may still answer, but not for ever.
      from.once('end', () => setTimeout(() => to.destroy(), LINGER_MS).unref());
      from.pipe(to);
    }
  }
}

function handshake(message: IncomingMessage, gate: Gate): string {
  const headers = gate.guarded(answerHeaders(message.rawHeaders));
  headers.push('Connection', 'Upgrade', 'Upgrade', message.headers.upgrade ?? 'websocket');
  let text = `HTTP/1.1 101 ${message.statusMessage ?? 'Switching Protocols'}\r\n`;
  for (let index = 0; index < headers.length; index += 2) text += `${headers[index]}: ${headers[index + 1]}\r\n`;
  return `${text}\r\n`;
}
