// SPDX-License-Identifier: GPL-2.0-or-later
import net from 'node:net';
import ipaddr from 'ipaddr.js';

/** PHP's system calls turn an error of this name and number into a plain failure; any other would tear PHP down. */
const WASI_EACCES = 2;

/**
 * PHP's sockets end up in this process' own: they may reach public addresses alone, and may not listen. Names are
 * resolved before the connection is made, so what is checked here is the very address that is dialled.
 */
export function guardNetwork(allowedNetworks: readonly string[]): { seal(): void } {
  const allowed = allowedNetworks.map((range) => ipaddr.parseCIDR(range));
  const ownPorts = new Set<number>();
  let sealed = false;

  const isAllowed = (host: string, port: number): boolean => {
    if (!ipaddr.isValid(host)) return false;
    // The way out of PHP leads through a server inside this process.
    if (host === '127.0.0.1' && ownPorts.has(port)) return true;
    const address = ipaddr.process(host);
    const matches = allowed.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits));
    return matches || address.range() === 'unicast';
  };

  const connect = net.Socket.prototype.connect;
  net.Socket.prototype.connect = function guarded(this: net.Socket, ...args: unknown[]) {
    const [first, second] = (Array.isArray(args[0]) ? args[0] : args) as [unknown, unknown];
    const { host = 'localhost', port } = (
      typeof first === 'object' ? first : { port: first, host: typeof second === 'string' ? second : undefined }
    ) as { host?: string; port?: number };
    if (isAllowed(host, Number(port))) return Reflect.apply(connect, this, args);
    queueMicrotask(() => this.destroy(Object.assign(new Error('refused by the platform'), { code: 'ECONNREFUSED' })));
    return this;
  } as typeof connect;

  const listen = net.Server.prototype.listen;
  net.Server.prototype.listen = function guarded(this: net.Server, ...args: unknown[]) {
    if (sealed) throw Object.assign(new Error('refused'), { name: 'ErrnoError', errno: WASI_EACCES });
    this.once('listening', () => {
      const address = this.address();
      if (typeof address === 'object' && address) ownPorts.add(address.port);
    });
    return Reflect.apply(listen, this, args);
  } as typeof listen;

  return { seal: () => (sealed = true) };
}
