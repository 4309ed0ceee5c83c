import type { Log } from '#core/log.ts';
import { Durations } from './durations.ts';
import type { EdgeReports, SiteUsage } from './route.ts';
import { EdgeTotals } from './totals.ts';

/** A site as far as counting goes. */
export interface CountedSite {
  readonly id: string;
  readonly pages: { readonly objects: number; readonly sizeBytes: number };
  /** By team, since a site may move. */
  readonly counters: Map<string, UsageCounter>;
  readonly isGone: boolean;
}

/** What was counted for one site and team since the last report. Requests only ever add to numbers in memory. */
export class UsageCounter {
  readonly site: CountedSite;
  readonly teamId: string;
  visits = 0;
  requests = 0;
  bytes = 0;
  cachedBytes = 0;
  cacheHits = 0;
  cacheMisses = 0;
  lastVisitAtMs = 0;
  errors = 0;
  readonly durations = new Durations();
  pages = 0;
  /** In a row, up to now. */
  pagesFailedLast = 0;

  constructor(site: CountedSite, teamId: string) {
    this.site = site;
    this.teamId = teamId;
  }

  /** An answer to a visitor. What no page was asked for tells nothing of how the site does, unless it failed. */
  countAnswer(status: number, durationMs: number, isPage: boolean): void {
    const isError = status >= 500;
    if (isError) this.errors++;
    if (!isPage && !isError) return;
    this.durations.add(durationMs);
    this.pages++;
    this.pagesFailedLast = isError ? this.pagesFailedLast + 1 : 0;
  }

  /** What there is to report, or undefined; the numbers start again at zero. */
  take(): SiteUsage | undefined {
    if (this.requests === 0 && this.bytes === 0 && this.pages === 0) return undefined;
    const { id, pages } = this.site;
    const { visits, requests, bytes, cachedBytes, cacheHits, cacheMisses, errors, teamId } = this;
    const { pages: pagesAnswered, pagesFailedLast } = this;
    const lastVisitAt = this.lastVisitAtMs === 0 ? null : new Date(this.lastVisitAtMs);
    this.visits = this.requests = this.bytes = this.cachedBytes = this.cacheHits = this.cacheMisses = 0;
    this.lastVisitAtMs = this.errors = this.pages = this.pagesFailedLast = 0;
    const { objects: cacheObjects, sizeBytes: cacheBytes } = pages;
    const answered = { errors, durations: this.durations.take(), pages: pagesAnswered, pagesFailedLast };
    const counted = { visits, requests, bytes, cachedBytes, cacheHits, cacheMisses, ...answered };
    return { siteId: id, teamId, ...counted, cacheObjects, cacheBytes, lastVisitAt };
  }

  /** Puts back what could not be reported. */
  giveBack(usage: SiteUsage): void {
    this.visits += usage.visits;
    this.requests += usage.requests;
    this.bytes += usage.bytes;
    this.cachedBytes += usage.cachedBytes;
    this.cacheHits += usage.cacheHits;
    this.cacheMisses += usage.cacheMisses;
    this.errors += usage.errors;
    this.durations.giveBack(usage.durations);
    // A good page since then ended the row.
    if (this.pages === this.pagesFailedLast) this.pagesFailedLast += usage.pagesFailedLast;
    this.pages += usage.pages;
    this.lastVisitAtMs = Math.max(this.lastVisitAtMs, usage.lastVisitAt?.getTime() ?? 0);
  }
}

/** Hands the counters on every few seconds, all sites in one call. */
export class UsageReporter {
  readonly totals = new EdgeTotals();
  readonly #counters = new Set<UsageCounter>();
  readonly #reports: EdgeReports;
  readonly #log: Log;
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> = Promise.resolve();

  constructor(reports: EdgeReports, log: Log) {
    this.#reports = reports;
    this.#log = log;
  }

  start(flushMs: number): void {
    this.#timer = setInterval(() => void this.flush(), flushMs);
    this.#timer.unref();
  }

  /** The counter of a site within a team; what was counted before a move stays with the team it was counted for. */
  counterOf(site: CountedSite, teamId: string): UsageCounter {
    const known = site.counters.get(teamId);
    if (known) return known;
    const counter = new UsageCounter(site, teamId);
    site.counters.set(teamId, counter);
    this.#counters.add(counter);
    return counter;
  }

  /** One report at a time, so that a slow one is not overtaken by what it failed to deliver. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.then(() => this.#report());
    return this.#flushing;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  async #report(): Promise<void> {
    const taken: [UsageCounter, SiteUsage][] = [];
    for (const counter of this.#counters) {
      const usage = counter.take();
      if (usage) taken.push([counter, usage]);
      else if (counter.site.isGone) this.#counters.delete(counter);
    }
    if (taken.length === 0) return;
    try {
      await this.#reports.usage(taken.map(([, usage]) => usage));
      for (const [, usage] of taken) this.totals.addUsage(usage);
    } catch (error) {
      this.#log.warn({ err: error }, 'usage could not be reported; it is kept for the next time');
      for (const [counter, usage] of taken) counter.giveBack(usage);
    }
  }
}
