import { chmod, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createSecureServer, TLSSocket } from 'node:tls';
import type { Log } from '#core/log.ts';
import type { Lease, LeaseOptions, SiteFailure } from '#runtimes/runtime.ts';
import type { HostedSpec, Place, SiteHost } from '../site-host.ts';
import { dial, greeted, keptAlive, listeningOptions } from './host-address.ts';
import { type HostCall, hostCalls, type ServingCalls, servingCalls } from './host-calls.ts';
import { mayAskHosts, type WireIdentity } from './identity.ts';
import { Peer } from './peer.ts';

const FAILURES_KEPT_MS = 30_000;
const HANDSHAKE_MS = 5_000;
/** So long a host that ends waits for the answers that visitors wait for. A pod is given a minute for all of its end. */
const LEAVE_MS = 20_000;

export interface HostServerOptions {
  host: SiteHost;
  /** `unix:/path` or `host:port`. */
  address: string;
  identity: WireIdentity;
  log: Log;
}

/** Lets other processes of the platform use the host of this one: a connection for each call (peer.ts). */
export class HostServer {
  readonly #options: HostServerOptions;
  readonly #server: Server;
  readonly #connections = new Set<Socket>();
  /** What is being asked right now, and when the last of it ended. */
  #asked = 0;
  #quietSince = new Date();
  /** Connections by which visitors are answered or wait for that; each resolves when it is closed. */
  readonly #visits = new Set<Promise<void>>();
  /** Why connections of leases broke, for whoever had them and asks. */
  readonly #failures = new Map<string, Promise<SiteFailure | undefined>>();

  constructor(options: HostServerOptions) {
    this.#options = options;
    const take = (socket: Socket) => void this.#take(socket);
    const secure = {
      ...options.identity.tls,
      requestCert: true,
      rejectUnauthorized: true,
      handshakeTimeout: HANDSHAKE_MS,
    };
    this.#server = options.address.startsWith('unix:')
      ? createServer({ allowHalfOpen: true }, take)
      : createSecureServer({ ...secure, allowHalfOpen: true, noDelay: true }, take);
    // Also those that have not shown who they are: the server would wait for them at its end.
    this.#server.on('connection', (socket: Socket) => this.#keep(socket));
    this.#server.on('tlsClientError', (error: Error) => options.log.debug({ err: error }, 'no other host'));
  }

  async open(): Promise<void> {
    const listening = listeningOptions(this.#options.address);
    if ('path' in listening) await makeOwnFolder(dirname(listening.path));
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject).listen(listening, () => resolve());
    });
    if ('path' in listening) await chmod(listening.path, 0o600);
  }

  /** Nobody new is let in, and visitors who are there are answered: a pod may be put to sleep in the moment that one comes. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    await Promise.race([this.#visitorsLeft(), sleep(LEAVE_MS, undefined, { ref: false })]);
    for (const socket of this.#connections) socket.destroy();
    await closed;
  }

  async #visitorsLeft(): Promise<void> {
    while (this.#visits.size > 0) await Promise.all(this.#visits);
  }

  /** Since when nobody asks anything; undefined while somebody does. A connection is a call, also where it became a stream. */
  get quietSince(): Date | undefined {
    return this.#asked > 0 ? undefined : this.#quietSince;
  }

  async #take(socket: Socket): Promise<void> {
    this.#keep(socket);
    const { identity, log } = this.#options;
    if (socket instanceof TLSSocket && !mayAskHosts(socket.getPeerCertificate())) {
      log.warn({ address: socket.remoteAddress }, 'the pod of a site knocked at the door of another host');
      socket.destroy();
      return;
    }
    if (!(await greeted(keptAlive(socket), identity.token))) {
      const { remoteAddress: address, bytesRead } = socket;
      // Who says nothing at all only looked whether somebody is here.
      if (bytesRead > 0) log.warn({ address }, 'somebody who is not the platform knocked at the door of a host');
      return;
    }
    this.#asked++;
    socket.once('close', () => {
      this.#asked--;
      this.#quietSince = new Date();
    });
    const root = (name: string, ...args: unknown[]) => this.#call(peer, name, args);
    const peer: Peer = new Peer(socket, { root });
    socket.resume();
  }

  #keep(socket: Socket): void {
    this.#connections.add(socket);
    socket.once('close', () => this.#connections.delete(socket));
  }

  async #call(peer: Peer, name: string, args: unknown[]): Promise<unknown> {
    const { host } = this.#options;
    if (name === 'lease') this.#noteVisit(peer.closed);
    if (isServing(name)) return (this[name] as (...args: unknown[]) => unknown)(...args);
    if (!isHostCall(name)) throw new Error(`a host has no call ${name}`);
    return (host[name] as (...args: unknown[]) => Promise<unknown>)(...withSignal(name, args, peer.closed));
  }

  #noteVisit(closed: AbortSignal): void {
    const visit = new Promise<void>((resolve) => closed.addEventListener('abort', () => resolve(), { once: true }));
    this.#visits.add(visit);
    visit.then(() => this.#visits.delete(visit));
  }

  async start(site: HostedSpec): Promise<{ isAwake: boolean }> {
    const { isAwake } = await this.#options.host.start(site);
    return { isAwake };
  }

  async lease(...[site, id, options, signal]: Parameters<ServingCalls['lease']>): ReturnType<ServingCalls['lease']> {
    const running = await this.#options.host.start(site);
    const lease = await running.lease(signal, options satisfies LeaseOptions);
    const connection = lease.connect();
    connection.on('error', () => {});
    connection.once('close', () => this.#noteFailure(id, lease));
    return connection;
  }

  async leaseFailure(_at: Place, id: string): Promise<Pick<SiteFailure, 'reason' | 'message'> | undefined> {
    const failure = await this.#failures.get(id);
    return failure && { reason: failure.reason, message: failure.message };
  }

  #noteFailure(id: string, lease: Lease): void {
    const failure = lease.failure();
    this.#failures.set(id, failure);
    const forget = () => this.#failures.delete(id);
    failure.then((found) => (found ? setTimeout(forget, FAILURES_KEPT_MS).unref() : forget()), forget);
    lease.release();
  }
}

const isServing = (name: string): name is keyof ServingCalls => servingCalls.some((each) => each === name);
const isHostCall = (name: string): name is HostCall => hostCalls.some((each) => each === name);

/** Where the options of these are. Nobody is left to hold the site for what goes on after its caller is gone. */
const OPTIONS_AT: Partial<Record<HostCall, number>> = {
  snapshot: 2,
  plan: 4,
  restore: 3,
  moveRows: 3,
  rehearse: 5,
  exec: 1,
  terminal: 1,
  program: 1,
  deploy: 3,
};

function withSignal(name: HostCall, args: unknown[], closed: AbortSignal): unknown[] {
  const at = OPTIONS_AT[name];
  if (at === undefined) return args;
  const options = (args[at] ?? {}) as { signal?: AbortSignal };
  const signal = options.signal ? AbortSignal.any([options.signal, closed]) : closed;
  return Object.assign([...args], { [at]: { ...options, signal } });
}

/** Also in a place where others can write, nobody else may be behind the door. The doors of killed processes go. */
async function makeOwnFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  if ((await stat(folder)).uid !== process.getuid?.()) throw new Error(`${folder} is somebody else's`);
  await chmod(folder, 0o700);
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    // By knocking and not by the number in its name: another container on this machine counts its processes anew.
    const living = await dial([`unix:${path}`]);
    if (living) living.destroy();
    else await rm(path, { force: true });
  }
}
