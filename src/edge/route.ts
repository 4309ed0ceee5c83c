import type { HostedSpec, SiteRef } from '#host/site-host.ts';
import type { ErrorEntry, VisitEntry } from '#host/site-log/entries.ts';

/** All that the edge knows of a site: enough to answer a visitor without asking anybody. */
export interface Route {
  fqdn: string;
  teamId: string;
  /** What its host needs to start the site. */
  site: HostedSpec;
  state: RouteState;
  /** The HTTP sign-in in front of the site, or null. */
  signIn: { username: string; password: string } | null;
  /** The only addresses (IPv4, IPv6, CIDR) that get in, or null for everybody. */
  allowedAddresses: readonly string[] | null;
  externalPaths: readonly { path: string; target: string }[];
  /** Why WordPress takes no uploads now, in a sentence for whoever uploads; null while it takes them. */
  uploadsRefused: string | null;
  /** Pages come from WordPress each time. */
  devMode: boolean;
  /** Of a further name of the site: whether it leads to the site's own address or is served as if it were that. */
  alias: 'redirect' | 'serve' | null;
  /** Set for a throw-away copy, which is open to holders of a token signed with the key (see preview.ts), until it ends; `framedBy` is whose pages may show it in a frame. */
  preview: { key: string; expiresAt: Date; framedBy: string } | null;
}

/**
 * `ready` and `asleep` both serve, a visit wakes the latter. `held`: some work (a rename, a restore) has the site for a
 * moment, so visitors wait for it. `creating`: not there yet. `suspended` and `expired` are the team's state.
 */
export type RouteState = 'ready' | 'asleep' | 'held' | 'creating' | 'suspended' | 'expired';

/** Whether the site itself answers, after it was woken where needed. */
export function serves({ state }: Route): boolean {
  return state === 'ready' || state === 'asleep';
}

/** Where routes come from: the control plane. Nothing here is called per request. */
export interface RouteSource {
  loadAll(): Promise<Route[]>;
  /** The routes of these sites as they are now; none of one that is gone. */
  load(siteIds: readonly string[]): Promise<Route[]>;
  /** Calls back with the id of every site whose route may have changed, and with undefined when anything may have. */
  subscribe(changed: (siteId: string | undefined) => void): Promise<void>;
}

/** What the edge tells the control plane. None of it is awaited by a visitor, except `woke`. */
export interface EdgeReports {
  /** A visit found the site asleep; resolves when it is marked awake. */
  woke(siteId: string): Promise<void>;
  /** Counted since the last call, one entry a site. A rejected call is repeated with the next one. */
  usage(usage: readonly SiteUsage[]): Promise<void>;
  /** Each answer to a visitor, when all of it is sent. Called on the hot path, so it has to be cheap. */
  visited(site: SiteRef, visit: VisitEntry): void;
  /** Writes an entry to the site's error log. */
  logError(site: SiteRef, entry: ErrorEntry): void;
  /** The site's pages changed: other edges must drop theirs too. */
  purged(siteId: string): void;
}

export interface SiteUsage {
  siteId: string;
  teamId: string;
  /** One visitor's pages within half an hour are one visit. */
  visits: number;
  requests: number;
  /** Bytes sent to visitors, and how many of them came from the cache. */
  bytes: number;
  cachedBytes: number;
  cacheHits: number;
  cacheMisses: number;
  /** What this edge's cache holds of the site now. */
  cacheObjects: number;
  cacheBytes: number;
  lastVisitAt: Date | null;
  /** Answers with a status of 5xx, whoever gave them. */
  errors: number;
  /** How long pages took; see durations.ts. */
  durations: readonly number[];
  /** Pages that visitors asked for, and how many of them failed at the end of the interval without a good one between. */
  pages: number;
  pagesFailedLast: number;
}
