import { createServer, type Server as NetServer, type Socket } from 'node:net';
import type { Connection, Server } from 'ssh2';
import { addressKey } from '#core/http/rate-limits.ts';
import type { Services } from '#core/services.ts';
import { Shares } from '#core/shares.ts';
import { hostKeyOf } from './host-key.ts';
import { SshConnection } from './ssh-connection.ts';

/** How long somebody has to say who they are, and how many may be about to. */
const GRACE_MS = 30_000;
const STRANGERS = 100;
const STRANGERS_OF_AN_ADDRESS = 20;
const CONNECTIONS = 1_000;
const CONNECTIONS_OF_A_PERSON = 30;

/**
 * Only what costs little and is believed in today: ChaCha20 is what most clients want first, and here it is slower than AES. Compression would let a
 * few bytes become very many.
 */
const ALGORITHMS = {
  kex: ['curve25519-sha256', 'curve25519-sha256@libssh.org', 'ecdh-sha2-nistp256', 'ecdh-sha2-nistp384'],
  cipher: ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com', 'aes128-ctr', 'aes256-ctr'],
  hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'hmac-sha2-256', 'hmac-sha2-512'],
  compress: ['none'],
};

/** The port that people come in by ssh through. What the library leaves to whoever uses it is bounded here and in its connections. */
export class SshServer {
  readonly #services: Services;
  readonly #ssh: Server;
  readonly #port: NetServer;
  readonly #sockets = new Set<Socket>();
  /** Whoever has not said yet who they are, and how many of them each address has. */
  readonly #strangers = new Map<Socket, string>();
  readonly #connections = new Set<SshConnection>();
  readonly #people = new Shares(CONNECTIONS_OF_A_PERSON);

  static async listen(services: Services, host: string, port: number): Promise<SshServer> {
    // Only where it is used: it takes a while to load.
    const { default: ssh2 } = await import('ssh2');
    const { privateKey } = hostKeyOf(services.secrets, 'siteyard');
    const ssh = new ssh2.Server({ hostKeys: [privateKey], ident: 'Siteyard', algorithms: ALGORITHMS as never });
    const server = new SshServer(services, ssh);
    await new Promise<void>((resolve, reject) => server.#port.once('error', reject).listen(port, host, resolve));
    services.log.info({ port }, 'sites can be reached by ssh');
    return server;
  }

  private constructor(services: Services, ssh: Server) {
    this.#services = services;
    this.#ssh = ssh;
    ssh.on('connection', (client, { ip, port }) => this.#begin(client, `${ip} ${port}`));
    this.#port = createServer({ noDelay: true }, (socket) => this.#admit(socket));
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#port.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all([closed, ...[...this.#connections].map((connection) => connection.ended())]);
  }

  #admit(socket: Socket): void {
    socket.on('error', () => {});
    const address = addressKey(socket.remoteAddress ?? '');
    if (this.#isTooMuch(address) || this.#services.limits.take('sshConnection', address).exceeded)
      return void socket.destroy();
    if (this.#strangers.size >= STRANGERS) this.#dropStranger();
    this.#sockets.add(socket);
    this.#strangers.set(socket, address);
    const grace = setTimeout(() => socket.destroy(), GRACE_MS).unref();
    socket.once('close', () => {
      clearTimeout(grace);
      this.#strangers.delete(socket);
      this.#sockets.delete(socket);
    });
    socket.once('known', () => {
      clearTimeout(grace);
      this.#strangers.delete(socket);
    });
    this.#ssh.injectSocket(socket);
  }

  #isTooMuch(address: string): boolean {
    const own = [...this.#strangers.values()].filter((each) => each === address).length;
    return (
      this.#sockets.size >= CONNECTIONS ||
      own >= STRANGERS_OF_AN_ADDRESS ||
      this.#services.limits.peek('failedSsh', address).exceeded
    );
  }

  /** Of whoever has most of them the one that has been there longest, so that nobody keeps all others out. */
  #dropStranger(): void {
    const byAddress = Map.groupBy(this.#strangers, ([, address]) => address);
    const [most] = [...byAddress.values()].sort((a, b) => b.length - a.length);
    const [socket] = most?.[0] ?? [];
    socket?.destroy();
    if (socket) this.#strangers.delete(socket);
  }

  /** The library names a connection by where it comes from. */
  #begin(client: Connection, from: string): void {
    const socket = [...this.#strangers.keys()].find((each) => `${each.remoteAddress} ${each.remotePort}` === from);
    if (!socket) return void client.end();
    const connection = new SshConnection(this.#services, client, socket, this.#people);
    this.#connections.add(connection);
    socket.once('close', () => void connection.ended().finally(() => this.#connections.delete(connection)));
  }
}
