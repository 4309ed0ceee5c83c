import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import {
  createServer,
  type IncomingMessage,
  request as openRequest,
  type RequestListener,
  type Server,
} from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openConnections } from '#core/http/connections.ts';
import { createLog } from '#core/log.ts';
import { Outbound } from '#core/outbound.ts';
import { Edge, type EdgeOptions } from '#edge/edge.ts';
import type { EdgeReports, Route, RouteSource, SiteUsage } from '#edge/route.ts';
import { localFiles } from '#host/local-files.ts';
import type { HostedSpec, SiteHost } from '#host/site-host.ts';
import type { ErrorEntry, VisitEntry } from '#host/site-log/entries.ts';
import type { RunningSite, SiteFailure } from '#runtimes/runtime.ts';
import { pause } from '../pause.ts';

/**
 * An edge on a real port with everything around it real but small: routes that a test sets, files on disk, and a site
 * that is a plain HTTP server on a unix socket, which is all that a runtime promises.
 */
export const HOST = 'blog.example.org';

const FIRST_BYTE_MS = 20_000;
const LOOK_MS = 10;

export interface Reply {
  status: number;
  headers: IncomingMessage['headers'];
  rawHeaders: string[];
  body: Buffer;
  text: string;
}

export interface Ask {
  method?: string;
  host?: string;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
  signal?: AbortSignal;
}

export class EdgeWorld implements RouteSource, EdgeReports {
  readonly dir = mkdtempSync(join(tmpdir(), 'siteyard-edge-'));
  readonly contentFolder = join(this.dir, 'content');
  readonly coreFolder = join(this.dir, 'core');
  readonly usages: SiteUsage[] = [];
  readonly wakes: string[] = [];
  readonly purges: string[] = [];
  readonly visits: VisitEntry[] = [];
  readonly errors: ErrorEntry[] = [];
  readonly site = new SiteOnSocket(join(this.dir, 'site.sock'));
  edge!: Edge;
  port = 0;
  /** How many visitors were answered before Node saw them. */
  answeredAtOnce = 0;
  usageFails = false;
  #routes: Route[] = [];
  #changed: (siteId: string | undefined) => void = () => undefined;
  #server: Server | undefined;

  constructor(handler: RequestListener) {
    mkdirSync(this.contentFolder);
    mkdirSync(this.coreFolder);
    this.site.handler = handler;
    this.#routes = [this.route({})];
  }

  async start(options: Partial<EdgeOptions> = {}): Promise<void> {
    await this.site.listen();
    this.edge = new Edge({
      routes: this,
      host: {
        ...localFiles(({ root }) => ('siteId' in root ? this.contentFolder : this.coreFolder)),
        start: () => this.site.start(),
      },
      reports: this,
      outbound: new Outbound({ allow: ['127.0.0.0/8'] }),
      trustProxy: [],
      baseUrl: 'http://platform.example.org',
      log: createLog(process.env.LOG_LEVEL ?? 'silent'),
      ...options,
    });
    const connections = openConnections((request, response) => this.edge.handle(request, response), {
      upgrades: { takes: () => true, take: (request, socket, head) => this.edge.upgrade(request, socket, head) },
      atOnce: (visit) => {
        const answer = this.edge.atOnce(visit);
        if (answer) this.answeredAtOnce++;
        return answer;
      },
    });
    this.#server = connections.server;
    connections.server.on('clientError', (error: { code?: string }, socket) =>
      connections.refuse(error, socket as never),
    );
    await new Promise<void>((resolve) => connections.server.listen(0, '127.0.0.1', resolve));
    this.port = (connections.server.address() as AddressInfo).port;
    await this.edge.start();
  }

  async close(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve));
    await this.edge.close();
    await this.site.close();
    rmSync(this.dir, { recursive: true, force: true });
  }

  route(change: Partial<Route>): Route {
    const site: HostedSpec = {
      host: 'local',
      driver: 'none',
      id: 'site-1',
      team: 'team-1',
      url: `http://${HOST}`,
      coreVersion: '7.1.1',
      phpVersion: '8.3',
      accessKey: 'key',
      saltKey: 'salt',
      isCopy: false,
      isOffline: false,
      isDebugging: false,
    };
    return {
      fqdn: HOST,
      teamId: 'team-1',
      site,
      state: 'ready',
      signIn: null,
      allowedAddresses: null,
      externalPaths: [],
      devMode: false,
      alias: null,
      uploadsRefused: null,
      preview: null,
      ...change,
    };
  }

  /** Replaces the site's routes as the control plane would, and waits until the edge knows. */
  async setRoutes(...routes: Route[]): Promise<void> {
    this.announce(...routes);
    await pause(10);
  }

  announce(...routes: Route[]): void {
    this.announceAs('site-1', ...routes);
  }

  /** Undefined: anything may have changed. */
  announceAs(siteId: string | undefined, ...routes: Route[]): void {
    this.#routes = routes;
    this.#changed(siteId);
  }

  async loadAll(): Promise<Route[]> {
    return this.#routes;
  }

  async load(siteIds: readonly string[]): Promise<Route[]> {
    return this.#routes.filter(({ site }) => siteIds.includes(site.id));
  }

  async subscribe(changed: (siteId: string | undefined) => void): Promise<void> {
    this.#changed = changed;
  }

  async woke(siteId: string): Promise<void> {
    this.wakes.push(siteId);
  }

  async usage(usage: readonly SiteUsage[]): Promise<void> {
    if (this.usageFails) throw new Error('the database is away');
    this.usages.push(...usage);
  }

  visited(_site: object, visit: VisitEntry): void {
    this.visits.push(visit);
  }

  logError(_site: object, error: ErrorEntry): void {
    this.errors.push(error);
  }

  purged(siteId: string): void {
    this.purges.push(siteId);
  }

  writeFile(file: string, content: string | Buffer): void {
    mkdirSync(dirname(join(this.dir, file)), { recursive: true });
    writeFileSync(join(this.dir, file), content);
  }

  ask(path: string, { method = 'GET', host = HOST, headers = {}, body, signal }: Ask = {}): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const request = openRequest({
        port: this.port,
        host: '127.0.0.1',
        method,
        path,
        // As browsers ask: what is in memory is answered before Node sees it (core/http/simple).
        headers: { host, connection: 'keep-alive', ...headers },
        agent: false,
        ...(signal && { signal }),
      });
      request.once('error', reject);
      request.once('response', async (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => {
          const whole = Buffer.concat(chunks);
          const { statusCode: status = 0, headers: got, rawHeaders } = response;
          resolve({ status, headers: got, rawHeaders, body: whole, text: whole.toString() });
        });
      });
      request.end(body);
    });
  }

  /** Sends bytes as they are, and resolves with all that comes back until the connection ends or falls silent. */
  async raw(text: string | Buffer, silenceMs = 300): Promise<string> {
    const socket = connect(this.port, '127.0.0.1');
    let answer = '';
    let silence = 0;
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
      silence = 0;
    });
    socket.on('error', () => undefined);
    socket.write(text);
    while (!socket.closed && silence < (answer === '' ? FIRST_BYTE_MS : silenceMs)) {
      await pause(LOOK_MS);
      silence += LOOK_MS;
    }
    socket.destroy();
    return answer;
  }
}

/** A site as a runtime runs it: it starts, gives leases, and answers HTTP on a unix socket. */
class SiteOnSocket implements Pick<SiteHost, 'start'> {
  readonly #socketPath: string;
  readonly #server = createServer((request, response) => this.#answer(request, response));
  handler: RequestListener = (_, response) => response.end();
  readonly requests: IncomingMessage[] = [];
  starts = 0;
  leased = 0;
  /** Of these, for what the site asks of itself. */
  leasedToItself = 0;
  released = 0;
  /** What a start takes. */
  beforeStart: () => Promise<unknown> = async () => undefined;
  /** What waiting for a turn takes. */
  beforeLease: () => Promise<unknown> = async () => undefined;
  leaseFailure: SiteFailure | undefined;
  failure: SiteFailure | undefined;
  isAwake = true;

  constructor(socketPath: string) {
    this.#socketPath = socketPath;
  }

  get server(): Server {
    return this.#server;
  }

  #answer(request: IncomingMessage, response: Parameters<RequestListener>[1]): void {
    this.requests.push(request);
    this.handler(request, response);
  }

  listen(): Promise<void> {
    return new Promise((resolve) => this.#server.listen(this.#socketPath, resolve));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async start(): Promise<RunningSite> {
    this.starts++;
    await this.beforeStart();
    return {
      isAwake: this.isAwake,
      lease: async (_signal, options) => {
        if (this.leaseFailure) throw this.leaseFailure;
        await this.beforeLease();
        this.leased++;
        if (options?.isOwnCall) this.leasedToItself++;
        let isReleased = false;
        return {
          door: this.#socketPath,
          connect: () => connect(this.#socketPath),
          release: () => {
            if (isReleased) throw new Error('released twice');
            isReleased = true;
            this.released++;
          },
          failure: async () => this.failure,
        };
      },
    };
  }
}
