import { chmod, mkdir, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import type { Log } from '#core/log.ts';
import type { Lease, LeaseOptions, SiteFailure } from '#runtimes/runtime.ts';
import type { HostedSpec, Place, SiteHost, SiteRef } from '../site-host.ts';
import { greeted } from './host-address.ts';
import { type HostCall, hostCalls, type ServingCalls, servingCalls } from './host-calls.ts';
import { Peer } from './peer.ts';

/** Whoever asks again after its process or its connection died must not meet what it had begun before. */
const ALONE: ReadonlySet<string> = new Set<HostCall>([
  'make',
  'archive',
  'delete',
  'moveDatabase',
  'snapshot',
  'plan',
  'restore',
  'rehearse',
  'recover',
] as const);
const FAILURES_KEPT_MS = 30_000;

export interface HostServerOptions {
  host: SiteHost;
  /** `unix:/path` or `host:port`. */
  address: string;
  token: string;
  log: Log;
}

/** Lets other processes of the platform use the host of this one: a connection for each call (peer.ts). */
export class HostServer {
  readonly #options: HostServerOptions;
  readonly #server: Server;
  readonly #connections = new Set<Socket>();
  readonly #works = new Map<string, Promise<unknown>>();
  readonly #leases = new Map<string, Lease>();

  constructor(options: HostServerOptions) {
    this.#options = options;
    this.#server = createServer({ allowHalfOpen: true }, (socket) => void this.#take(socket));
  }

  async open(): Promise<void> {
    const { address } = this.#options;
    const path = address.startsWith('unix:') ? address.slice('unix:'.length) : undefined;
    if (path) {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      // Of somebody who had our number before.
      await rm(path, { force: true });
    }
    const { hostname, port } = new URL(path ? 'tcp://unix' : `tcp://${address}`);
    const listening = path ? { path } : { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) };
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject).listen(listening, () => resolve());
    });
    if (path) await chmod(path, 0o600);
  }

  async close(): Promise<void> {
    for (const socket of this.#connections) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #take(socket: Socket): Promise<void> {
    this.#connections.add(socket);
    socket.once('close', () => this.#connections.delete(socket));
    if (!(await greeted(socket, this.#options.token))) return;
    const peer: Peer = new Peer(socket, (name: string, ...args: unknown[]) => this.#call(peer, name, args));
    socket.resume();
  }

  async #call(peer: Peer, name: string, args: unknown[]): Promise<unknown> {
    const { host } = this.#options;
    if (isServing(name)) return (this[name] as (...args: unknown[]) => unknown)(...args);
    if (!isHostCall(name)) throw new Error(`a host has no call ${name}`);
    const act = () => (host[name] as (...args: unknown[]) => Promise<unknown>)(...withSignal(name, args, peer.closed));
    return ALONE.has(name) ? this.#alone((args[0] as SiteRef).id, act) : act();
  }

  async start(site: HostedSpec): Promise<{ isAwake: boolean }> {
    const { isAwake } = await this.#options.host.start(site);
    return { isAwake };
  }

  async lease(...[site, id, options, signal]: Parameters<ServingCalls['lease']>): ReturnType<ServingCalls['lease']> {
    const running = await this.#options.host.start(site);
    const lease = await running.lease(signal, options satisfies LeaseOptions);
    const connection = lease.connect();
    this.#leases.set(id, lease);
    connection.on('error', () => {});
    connection.once('close', () => {
      lease.release();
      setTimeout(() => this.#leases.delete(id), FAILURES_KEPT_MS).unref();
    });
    return connection;
  }

  async leaseFailure(_at: Place, id: string): Promise<Pick<SiteFailure, 'reason' | 'message'> | undefined> {
    const failure = await this.#leases.get(id)?.failure();
    return failure && { reason: failure.reason, message: failure.message };
  }

  async #alone<T>(siteId: string, act: () => Promise<T>): Promise<T> {
    const before = this.#works.get(siteId);
    const work = (before ?? Promise.resolve()).then(act, act);
    const ended = work.catch(() => {});
    this.#works.set(siteId, ended);
    void ended.then(() => {
      if (this.#works.get(siteId) === ended) this.#works.delete(siteId);
    });
    return work;
  }
}

const isServing = (name: string): name is keyof ServingCalls => servingCalls.some((each) => each === name);
const isHostCall = (name: string): name is HostCall => hostCalls.some((each) => each === name);

/** Where the options of these are. Nobody is left to hold the site for what goes on after its caller is gone. */
const OPTIONS_AT: Partial<Record<HostCall, number>> = { snapshot: 2, plan: 4, restore: 3, rehearse: 5, exec: 1 };

function withSignal(name: HostCall, args: unknown[], closed: AbortSignal): unknown[] {
  const at = OPTIONS_AT[name];
  if (at === undefined) return args;
  const options = (args[at] ?? {}) as { signal?: AbortSignal };
  const signal = options.signal ? AbortSignal.any([options.signal, closed]) : closed;
  return Object.assign([...args], { [at]: { ...options, signal } });
}
