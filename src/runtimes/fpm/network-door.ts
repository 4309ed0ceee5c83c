import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { type Duplex, pipeline } from 'node:stream';
import { createSecureContext, TLSSocket } from 'node:tls';
import type { Outbound } from '#core/outbound.ts';
import type { Certificate } from '#runtimes/php/certificate.ts';
import type { OwnAddress } from '#runtimes/wordpress/layout.ts';

export interface NetworkDoorOptions {
  file: string;
  outbound: Outbound;
  /** Where the site itself is, and what it is known by there. */
  own: OwnAddress;
  certificate: Certificate | undefined;
  ownCall(connection: Duplex): void;
  /** The server of its database, which the guard would take for somebody else's business. */
  database: { host: string; port: number } | undefined;
  /** Whether nothing else can be reached. */
  isOffline: boolean;
}

const CONNECTIONS = 256;
const FIRST_LINE = /^([a-zA-Z0-9_.:-]{1,253}) (\d{1,5})\n$/;
const LONGEST_LINE = 300;
const LONGEST_HEAD = 64 * 1024;
const LOOPBACK = '127.0.0.1';
const LINE_LIMIT_MS = 10_000;
const DIAL_LIMIT_MS = 20_000;
/** Said before anything else, where what was asked for is reached. */
const REACHED = '+';

/** Named by the operator, so whatever it is, it is meant. */
async function dial({ host, port }: { host: string; port: number }): Promise<Socket> {
  const socket = connect({ host, port });
  const timer = setTimeout(() => socket.destroy(new Error('the server of databases does not answer')), DIAL_LIMIT_MS);
  await once(socket, 'connect').finally(() => clearTimeout(timer));
  return socket;
}

/**
 * The one way from a site's PHP to the network: whoever carries its calls out of the sandbox (inside/relay.pl) says which name or address and
 * which port is meant. It is dialled through the platform's guard, or is the site itself. Whoever speaks here is the site, so it may say anything.
 */
export class NetworkDoor {
  readonly #options: NetworkDoorOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(options: NetworkDoorOptions) {
    this.#options = options;
    this.#server = createServer({ pauseOnConnect: false }, (socket) => this.#take(socket));
    this.#server.maxConnections = CONNECTIONS;
  }

  static async open(options: NetworkDoorOptions): Promise<NetworkDoor> {
    const door = new NetworkDoor(options);
    await new Promise<void>((resolve, reject) => {
      door.#server.once('error', reject).listen(options.file, resolve).unref();
    });
    chmodSync(options.file, 0o666);
    return door;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #take(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    const patience = setTimeout(() => socket.destroy(), LINE_LIMIT_MS);
    socket.once('close', () => {
      clearTimeout(patience);
      this.#sockets.delete(socket);
    });
    let line = '';
    const read = (piece: Buffer) => {
      line += piece.toString('latin1');
      const [, host, port] = FIRST_LINE.exec(line) ?? [];
      if (host && port) {
        clearTimeout(patience);
        socket.off('data', read).pause();
        this.#reach(socket, host, Number(port)).catch(() => socket.destroy());
        // It says nothing more until it is told that it is reached.
      } else if (line.length > LONGEST_LINE || line.includes('\n')) socket.destroy();
    };
    socket.on('data', read);
  }

  async #reach(socket: Socket, host: string, port: number): Promise<void> {
    const { own, outbound, certificate, database, isOffline } = this.#options;
    if (database && port === database.port && host.toLowerCase() === database.host.toLowerCase())
      return this.#carry(socket, await dial(database));
    if (isOffline) return void socket.destroy();
    if (port === own.port && host.toLowerCase().replace(/\.$/, '') === own.host) return this.#answerItself(socket);
    // Curl asks nobody for such a name: it is this machine to it, and the request alone says who is meant.
    if (port === own.port && host === LOOPBACK && own.host.endsWith('.localhost'))
      return certificate ? this.#answerItself(socket) : this.#answerWhoIsMeant(socket);
    this.#carry(socket, await outbound.connect(host, port, DIAL_LIMIT_MS));
  }

  #carry(socket: Socket, outside: Socket): void {
    this.#sockets.add(outside);
    outside.once('close', () => this.#sockets.delete(outside));
    if (socket.destroyed) return void outside.destroy();
    socket.write(REACHED);
    pipeline(socket, outside, socket, () => {});
  }

  #answerWhoIsMeant(socket: Socket): void {
    const { own, ownCall } = this.#options;
    let head = Buffer.alloc(0);
    const read = (piece: Buffer) => {
      head = Buffer.concat([head, piece]);
      if (!head.includes('\r\n\r\n') && head.length < LONGEST_HEAD) return;
      socket.off('data', read).pause();
      const [, host] = /\r\nhost: *([^\r\n]*)/i.exec(head.toString('latin1')) ?? [];
      if (host?.toLowerCase() !== `${own.host}:${own.port}`) return void socket.destroy();
      // The socket itself and no stream in its place: who answers sets limits of time that only a socket has.
      socket.unshift(head);
      ownCall(socket);
      socket.resume();
    };
    socket.on('data', read).resume();
    socket.write(REACHED);
  }

  /** PHP speaks TLS where its own address has it; behind this process everything is plain. */
  #answerItself(socket: Socket): void {
    const { certificate, ownCall } = this.#options;
    socket.write(REACHED);
    if (certificate) {
      const secure = new TLSSocket(socket, { isServer: true, secureContext: createSecureContext(certificate) });
      secure.on('error', () => secure.destroy());
      ownCall(secure);
    } else ownCall(socket);
    socket.resume();
  }
}
