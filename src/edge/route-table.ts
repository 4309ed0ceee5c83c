import { isDeepStrictEqual } from 'node:util';
import { LONGEST_HOST } from '#core/http/platform-hosts.ts';
import type { Log } from '#core/log.ts';
import { Gate } from './gate.ts';
import type { HostedSite } from './hosted-site.ts';
import { type Route, type RouteSource, serves } from './route.ts';
import { UsageCounter, type UsageReporter } from './usage.ts';

const RETRY_MS = 1_000;
const SPELLINGS = 10_000;
/** So many sites that changed are read together. */
const READ_AT_ONCE = 1_000;

/** Host -> gate, in memory. The source says which site changed, and that site alone is read again. */
export class RouteTable {
  readonly #source: RouteSource;
  readonly #usage: UsageReporter;
  readonly #makeSite: (siteId: string) => HostedSite;
  readonly #log: Log;
  readonly #byHost = new Map<string, Gate>();
  readonly #sites = new Map<string, HostedSite>();
  /** Hosts as visitors spell them, port included, so that the usual spelling costs one look. */
  readonly #spelled = new Map<string, Gate>();
  readonly #watchers = new Set<() => void>();
  /** Reads happen one after another, so that an older one never overwrites a newer one. */
  #reading: Promise<void> = Promise.resolve();
  /** The read that is to come, and what it will read: the sites that changed, or all. */
  #next: Promise<void> | undefined;
  #changed = new Set<string>();
  #mayAllHaveChanged = false;
  #retry: NodeJS.Timeout | undefined;
  #isClosed = false;
  isLoaded = false;

  constructor(source: RouteSource, usage: UsageReporter, makeSite: (siteId: string) => HostedSite, log: Log) {
    this.#source = source;
    this.#usage = usage;
    this.#makeSite = makeSite;
    this.#log = log;
  }

  /** Subscribes before it reads, so that nothing can change unseen in between. */
  async start(): Promise<void> {
    await this.#source.subscribe((siteId) => void this.refresh(siteId));
    await this.refresh(undefined);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
  }

  find(host: string | undefined): Gate | undefined {
    if (host === undefined || host.length > LONGEST_HOST) return undefined;
    const known = this.#spelled.get(host);
    if (known) return known;
    const gate = this.#byHost.get(hostName(host));
    if (gate) {
      if (this.#spelled.size >= SPELLINGS) this.#spelled.clear();
      this.#spelled.set(host, gate);
    }
    return gate;
  }

  site(siteId: string): HostedSite | undefined {
    return this.#sites.get(siteId);
  }

  /** Waits for a change that makes the condition true. Resolves with whether it came in time. */
  until(isMet: () => boolean, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const look = () => {
        if (isMet()) end();
      };
      const end = () => {
        clearTimeout(timer);
        this.#watchers.delete(look);
        signal.removeEventListener('abort', end);
        resolve(isMet());
      };
      const timer = setTimeout(end, timeoutMs);
      signal.addEventListener('abort', end);
      this.#watchers.add(look);
      look();
    });
  }

  /** Reads one site again, or all for undefined; all that changes while others are read is read together. */
  refresh(siteId: string | undefined): Promise<void> {
    if (siteId === undefined) this.#mayAllHaveChanged = true;
    else this.#changed.add(siteId);
    if (!this.#next) {
      this.#next = this.#reading.then(() => this.#read());
      this.#reading = this.#next;
    }
    return this.#next;
  }

  async #read(): Promise<void> {
    const [changed, isAll] = [[...this.#changed], this.#mayAllHaveChanged];
    this.#next = undefined;
    this.#changed = new Set();
    this.#mayAllHaveChanged = false;
    if (this.#isClosed) return;
    try {
      if (isAll) {
        this.#replace([...this.#sites.keys()], await this.#source.loadAll());
        this.#forgetPages();
        this.isLoaded = true;
      } else
        for (let from = 0; from < changed.length; from += READ_AT_ONCE) {
          const siteIds = changed.slice(from, from + READ_AT_ONCE);
          this.#replace(siteIds, await this.#source.load(siteIds));
        }
    } catch (error) {
      this.#log.warn({ err: error, sites: isAll ? 'all' : changed.length }, 'routes could not be read; trying again');
      // Nobody can tell what was missed meanwhile, so all are read.
      this.#retry ??= setTimeout(() => {
        this.#retry = undefined;
        void this.refresh(undefined);
      }, RETRY_MS).unref();
    }
    for (const look of [...this.#watchers]) look();
  }

  /** Whatever made all routes be read again may have hidden that pages changed, too. */
  #forgetPages(): void {
    for (const site of this.#sites.values()) site.pages.purge();
  }

  /** Looks at nothing but the sites in question, so that one change among many sites is cheap. */
  #replace(siteIds: readonly string[], routes: readonly Route[]): void {
    const routesOf = Map.groupBy(routes, ({ site }) => site.id);
    for (const id of new Set([...siteIds, ...routesOf.keys()])) this.#replaceSite(id, routesOf.get(id) ?? []);
    this.#spelled.clear();
  }

  #replaceSite(siteId: string, routes: readonly Route[]): void {
    const site = this.#sites.get(siteId) ?? this.#makeSite(siteId);
    const kept = new Set(routes.map(({ fqdn }) => fqdn));
    for (const host of site.hostnames) {
      if (kept.has(host)) continue;
      site.hostnames.delete(host);
      // Another site may have taken the name meanwhile.
      if (this.#byHost.get(host)?.site === site) this.#byHost.delete(host);
    }
    for (const route of routes) this.#put(site, route);
    if (routes.length > 0) this.#sites.set(siteId, site);
    else {
      this.#sites.delete(siteId);
      site.startable = undefined;
      site.pages.purge();
      site.isGone = true;
    }
  }

  #put(site: HostedSite, route: Route): void {
    site.hostnames.add(route.fqdn);
    site.startable = serves(route) ? route.site : undefined;
    const old = this.#byHost.get(route.fqdn);
    if (old?.site === site && isDeepStrictEqual(old.route, route)) return;
    // Whatever held the site may have changed its pages without its WordPress knowing.
    if (old && (!isDeepStrictEqual(old.route.site, route.site) || !serves(old.route) || !serves(route)))
      site.pages.purge();
    // Nobody pays for looking at a preview: what is counted for it is reported to nobody.
    const counter = route.preview ? new UsageCounter(site, route.teamId) : this.#usage.counterOf(site, route.teamId);
    this.#byHost.set(route.fqdn, new Gate(route, site, counter));
  }
}

/** The name in a Host header: lower-case, without port and without the root's dot. */
export function hostName(host: string): string {
  return host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
}
