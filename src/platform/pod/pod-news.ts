import type { ServerResponse } from 'node:http';
import type { Services } from '#core/services.ts';
import { hostsOf, ownIds } from './pod.sql.ts';
import { NEWS_BEAT_MS, type PodNews } from './pod-calls.ts';

/** A pod has one process, which comes again where it lost the connection before. */
const LISTENERS_OF_HOST = 4;
/** Who takes nothing is not waited for: they ask again, and then for everything. */
const MAX_WAITING_BYTES = 64 * 1024;

/** Tells pods which of their sites changed or has new pages. This process hears it of all sites from the database, once for all pods. */
export class PodNewsFeed {
  readonly #services: Services;
  readonly #listeners = new Map<string, Set<ServerResponse>>();
  /** The host of each site that some pod listens for; also of those whose rows are gone by now. */
  readonly #hosts = new Map<string, string>();
  #changed = new Set<string>();
  #looking: Promise<void> | undefined;
  #beat: NodeJS.Timeout | undefined;

  constructor(services: Services) {
    this.#services = services;
  }

  async start(): Promise<void> {
    const { listener } = this.#services;
    await listener.on('site_changed', (siteId) => {
      if (this.#listeners.size === 0) return;
      this.#changed.add(siteId);
      this.#look();
    });
    await listener.on('site_purged', (siteId) => this.#tell(this.#hosts.get(siteId), { purged: siteId }));
    listener.onReconnect(() => {
      for (const host of this.#listeners.keys()) this.#tell(host, { missed: true });
    });
    this.#beat = setInterval(() => {
      for (const responses of this.#listeners.values()) for (const response of responses) send(response, '');
    }, NEWS_BEAT_MS).unref();
  }

  close(): void {
    clearInterval(this.#beat);
    for (const responses of this.#listeners.values()) for (const response of responses) response.end();
  }

  tell(host: string, response: ServerResponse): void {
    const responses = this.#listeners.get(host) ?? new Set();
    const [oldest] = responses;
    if (oldest && responses.size >= LISTENERS_OF_HOST) oldest.destroy();
    this.#listeners.set(host, responses.add(response));
    response.once('close', () => {
      responses.delete(response);
      if (responses.size > 0) return;
      this.#listeners.delete(host);
      for (const [siteId, of] of this.#hosts) if (of === host) this.#hosts.delete(siteId);
    });
    this.#know(host).then(
      () => {
        response.writeHead(200, { 'content-type': 'text/plain' });
        // It may have missed anything before this.
        send(response, JSON.stringify({ missed: true } satisfies PodNews));
      },
      (error) => {
        this.#services.log.warn({ err: error, host }, 'a pod could not be told what changes');
        response.destroy();
      },
    );
  }

  async #know(host: string): Promise<void> {
    for (const siteId of await ownIds(this.#services.db, host)) this.#hosts.set(siteId, host);
  }

  /** One question for all that changed meanwhile. */
  #look(): void {
    this.#looking ??= this.#findChanged()
      .catch((error) => {
        this.#services.log.warn({ err: error }, 'could not see whose sites changed');
        for (const host of this.#listeners.keys()) this.#tell(host, { missed: true });
      })
      .finally(() => {
        this.#looking = undefined;
        if (this.#changed.size > 0) this.#look();
      });
  }

  async #findChanged(): Promise<void> {
    const changed = this.#changed;
    this.#changed = new Set();
    const found = new Map((await hostsOf(this.#services.db, [...changed])).map(({ id, host }) => [id, host]));
    for (const siteId of changed) {
      const before = this.#hosts.get(siteId);
      const host = found.get(siteId) ?? before;
      if (host === undefined) continue;
      if (this.#listeners.has(host)) this.#hosts.set(siteId, host);
      this.#tell(host, { changed: siteId });
      // Also where it has gone from.
      if (before !== undefined && before !== host) this.#tell(before, { changed: siteId });
    }
  }

  #tell(host: string | undefined, news: PodNews): void {
    const responses = host === undefined ? undefined : this.#listeners.get(host);
    for (const response of responses ?? []) if (response.headersSent) send(response, JSON.stringify(news));
  }
}

function send(response: ServerResponse, line: string): void {
  if (!response.headersSent) return;
  if (response.writableLength > MAX_WAITING_BYTES) response.destroy();
  else response.write(`${line}\n`);
}
