import type { HostedSpec } from '#host/site-host.ts';
import { type RunningSite, SiteFailure } from '#runtimes/runtime.ts';
import type { SitePages } from './cache/site-pages.ts';
import type { Allowance } from './compression/allowance.ts';
import { NOTICES, NoticeError } from './notices.ts';
import type { BodyBudget } from './proxy/body-budget.ts';
import type { CountedSite, UsageCounter } from './usage.ts';

/** Some work took the site after the visitor had come. */
export class SiteTaken extends NoticeError {
  constructor() {
    super(NOTICES.held, undefined);
  }
}

/** What the edge remembers of a site for as long as it exists, however often its route changes. */
export class HostedSite implements CountedSite {
  readonly id: string;
  readonly pages: SitePages;
  /** What compressing its answers may cost. */
  readonly compression: Allowance;
  /** What the bodies that visitors send it may take while they wait. */
  readonly bodies: BodyBudget;
  readonly counters = new Map<string, UsageCounter>();
  /** The names that lead here. */
  readonly hostnames = new Set<string>();
  /** Visitors that wait for an answer to begin. */
  #waiting = 0;
  /** What may be started of it now: undefined while some work has the site, and when it is gone. */
  startable: HostedSpec | undefined;
  /** The start that is under way; whoever comes meanwhile waits for the same one. */
  starting: Promise<RunningSite> | undefined;
  isGone = false;
  /** What it asks of itself and has no answer to yet. */
  ownCalls = 0;

  constructor(id: string, pages: SitePages, compression: Allowance, bodies: BodyBudget) {
    this.id = id;
    this.pages = pages;
    this.compression = compression;
    this.bodies = bodies;
  }

  /** Counts a visitor among those who wait for as long as the work takes; so many may, and no more. */
  async whileWaiting<T>(most: number, work: () => Promise<T>): Promise<T> {
    if (this.#waiting >= most) throw new SiteFailure('overload', 'too many visitors wait for this site');
    this.#waiting++;
    try {
      return await work();
    } finally {
      this.#waiting--;
    }
  }
}
