// SPDX-License-Identifier: GPL-2.0-or-later
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import tls from 'node:tls';
import ipaddr from 'ipaddr.js';
import type { Certificate } from '../../php/certificate.ts';
import type { OwnAddress } from './settings.ts';

/** PHP's system calls turn an error of this name and number into a plain failure; any other would tear PHP down. */
const WASI_EACCES = 2;
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');
/** No host has it, so it stands for a name that could not be resolved. */
const NOWHERE = '0.0.0.0';
/** No host has this one either (RFC 7600); it stands for the site itself. */
const OWN_ADDRESS = '192.0.0.8';
const REFUSAL_OPEN_MS = 200;
/** What PHP has sent without waiting for an answer is still on its way for a moment. */
const LINGER_MS = 10_000;
const REFUSAL = 'HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\nconnection: close\r\n\r\n';

export interface NetworkGuard {
  /** From now on nobody listens. */
  seal(): void;
  /** Called when PHP has ended a request. Its connections end then, whatever those on the other side do, but for these ports. */
  letGo(keptPorts: ReadonlySet<number>): void;
  /** From now on nothing is reached at all, and no name is asked for: the question alone would tell somebody something. */
  cut(): void;
  /** From now on this host and port are the site itself: whatever PHP sends there goes through the parent's door. */
  own(address: OwnAddress, certificate: Certificate | undefined): void;
}

/**
 * PHP's sockets end up in this process' own: they may reach public addresses alone, and may not listen. Names are
 * resolved before the connection is made, so what is checked here is the very address that is dialled.
 *
 * What is refused, and what has no address, is answered by a server in here instead. PHP waits for its whole time limit
 * on a connection that breaks before it has said anything, and WordPress calls home on many pages of its dashboard.
 */
export async function guardNetwork(allowedNetworks: readonly string[], slot: string): Promise<NetworkGuard> {
  const allowed = allowedNetworks.map((range) => ipaddr.parseCIDR(range));
  const ownPorts = new Set<number>();
  const dialled = new Map<net.Socket, number>();
  let isSealed = false;
  let isCut = false;
  let own: OwnAddress | undefined;

  const refusals = net.createServer((socket) => {
    // Unread, what PHP sends would keep the connection from ever ending.
    socket
      .on('error', () => {})
      .resume()
      .write(REFUSAL);
    // Closed at once, the answer itself could be lost on its way into PHP.
    setTimeout(() => socket.end(), REFUSAL_OPEN_MS).unref();
  });
  await new Promise<void>((resolve) => refusals.listen(0, '127.0.0.1', resolve));
  const { port: refusalPort } = refusals.address() as net.AddressInfo;

  // PHP speaks TLS by itself, so it is spoken with here; behind it everything is plain. Nobody listens later, so this does now.
  const door = join(slot, 'own.sock');
  const secureDoor = join(slot, 'own-tls.sock');
  const secureServer = tls.createServer((inside) => {
    const outside: net.Socket = Reflect.apply(connect, new net.Socket(), [door]);
    pipeline(inside, outside, inside, () => {});
  });
  secureServer.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => secureServer.listen(secureDoor, resolve));

  const isAllowed = (host: string): boolean => {
    if (isCut || !ipaddr.isValid(host)) return false;
    const address = ipaddr.process(host);
    const matches = allowed.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits));
    // Below 2000::/3 there are ancient ways to write IPv4 addresses.
    const isGlobal = address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST);
    return matches || (address.range() === 'unicast' && isGlobal);
  };

  const connect = net.Socket.prototype.connect;
  net.Socket.prototype.connect = function guarded(this: net.Socket, ...args: unknown[]) {
    // Node itself hands its arguments on as one list.
    const [first, second] = (Array.isArray(args[0]) ? args[0] : args) as [unknown, unknown];
    const { host = 'localhost', port } = (
      typeof first === 'object' ? first : { port: first, host: typeof second === 'string' ? second : undefined }
    ) as { host?: string; port?: number };
    // The way out of PHP leads through a server inside this process.
    const isWithin = host === '127.0.0.1' && ownPorts.has(Number(port));
    if (!isWithin) {
      dialled.set(this, Number(port));
      this.once('close', () => dialled.delete(this));
    }
    if (isWithin || isAllowed(host)) return Reflect.apply(connect, this, args);
    const listener = (Array.isArray(args[0]) ? args[0] : args).find((arg) => typeof arg === 'function');
    if (own && host === OWN_ADDRESS) {
      if (Number(port) === own.port) return Reflect.apply(connect, this, [own.isSecure ? secureDoor : door, listener]);
      // Behind another port of the same name there may be anything, such as a mail server.
      return Reflect.apply(connect, this, [{ host: own.host, port, family: 4, lookup: lookupAllowed }, listener]);
    }
    return Reflect.apply(connect, this, [refusalPort, '127.0.0.1', listener]);
  } as typeof connect;

  const lookup = dns.lookup;
  dns.lookup = ((
    host: string,
    options: dns.LookupOneOptions,
    done: (error: null, address: string, family: number) => void,
  ) =>
    isCut || isOwnName(host, own)
      ? queueMicrotask(() => done(null, isCut ? NOWHERE : OWN_ADDRESS, 4))
      : lookup(host, options, (error, address, family) =>
          error ? done(null, NOWHERE, 4) : done(null, address, family),
        )) as typeof dns.lookup;
  syncBuiltinESMExports();
  const lookupAllowed = ((
    host: string,
    options: dns.LookupOneOptions,
    done: (error: Error | null, address: string, family: number) => void,
  ) =>
    lookup(host, options, (error, address, family) =>
      done(error ?? (isAllowed(address) ? null : new Error('refused')), address, family),
    )) as typeof dns.lookup;

  const listen = net.Server.prototype.listen;
  net.Server.prototype.listen = function guarded(this: net.Server, ...args: unknown[]) {
    if (isSealed) throw Object.assign(new Error('refused'), { name: 'ErrnoError', errno: WASI_EACCES });
    this.once('listening', () => {
      const address = this.address();
      if (typeof address === 'object' && address) ownPorts.add(address.port);
    });
    return Reflect.apply(listen, this, args);
  } as typeof listen;

  return {
    seal() {
      isSealed = true;
    },
    cut() {
      isCut = true;
    },
    own(address, certificate) {
      own = address;
      if (certificate) secureServer.setSecureContext(certificate);
    },
    letGo(keptPorts) {
      for (const [socket, port] of dialled) {
        if (keptPorts.has(port)) continue;
        dialled.delete(socket);
        setTimeout(() => socket.destroy(), LINGER_MS).unref();
      }
    },
  };
}

function isOwnName(host: string, own: OwnAddress | undefined): boolean {
  return own !== undefined && host.toLowerCase().replace(/\.$/, '') === own.host;
}
