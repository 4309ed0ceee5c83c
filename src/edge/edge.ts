import { type IncomingHttpHeaders, type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { SimpleVisit } from '#core/http/simple/simple-reader.ts';
import type { Log } from '#core/log.ts';
import type { Outbound } from '#core/outbound.ts';
import type { SiteHost } from '#host/site-host.ts';
import { SiteFailure } from '#runtimes/runtime.ts';
import { refusalOf } from './admission.ts';
import type { Asked } from './asked.ts';
import { SitePages } from './cache/site-pages.ts';
import { Proxies } from './client-address.ts';
import { Allowance } from './compression/allowance.ts';
import { isUnambiguous } from './framing.ts';
import type { Gate } from './gate.ts';
import { HostedSite, SiteTaken } from './hosted-site.ts';
import { followVisitor } from './leaving.ts';
import { DEFAULT_LIMITS, type EdgeLimits } from './limits.ts';
import { MemoryBudget } from './memory-budget.ts';
import { NOTICES, type Notice, noticeOf, sendNotice } from './notices.ts';
import { Origin } from './origin.ts';
import { OwnCalls } from './own-calls.ts';
import { AllBodies } from './proxy/body-budget.ts';
import { ExternalPaths } from './proxy/external.ts';
import type { ForwardedFacts } from './proxy/headers.ts';
import { Tunnels } from './proxy/tunnel.ts';
import { Upstream } from './proxy/upstream.ts';
import { type EdgeReports, type RouteSource, serves } from './route.ts';
import { RouteTable } from './route-table.ts';
import { sendOn } from './send-on.ts';
import { SiteProblems } from './site-problems.ts';
import { StaticFiles } from './static/static-files.ts';
import { parseTarget } from './target.ts';
import type { EdgeTotals } from './totals.ts';
import { UsageReporter } from './usage.ts';
import { Visit } from './visit.ts';
import { Visitors } from './visitors.ts';

/** What the edge asks of the hosts of sites. */
type EdgeHost = Pick<SiteHost, 'start' | 'fileIdentity' | 'readFile' | 'readFilePart' | 'isFolder'>;

export interface EdgeOptions {
  routes: RouteSource;
  host: EdgeHost;
  reports: EdgeReports;
  outbound: Outbound;
  /** Addresses whose X-Forwarded-* headers count. */
  trustProxy: readonly string[];
  baseUrl: string;
  /** What browsers are told of TLS; 0 or nothing: nothing. */
  hstsSeconds?: number;
  log: Log;
  limits?: Partial<EdgeLimits>;
  /** Where other processes answer on the same port: what makes visitors the same for all of them, and who tells them of one. */
  group?: { visitorSeed: number; tellVisitor: (visitor: number) => void };
}

const FOUND = 200;
/** As nginx has it. */
const LEFT_EARLY = 499;
/** Of a connection that is no response's any more. */
const SWITCHED = 101;
/** What an answer from memory can depend on beside its address and its form. */
const DEPENDING = ['range', 'if-none-match', 'if-modified-since'];
/** What WordPress sees as its visitor when it is its own. */
const LOOPBACK = '127.0.0.1';

/** All that sites share of the edge, given out to each. */
function siteMaker(limits: EdgeLimits, log: Log): (siteId: string) => HostedSite {
  const pages = new MemoryBudget(limits.pageCacheBytes);
  const notFound = new MemoryBudget(limits.notFoundCacheBytes);
  const compression = new Allowance(limits.compressBytes);
  const bodies = new AllBodies(limits, log);
  return (siteId) =>
    new HostedSite(
      siteId,
      new SitePages(siteId, { pages, notFound }),
      new Allowance(limits.compressBytesPerSite, compression),
      bodies.ofSite(),
    );
}

/** Answers a visitor who was let in: at once, or with a promise. */
type Serve = (visit: Visit) => undefined | Promise<void>;

/**
 * The visitor's way to a site. A request passes the same stations in the same order: the site by its host, the team's
 * state, the firewall, the sign-in, external paths, files from disk, the page cache, the site's own process. Each
 * answers or lets pass. What comes from memory is answered at once, without a promise or a query on the way.
 */
export class Edge {
  readonly #limits: EdgeLimits;
  readonly #log: Log;
  readonly #reports: EdgeReports;
  readonly #usage: UsageReporter;
  readonly #table: RouteTable;
  readonly #proxies: Proxies;
  readonly #protocol: string;
  readonly #hstsSeconds: number;
  readonly #upstream: Upstream;
  readonly #external: ExternalPaths;
  readonly #files: StaticFiles;
  readonly #origin: Origin;
  readonly #tunnels: Tunnels;
  readonly #visitors: Visitors;
  readonly #ownCalls: OwnCalls;
  #started: Promise<void> | undefined;

  constructor(options: EdgeOptions) {
    const { routes, host, reports, log, outbound } = options;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#log = log;
    this.#reports = reports;
    this.#protocol = new URL(options.baseUrl).protocol.slice(0, -1);
    this.#proxies = new Proxies(options.trustProxy);
    this.#usage = new UsageReporter(reports, log);
    this.#table = new RouteTable(routes, this.#usage, siteMaker(this.#limits, log), log);
    this.#hstsSeconds = options.hstsSeconds ?? 0;
    const facts = (visit: Visit) => this.#factsOf(visit);
    const problems = new SiteProblems(reports);
    const shared = { limits: this.#limits, facts, hstsSeconds: this.#hstsSeconds, problems };
    this.#upstream = new Upstream({ host, reports, limits: this.#limits, totals: this.totals, problems, log });
    this.#external = new ExternalPaths({ ...shared, outbound });
    this.#files = new StaticFiles(host, this.#limits);
    this.#visitors = new Visitors(options.group?.visitorSeed, options.group?.tellVisitor);
    this.#origin = new Origin({ ...shared, upstream: this.#upstream, visitors: this.#visitors });
    this.#tunnels = new Tunnels({ ...shared, upstream: this.#upstream, external: this.#external });
    this.#ownCalls = new OwnCalls(this.#limits.ownArrivalMs, (siteId, request, response) =>
      this.#answerOwn(siteId, request, response),
    );
  }

  /** Resolves when the routes are there; requests that come earlier wait for them. */
  start(): Promise<void> {
    this.#started ??= this.#table.start().then(() => this.#usage.start(this.#limits.flushMs));
    return this.#started;
  }

  /** What an operator watches. */
  get totals(): EdgeTotals {
    return this.#usage.totals;
  }

  /** Another edge, or the runtime, says that the site's pages changed. */
  purge(siteId: string): void {
    this.#table.site(siteId)?.pages.purge();
  }

  /** Another process on the same port has counted this visitor. */
  heardOf(visitor: number): void {
    this.#visitors.remember(visitor, performance.now());
  }

  async close(): Promise<void> {
    this.#table.close();
    this.#ownCalls.close();
    this.#tunnels.close();
    this.#upstream.close();
    await this.#usage.close();
  }

  /**
   * The whole answer for a visitor who asks for what is in memory, of a site that is open to everybody. Undefined wherever a station on the way could have a
   * say or more than the head of the request counts: that is for `handle`, which answers the same.
   */
  atOnce({ url, headers, remoteAddress, isSecure }: SimpleVisit): Buffer | undefined {
    if (DEPENDING.some((name) => headers[name] !== undefined)) return undefined;
    const startedAtMs = performance.now();
    const gate = this.#table.find(headers.host);
    const target = gate?.isOpen ? parseTarget(url, headers.host) : undefined;
    if (!gate || !target || gate.externalPath(target.path)) return undefined;
    const { path, query } = target;
    const asked: Asked = {
      ...{ gate, method: 'GET', path, query, headers, startedAtMs },
      clientAddress: this.#proxies.clientAddress(remoteAddress, headers),
      protocol: this.#protocolOf(isSecure, remoteAddress, headers),
      isSignedInAtEdge: false,
      cacheState: null,
    };
    const file = this.#files.atOnce(asked);
    const answer = file === 'pass' ? this.#origin.atOnce(asked) : file;
    if (!answer) return undefined;
    gate.counter.requests++;
    gate.counter.bytes += answer.length;
    this.#report(asked, url, FOUND, answer.length);
    return answer;
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const gate = this.#table.find(request.headers.host);
    if (gate) this.#enter(gate, request, response, (visit) => this.#serve(visit));
    else void this.#seek(request, response, (found) => this.#enter(found, request, response, (v) => this.#serve(v)));
  }

  /** Serves one site to itself, over a connection that its own PHP has made and nobody else can. */
  answerOwnCalls(siteId: string, connection: Duplex): void {
    this.#ownCalls.take(siteId, connection);
  }

  #answerOwn(siteId: string, request: IncomingMessage, response: ServerResponse): void {
    const gate = this.#table.find(request.headers.host);
    // PHP can write any name into its request, and what is let in for it is its own site alone.
    if (gate?.site.id !== siteId) return void sendNotice(response, NOTICES.noSite);
    const { site } = gate;
    if (site.ownCalls >= this.#limits.ownCallsPerSite) return void sendNotice(response, NOTICES.overload);
    this.#enter(gate.forItself, request, response, (visit) => {
      const answering = this.#serve(visit);
      if (answering) site.ownCalls++;
      return answering?.finally(() => site.ownCalls--);
    });
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // Until the protocol changes, a refusal is an answer like any other.
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket as Socket);
    response.once('finish', () => socket.end());
    socket.on('error', () => socket.destroy());
    const connect = (visit: Visit) => this.#tunnels.connect(visit, socket, head);
    void this.#seek(request, response, (gate) => this.#enter(gate, request, response, connect));
  }

  /** Finds the site once the routes are known. */
  async #seek(request: IncomingMessage, response: ServerResponse, enter: (gate: Gate) => void): Promise<void> {
    // A process that serves no sites never starts its edge, and has nothing to wait for.
    if (this.#started && !this.#table.isLoaded) {
      await this.#table.until(() => this.#table.isLoaded, this.#limits.holdMs, followVisitor(response).signal);
      if (response.destroyed) return;
    }
    const gate = this.#table.find(request.headers.host);
    if (gate) enter(gate);
    else sendNotice(response, this.#started && !this.#table.isLoaded ? NOTICES.starting : NOTICES.noSite);
  }

  #enter(
    gate: Gate,
    request: IncomingMessage,
    response: ServerResponse,
    serve: Serve,
    startedAtMs = performance.now(),
  ): void {
    gate.counter.requests++;
    const { headers, socket } = request;
    const target = parseTarget(request.url ?? '', headers.host ?? '');
    const address = gate.isForItself ? LOOPBACK : this.#proxies.clientAddress(socket.remoteAddress, headers);
    const protocol = this.#protocolOf((socket as TLSSocket).encrypted === true, socket.remoteAddress, headers);
    const path = target ?? { path: '/', query: '' };
    // What the site asks of itself is nobody's visit, and a preview is no site of its own.
    const onAnswered = gate.isForItself || gate.preview ? undefined : this.#onAnswered;
    const visit = new Visit(request, response, gate, path, address, protocol, startedAtMs, onAnswered);
    // Whoever is sent on is asked for a password where they are sent to.
    const isSentOn = gate.route.alias === 'redirect' && serves(gate.route);
    const refusal = target && isUnambiguous(request) ? !isSentOn && refusalOf(visit) : NOTICES.badRequest;
    if (refusal) {
      this.#refuse(visit, refusal);
      return;
    }
    if (isSentOn) {
      sendOn(visit, this.#hstsSeconds);
      return;
    }
    try {
      const answering = serves(gate.route) ? serve(visit) : this.#hold(visit, serve);
      if (!answering) return;
      visit.countBytesOnClose();
      answering.catch((error: unknown) => this.#fail(visit, error, serve));
    } catch (error) {
      // Whatever goes wrong at once is one visitor's trouble too, and not the end of the process.
      visit.countBytesOnClose();
      this.#fail(visit, error, serve);
    }
  }

  #serve(visit: Visit): undefined | Promise<void> {
    const external = visit.gate.externalPath(visit.path);
    if (external) return this.#external.answer(visit, external);
    const outcome = this.#files.answer(visit);
    if (outcome === 'pass') return this.#origin.answer(visit);
    if (outcome instanceof Promise) return outcome.then((late) => this.#finish(visit, late));
    return this.#finish(visit, outcome);
  }

  #finish(visit: Visit, outcome: 'answered' | 'pass' | Notice): undefined | Promise<void> {
    if (outcome === 'pass') return this.#origin.answer(visit);
    if (outcome !== 'answered') this.#refuse(visit, outcome);
    return undefined;
  }

  /** Some work has the site for a moment: the visitor waits for it instead of seeing an error. */
  async #hold(visit: Visit, serve: Serve): Promise<void> {
    const { request, response, gate } = visit;
    // The work may wait for the very process that asks.
    if (gate.isForItself) return this.#refuse(visit, NOTICES.held);
    const find = () => this.#table.find(request.headers.host);
    const { signal } = followVisitor(response);
    const isOver = () => {
      const state = find()?.route.state;
      return state !== 'held' && state !== 'creating';
    };
    const { waitingPerSite, holdMs } = this.#limits;
    const isServed = await gate.site.whileWaiting(waitingPerSite, () => this.#table.until(isOver, holdMs, signal));
    if (response.destroyed) return;
    const next = find();
    if (!isServed) this.#refuse(visit, gate.route.state === 'creating' ? NOTICES.creating : NOTICES.held);
    else if (!next) this.#refuse(visit, NOTICES.noSite);
    else {
      // The work may have changed anything, so the visitor enters anew, as the same request.
      next.counter.requests--;
      visit.handOver();
      this.#enter(next, request, response, serve, visit.startedAtMs);
    }
  }

  #refuse(visit: Visit, notice: Notice): void {
    visit.countBytesOnClose();
    sendNotice(visit.response, notice);
  }

  #fail(visit: Visit, error: unknown, serve: Serve): void {
    const { response, gate } = visit;
    // Whoever has gone is told nothing.
    if (response.destroyed || response.writableEnded) return;
    // A body can not be read twice, so whoever sent one is asked to come again.
    if (error instanceof SiteTaken && !visit.hasBody && !response.headersSent) {
      this.#hold(visit, serve).catch((failure: unknown) => this.#fail(visit, failure, serve));
      return;
    }
    const notice = noticeOf(error);
    this.totals.countFailure(notice.code);
    let requestId: string | undefined;
    try {
      requestId = sendNotice(response, notice);
    } catch {
      // What the site wanted to say stands in the way of every other answer. Nobody else may feel that.
      response.destroy();
    }
    const level = error instanceof SiteFailure || error instanceof SiteTaken ? 'info' : 'warn';
    this.#log[level](
      { err: error, site_id: gate.site.id, request_id: requestId, status: notice.status },
      'visit failed',
    );
  }

  /** Who left before anything was said did not see the status that would have been. */
  readonly #onAnswered = (visit: Visit, bytes: number): void => {
    const { statusCode, headersSent } = visit.response;
    const wasAnswered = headersSent || statusCode === SWITCHED;
    this.#report(visit, visit.request.url ?? '', wasAnswered ? statusCode : LEFT_EARLY, bytes);
  };

  /** For the site's log. What can not be understood is there as it was sent. */
  #report(asked: Asked, url: string, status: number, bytes: number): void {
    const { gate, headers } = asked;
    const wasAnswered = status !== LEFT_EARLY;
    const durationMs = performance.now() - asked.startedAtMs;
    // A socket lasts as long as somebody likes.
    if (wasAnswered && status !== SWITCHED) {
      this.totals.latency.add(durationMs);
      this.totals.onAnswered(asked.cacheState, durationMs / 1000);
    }
    // While some work has the site, or its team is stopped, what visitors see says nothing of the site.
    if (wasAnswered && serves(gate.route)) gate.counter.countAnswer(status, durationMs, asked.cacheState !== null);
    this.#reports.visited(gate.route.site, {
      atMs: Date.now(),
      method: asked.method ?? '',
      path: url,
      status,
      bytes,
      durationMs,
      cache: asked.cacheState,
      clientAddress: asked.clientAddress,
      userAgent: headers['user-agent'] ?? null,
      referrer: headers.referer ?? null,
    });
  }

  /** TLS that ends here is certain; before it, there is what proxies say, and what links of the platform begin with. */
  #protocolOf(isSecure: boolean, address: string | undefined, headers: IncomingHttpHeaders): string {
    if (isSecure) return 'https';
    return this.#proxies.protocol(address, headers) ?? this.#protocol;
  }

  #factsOf({ request, headers, protocol, gate }: Visit): ForwardedFacts {
    const forwardedFor = this.#proxies.forwardedFor(request.socket.remoteAddress, headers);
    // WordPress knows one address of its own, and sends whoever asks for another one there.
    return { host: gate.knownHost ?? headers.host ?? '', protocol, forwardedFor };
  }
}
