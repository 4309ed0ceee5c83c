import { Agent, type ClientRequest, type IncomingMessage, request as openRequest } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Log } from '#core/log.ts';
import { type Lease, type RunningSite, type Runtime, SiteFailure } from '#runtimes/runtime.ts';
import type { Gate } from '../gate.ts';
import type { EdgeLimits } from '../limits.ts';
import type { EdgeReports } from '../route.ts';
import type { RawHeaders } from './headers.ts';

/** One request to a site's own PHP. */
export interface Outgoing {
  method: string;
  /** With the query. */
  path: string;
  headers: RawHeaders;
  /** Writes the body and ends the request; without it there is no body. */
  sendBody?: (request: ClientRequest) => void;
  /** The visitor went away, or nobody waits any more. */
  signal: AbortSignal;
}

export interface Answer {
  message: IncomingMessage;
  /** Why the answer broke off. */
  failure(): SiteFailure;
}

export interface UpgradedAnswer {
  message: IncomingMessage;
  /** Absent where the site did not switch protocols and just answered. */
  tunnel?: { socket: Duplex; head: Buffer };
}

export interface UpstreamOptions {
  runtime: Pick<Runtime, 'start'>;
  reports: EdgeReports;
  limits: EdgeLimits;
  log: Log;
}

/** The way to a site's own process: wakes it where needed, waits for its turn, and sends the request. */
export class Upstream {
  readonly #options: UpstreamOptions;
  // Connections are kept per socket path.
  readonly #agent = new Agent({ keepAlive: true, maxFreeSockets: 32, scheduling: 'lifo' });

  constructor(options: UpstreamOptions) {
    this.#options = options;
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Resolves when the answer's head is there; fails with a SiteFailure. The lease ends with the answer. */
  async send(gate: Gate, outgoing: Outgoing): Promise<Answer> {
    const { site } = gate;
    if (site.waiting >= this.#options.limits.waitingPerSite)
      throw new SiteFailure('overload', 'too many visitors wait for this site');
    site.waiting++;
    try {
      const lease = await this.#lease(gate, outgoing.signal);
      return await this.#exchange(lease, outgoing, true);
    } finally {
      site.waiting--;
    }
  }

  /** As `send`, for a request that wants to switch protocols. The lease is held until the tunnel closes. */
  async upgrade(gate: Gate, outgoing: Outgoing): Promise<UpgradedAnswer> {
    const lease = await this.#lease(gate, outgoing.signal);
    return new Promise((resolve, reject) => {
      const request = this.#open(lease, outgoing, false);
      request.once('upgrade', (message, socket, head) => {
        socket.once('close', () => lease.release());
        resolve({ message, tunnel: { socket, head } });
      });
      request.once('response', (message) => {
        message.once('close', () => lease.release());
        resolve({ message });
      });
      request.once('error', () => {
        lease.release();
        reject(lease.failure() ?? new SiteFailure('crash', 'the site closed the connection'));
      });
      request.end();
    });
  }

  async #lease(gate: Gate, signal: AbortSignal): Promise<Lease> {
    const { wakeMs } = this.#options.limits;
    const patience = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new SiteFailure('start', `not awake after ${wakeMs} ms`)), wakeMs);
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    const leasing = this.#start(gate).then((running) => running.lease(patience.signal));
    try {
      signal.throwIfAborted();
      return await Promise.race([leasing, tooLate]);
    } catch (error) {
      patience.abort();
      // It may come all the same, and nobody would give it back.
      leasing.then(
        (lease) => lease.release(),
        () => undefined,
      );
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** One start at a time for a site: whoever comes meanwhile waits for the same one. */
  #start({ route, site }: Gate): Promise<RunningSite> {
    site.starting ??= this.#wake(route.state === 'asleep', site.id, () =>
      this.#options.runtime.start(route.site),
    ).finally(() => {
      site.starting = undefined;
    });
    return site.starting;
  }

  async #wake(isAsleep: boolean, siteId: string, start: () => Promise<RunningSite>): Promise<RunningSite> {
    if (!isAsleep) return start();
    // The visitor gets the page even where nobody takes note that the site is awake.
    const noted = this.#options.reports.woke(siteId).catch((error: unknown) => {
      this.#options.log.warn({ err: error, site_id: siteId }, 'a wake could not be reported');
    });
    const [running] = await Promise.all([start(), noted]);
    return running;
  }

  #exchange(lease: Lease, outgoing: Outgoing, mayRepeat: boolean): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const failure = () => lease.failure() ?? new SiteFailure('crash', 'the site closed the connection');
      // A second try takes a connection of its own.
      const request = this.#open(lease, outgoing, mayRepeat);
      let isAnswered = false;
      request.once('response', (message) => {
        isAnswered = true;
        message.once('close', () => lease.release());
        resolve({ message, failure });
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        if (isAnswered) return;
        // The site closed an idle connection just when we took it. Nothing was answered, so another try is safe as
        // long as the request changes nothing and no part of its body is gone.
        const wasIdle = request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
        const isRepeatable = !outgoing.sendBody && (outgoing.method === 'GET' || outgoing.method === 'HEAD');
        if (wasIdle && isRepeatable && mayRepeat && !outgoing.signal.aborted && !lease.failure()) {
          this.#exchange(lease, outgoing, false).then(resolve, reject);
          return;
        }
        lease.release();
        reject(outgoing.signal.aborted ? outgoing.signal.reason : failure());
      });
      if (outgoing.sendBody) outgoing.sendBody(request);
      else request.end();
    });
  }

  #open(lease: Lease, { method, path, headers, signal }: Outgoing, isPlain: boolean): ClientRequest {
    return openRequest({
      socketPath: lease.socketPath,
      method,
      path,
      headers,
      signal,
      // A connection that changes its protocol never comes back.
      agent: isPlain ? this.#agent : false,
    });
  }
}
