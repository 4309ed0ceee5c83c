import { createHash, timingSafeEqual } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { connect as connectSecurely, createSecureContext, type SecureContext } from 'node:tls';
import { refuseOtherHost, type WireIdentity } from './identity.ts';

const CONNECT_MS = 5_000;
const KEEP_ALIVE_MS = 10_000;

/** Where a host listens: `unix:/path` on this machine, `host:port` elsewhere. */
export function listeningOptions(address: string): { path: string } | { host: string; port: number } {
  if (address.startsWith('unix:')) return { path: address.slice('unix:'.length) };
  const { hostname, port } = new URL(`tcp://${address}`);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) };
}

/** Who is dialled, and as whom. */
export interface Dialled {
  name: string;
  tls: WireIdentity['tls'];
}

/** A connection to the first of these that takes one and is who is meant; undefined where none is. Sockets of this machine guard themselves. */
export async function dial(addresses: readonly string[], meant?: Dialled): Promise<Socket | undefined> {
  for (const address of addresses) {
    const [socket, ready] = address.startsWith('unix:') || !meant ? plain(address) : secure(address, meant);
    const isConnected = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => socket.destroy(), CONNECT_MS);
      socket.on('error', () => {});
      socket.once(ready, () => resolve(true)).once('close', () => resolve(false));
      socket.once(ready, () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
    });
    if (isConnected) return keptAlive(socket);
  }
  return undefined;
}

const plain = (address: string) => [connect(listeningOptions(address)), 'connect'] as const;

/** Reading keys and certificates costs more than a call. */
const contexts = new WeakMap<WireIdentity['tls'], SecureContext>();

function secure(address: string, { name, tls }: Dialled) {
  const secureContext = contexts.get(tls) ?? createSecureContext(tls);
  contexts.set(tls, secureContext);
  const checkServerIdentity: typeof refuseOtherHost = (_address, certificate) => refuseOtherHost(name, certificate);
  const options = { ...listeningOptions(address), secureContext, checkServerIdentity, noDelay: true };
  return [connectSecurely(options), 'secureConnect'] as const;
}

/** A machine that vanishes says nothing, and nobody may wait for it for ever. */
export function keptAlive(socket: Socket): Socket {
  return socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS);
}

/** The first line of a connection: whoever knows the platform's key is the platform. */
export const greeting = (token: string): string => `siteyard-host 1 ${token}\n`;
const GREETING = /^siteyard-host 1 \S+\n$/;
const MAX_GREETING_BYTES = 200;
const GREETING_MS = 5_000;

/** Resolves when the other side has shown that it is the platform; whoever is not gets no answer. Without a token any word does. */
export function greeted(socket: Socket, token: string | undefined): Promise<boolean> {
  return new Promise((resolve) => {
    const isRight = (line: Buffer) =>
      token === undefined
        ? GREETING.test(line.toString('latin1'))
        : timingSafeEqual(digest(line), digest(greeting(token)));
    let received = Buffer.alloc(0);
    const decide = (isFriend: boolean) => {
      clearTimeout(timer);
      socket.off('data', take).off('close', leave);
      socket.pause();
      if (!isFriend) socket.destroy();
      resolve(isFriend);
    };
    const leave = () => decide(false);
    const take = (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const end = received.indexOf('\n');
      if (end < 0) return received.length > MAX_GREETING_BYTES ? decide(false) : undefined;
      const rest = received.subarray(end + 1);
      decide(isRight(received.subarray(0, end + 1)));
      if (!socket.destroyed && rest.length > 0) socket.unshift(rest);
    };
    const timer = setTimeout(leave, GREETING_MS);
    socket.on('error', () => {});
    socket.on('data', take).once('close', leave);
  });
}

const digest = (text: string | Buffer) => createHash('sha256').update(text).digest();
