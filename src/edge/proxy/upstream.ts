import { request as openRequest } from 'node:http';
import type { Log } from '#core/log.ts';
import type { HostedSpec, SiteHost } from '#host/site-host.ts';
import { leaseSite } from '#runtimes/request.ts';
import { type Lease, type RunningSite, SiteFailure } from '#runtimes/runtime.ts';
import type { Gate } from '../gate.ts';
import { SiteTaken } from '../hosted-site.ts';
import { type Leaving, Left } from '../leaving.ts';
import type { EdgeLimits } from '../limits.ts';
import type { RawHeaders } from '../raw-headers.ts';
import type { EdgeReports } from '../route.ts';
import type { SiteProblems } from '../site-problems.ts';
import type { EdgeTotals } from '../totals.ts';
import type { BodyTarget } from './body.ts';
import { MAX_HEAD_BYTES, ResponseHeadError, receiveResponse, type Upgraded } from './response-head.ts';
import type { SiteAnswer } from './site-answer.ts';
import { SiteConnections } from './site-connection.ts';

/** One request to a site's own PHP. */
export interface Outgoing {
  method: string;
  /** With the query. */
  path: string;
  headers: RawHeaders;
  /** Writes the body and ends it; without it there is no body. */
  sendBody?: (target: BodyTarget) => Promise<void>;
  leaving: Leaving;
}

export interface UpstreamOptions {
  host: Pick<SiteHost, 'start'>;
  reports: EdgeReports;
  limits: EdgeLimits;
  totals: EdgeTotals;
  problems: SiteProblems;
  log: Log;
}

/** PHP failed and left it to us to say so. */
const FAILURE_HEADER = 'x-siteyard-failure';
const PURGE_HEADER = 'x-siteyard-purge';
const NOBODY = { data: () => true, end: () => {}, fail: () => {} };

/** The way to a site's own process: wakes it where needed, waits for its turn, and sends the request. */
export class Upstream {
  readonly #options: UpstreamOptions;
  readonly #connections = new SiteConnections();

  constructor(options: UpstreamOptions) {
    this.#options = options;
  }

  close(): void {
    this.#connections.close();
  }

  /** Resolves when the answer's head is there; fails with a SiteFailure. The lease ends with the answer. */
  send(gate: Gate, outgoing: Outgoing): Promise<SiteAnswer> {
    return gate.site.whileWaiting(this.#options.limits.waitingPerSite, () =>
      this.#ask(gate, outgoing).catch((error: unknown) => {
        // It was stopped in the moment that it was asked, and has not begun: it is woken for this visitor.
        const wasStopped = error instanceof SiteFailure && error.reason === 'stopped';
        if (wasStopped && !gate.isForItself) return this.#ask(gate, outgoing);
        throw error;
      }),
    );
  }

  async #ask(gate: Gate, outgoing: Outgoing): Promise<SiteAnswer> {
    const lease = await this.#lease(gate, outgoing.leaving);
    const answer = await this.#exchange(gate, lease, outgoing, false);
    this.#options.totals.countAnswer(answer.status);
    return answer;
  }

  /** As `send`, for a request that wants to switch protocols. The lease is held until the tunnel closes. */
  upgrade(gate: Gate, outgoing: Outgoing): Promise<Upgraded> {
    return gate.site.whileWaiting(this.#options.limits.waitingPerSite, async () =>
      this.#switch(gate, await this.#lease(gate, outgoing.leaving), outgoing),
    );
  }

  #switch(gate: Gate, lease: Lease, outgoing: Outgoing): Promise<Upgraded> {
    const { method, path, headers, leaving } = outgoing;
    // A connection that changes its protocol never comes back, so that it is none of the kept ones.
    const request = openRequest({
      createConnection: () => lease.connect(),
      method,
      path,
      headers,
      maxHeaderSize: MAX_HEAD_BYTES,
      signal: leaving.signal,
    });
    let isReleased = false;
    const release = () => {
      if (!isReleased) lease.release();
      isReleased = true;
    };
    request.once('upgrade', (_message, socket) => socket.once('close', release));
    request.once('response', (message) => message.once('close', release));
    request.once('error', release);
    request.setTimeout(this.#options.limits.wakeMs, () => request.destroy());
    request.end();
    return receiveResponse(request).catch(async (error: unknown) => {
      throw this.#refusal(gate, outgoing, error) ?? (await lease.failure()) ?? brokenOff();
    });
  }

  /** Returns the error if the response is refused for its head, and writes the reason to the site's log. */
  #refusal(gate: Gate, { method, path }: Outgoing, error: unknown): ResponseHeadError | undefined {
    if (!(error instanceof ResponseHeadError)) return undefined;
    this.#options.problems.report(gate, 'head', error.message, `${method} ${path}`);
    return error;
  }

  #lease(gate: Gate, leaving: Leaving): Promise<Lease> {
    const { limits } = this.#options;
    const { isForItself: isOwnCall } = gate;
    // Whoever asks holds a process of the site all the while.
    const wakeMs = isOwnCall ? limits.ownCallMs : limits.wakeMs;
    return new Promise((resolve, reject) => {
      let isOver = false;
      const giveUp = (error: Error) => {
        if (isOver) return;
        isOver = true;
        clearTimeout(timer);
        reject(error);
      };
      const patience = new AbortController();
      let isAwake = false;
      const timer = setTimeout(() => {
        const reason = isAwake ? 'overload' : 'start';
        giveUp(new SiteFailure(reason, `no turn after ${wakeMs} ms`));
        patience.abort();
      }, wakeMs);
      leaving.onLeave(() => {
        giveUp(new Left());
        patience.abort();
      });
      const start = async () => {
        const running = await this.#start(gate);
        isAwake = running.isAwake;
        return running;
      };
      leaseSite(start, patience.signal, { isOwnCall })
        .then((lease) => {
          // It came too late, and nobody else would give it back.
          if (isOver) return lease.release();
          if (!gate.site.startable) {
            lease.release();
            return giveUp(new SiteTaken());
          }
          isOver = true;
          clearTimeout(timer);
          resolve(lease);
        })
        .catch(giveUp);
    });
  }

  /** One start at a time for a site: whoever comes meanwhile waits for the same one. */
  async #start({ route, site, isForItself }: Gate): Promise<RunningSite> {
    const { starting: underWay, startable } = site;
    // It may have been stopped for that very reason, and nothing may write to it now.
    if (!startable) throw new SiteTaken();
    if (isForItself) return this.#runningFor(startable);
    if (underWay) return underWay;
    const starting = route.state === 'asleep' ? this.#wake(startable) : this.#options.host.start(startable);
    site.starting = starting;
    const forget = () => {
      site.starting = undefined;
    };
    starting.then(forget, forget);
    return starting;
  }

  /**
   * What a site asks of itself starts none but a further process of it. Else one that asks itself again and again would outlive its own
   * end. Its scheduled work runs while it sleeps, and may ask.
   */
  async #runningFor(site: HostedSpec): Promise<RunningSite> {
    const running = await this.#options.host.start(site);
    if (!running.isAwake) throw new SiteFailure('stopped', 'the site that asks itself was stopped');
    return running;
  }

  async #wake(site: HostedSpec): Promise<RunningSite> {
    const { host, reports, log } = this.#options;
    // The visitor gets the page even where nobody takes note that the site is awake.
    const noted = reports.woke(site.id).catch((error: unknown) => {
      log.warn({ err: error, site_id: site.id }, 'a wake could not be reported');
    });
    const [running] = await Promise.all([host.start(site), noted]);
    return running;
  }

  #exchange(gate: Gate, lease: Lease, outgoing: Outgoing, isRepeated: boolean): Promise<SiteAnswer> {
    const { method, path, headers, sendBody, leaving } = outgoing;
    return new Promise((resolve, reject) => {
      let isAnswered = false;
      let isOver = false;
      const isRepeatable = !sendBody && (method === 'GET' || method === 'HEAD');
      const exchange = {
        method,
        path,
        headers,
        ...(sendBody && { sendBody }),
        answered: (answer: SiteAnswer) => {
          isAnswered = true;
          this.#dropChangedPages(gate, answer.header(PURGE_HEADER));
          answer.whenTrailersCome((trailers) => this.#dropChangedPages(gate, trailers[PURGE_HEADER]));
          const reason = answer.header(FAILURE_HEADER);
          if (reason === undefined) return resolve(answer);
          answer.attach(NOBODY);
          reject(new SiteFailure(reason === 'memory' ? 'memory' : 'crash', 'PHP failed without a word'));
        },
        ended: () => {
          isOver = true;
          lease.release();
        },
        failed: async (error: Error) => {
          isOver = true;
          const refusal = this.#refusal(gate, outgoing, error);
          // Whoever has gone, or has an answer's beginning, is told nothing more.
          const failure = isAnswered || leaving.hasLeft ? undefined : (refusal ?? (await lease.failure()));
          // The site closed an idle connection just when we took it. Nothing was answered, so another try is safe as
          // long as the request changes nothing and no part of its body is gone.
          const isAnotherTry = connection.wasIdle && isRepeatable && !isRepeated;
          if (!isAnswered && isAnotherTry && !leaving.hasLeft && !failure) {
            this.#exchange(gate, lease, outgoing, true).then(resolve, reject);
            return;
          }
          lease.release();
          if (!isAnswered) reject(leaving.hasLeft ? new Left() : (failure ?? brokenOff()));
        },
      };
      const connection = this.#connections.send(lease, exchange, isRepeatable && !isRepeated);
      leaving.onLeave(() => {
        // The connection may serve somebody else by now.
        if (!isOver) connection.destroy();
      });
    });
  }

  /** The site says, in a header or a trailer, that its pages changed: whoever asked, and whatever became of the answer. */
  #dropChangedPages({ site }: Gate, purge: string | string[] | undefined): void {
    if (purge === undefined) return;
    site.pages.purge();
    this.#options.reports.purged(site.id);
  }
}

function brokenOff(): SiteFailure {
  return new SiteFailure('crash', 'the site closed the connection');
}
