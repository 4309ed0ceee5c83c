/**
 * Kubernetes clusters, as far as anybody else knows them. A site on one has a host of its own there, which its row names: the name of the
 * cluster and the id of the site. Its stage and its previews are on that host too (docs/decisions/0068).
 */
export interface Cluster {
  /** Makes the home of a site, or brings it up to date. Nothing runs by that alone, and what runs goes on. */
  apply(home: SiteHome): Promise<void>;
  /** Lets the site's pod run, or not; false where the site has no home. */
  scale(siteId: string, replicas: 0 | 1): Promise<boolean>;
  has(siteId: string): Promise<boolean>;
  /** Why its pod does not run; undefined where nothing is known. */
  trouble(siteId: string): Promise<PodTrouble | undefined>;
  /** Removes the home with its volume; resolves when the pod is gone. */
  delete(siteId: string): Promise<void>;
  /**
   * Tells of every home at first, whenever one changed, and of all of them again when nothing was heard for long or the cluster was away,
   * until it is called off.
   */
  watch(listener: HomeListener, signal: AbortSignal): Promise<void>;
  /**
   * Ends pods that went down with their machine, for which the cluster itself would wait for ever, and gives up volumes that went with it.
   * A machine may be silent to the cluster and run on: pods that we hear of stay. `homeless` are those whose homes have to be applied again.
   */
  endLost(isHeard: (siteId: string) => Promise<boolean>): Promise<{ ended: string[]; homeless: string[] }>;
}

export interface PodTrouble {
  /** In the cluster's own words. */
  reason: string;
  /** There is no use in waiting; a place or a volume may still come. */
  isFinal: boolean;
}

/**
 * All that the pod of a site has of the platform's: what it shows that it is that site's host and nobody else's, and what it knows the
 * platform by. As PEM.
 */
export interface PodCredentials {
  key: string;
  certificate: string;
  authority: string;
}

/** What the home of a site depends on. */
export interface SiteHome {
  siteId: string;
  plan: string;
  /** How many processors' time its plan allows. */
  processors: number;
}

export interface KnownHome {
  siteId: string;
  isAwake: boolean;
  /** Whether it is as `apply` would make it. */
  isLike(home: SiteHome): boolean;
}

export interface HomeListener {
  /** All there are. */
  listed(homes: readonly KnownHome[]): void;
  changed(home: KnownHome): void;
}

export const siteHostName = (cluster: string, siteId: string): string => `${cluster}.${siteId}`;

/** The cluster and the site that a host is named by; undefined for any other host. */
export function siteHostParts(host: string): { cluster: string; siteId: string } | undefined {
  const [, cluster, siteId] = /^([a-z0-9-]{1,20})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(host) ?? [];
  return cluster && siteId ? { cluster, siteId } : undefined;
}

/** The host in this place that a new site is on. */
export function hostForNew(clusters: ReadonlyMap<string, unknown>, host: string, siteId: string): string {
  return clusters.has(host) ? siteHostName(host, siteId) : host;
}
