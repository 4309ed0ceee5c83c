import type { RunningSite } from '#runtimes/runtime.ts';
import type { SitePages } from './cache/site-pages.ts';
import type { CountedSite, UsageCounter } from './usage.ts';

/** What the edge remembers of a site for as long as it exists, however often its route changes. */
export class HostedSite implements CountedSite {
  readonly id: string;
  readonly pages: SitePages;
  readonly counters = new Map<string, UsageCounter>();
  /** The hosts that lead here. */
  readonly hosts = new Set<string>();
  /** Visitors that wait for an answer to begin. */
  waiting = 0;
  /** The start that is under way; whoever comes meanwhile waits for the same one. */
  starting: Promise<RunningSite> | undefined;
  isGone = false;

  constructor(id: string, pages: SitePages) {
    this.id = id;
    this.pages = pages;
  }
}
