import { setTimeout as sleep } from 'node:timers/promises';
import { type Cluster, type KnownHome, siteHostName, siteHostParts } from '#core/cluster.ts';
import { LockBusy } from '#core/db/locks.ts';
import type { Stop } from '#core/part.ts';
import type { Services } from '#core/services.ts';
import { findHome, isHostHeard, listHomes, listIdleHosts } from './cluster.sql.ts';

const LOOK_MS = 5_000;
/** Each look is two calls of the cluster. */
const LOST_LOOK_MS = 15_000;
/** Whatever the cluster tells, so often its homes are compared with our sites. */
const COMPARE_MS = 5 * 60_000;
/** What no table knows may be about to have its row, or the tables are those of a backup: somebody has a day to notice. */
const UNKNOWN_MS = 24 * 3_600_000;

/** Looks after the clusters: what is idle sleeps, what was lost is ended, homes are as they should be. One worker at a time for each. */
export async function keepClusters(services: Services): Promise<Stop | undefined> {
  if (services.clusters.size === 0) return undefined;
  const ending = new AbortController();
  const running = [...services.clusters].map(([name, cluster]) => keepAlways(services, name, cluster, ending.signal));
  return async () => {
    ending.abort();
    await Promise.all(running);
  };
}

async function keepAlways(services: Services, name: string, cluster: Cluster, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await services.locks.alone(`upkeep of the cluster ${name}`, 0, (lost) =>
        new Upkeep(services, name, cluster).run(AbortSignal.any([signal, lost])),
      );
    } catch (error) {
      if (!(error instanceof LockBusy))
        services.log.warn({ err: error, cluster: name }, 'a cluster is not looked after');
    }
    await sleep(LOOK_MS, undefined, { signal }).catch(() => {});
  }
}

class Upkeep {
  readonly #services: Services;
  readonly #name: string;
  readonly #cluster: Cluster;
  #homes = new Map<string, KnownHome>();
  #compareAt = Number.POSITIVE_INFINITY;
  /** Homes of sites that no table knows, and since when that is seen. */
  readonly #unknownSince = new Map<string, number>();

  constructor(services: Services, name: string, cluster: Cluster) {
    this.#services = services;
    this.#name = name;
    this.#cluster = cluster;
  }

  async run(signal: AbortSignal): Promise<void> {
    const ending = new AbortController();
    const watching = this.#cluster.watch(
      {
        listed: (homes) => {
          this.#homes = new Map(homes.map((home) => [home.siteId, home]));
          this.#compareAt = 0;
        },
        changed: (home) => this.#homes.set(home.siteId, home),
      },
      AbortSignal.any([signal, ending.signal]),
    );
    watching.catch(() => {});
    let lostAt = 0;
    try {
      while (!signal.aborted) {
        await this.#attempt('sites that are idle could not be put to sleep', () => this.#letSleep());
        if (performance.now() > lostAt) {
          lostAt = performance.now() + LOST_LOOK_MS;
          await this.#attempt('what was lost could not be ended', () => this.#endLost());
        }
        if (performance.now() > this.#compareAt) {
          this.#compareAt = performance.now() + COMPARE_MS;
          await this.#attempt('homes of sites could not be compared', () => this.#compare(signal));
        }
        await sleep(LOOK_MS, undefined, { signal }).catch(() => {});
      }
    } finally {
      ending.abort();
      await watching;
    }
  }

  /** Nothing of this keeps the rest from being done. */
  async #attempt(words: string, act: () => Promise<void>): Promise<void> {
    const { log } = this.#services;
    await act().catch((error) => log.warn({ err: error, cluster: this.#name }, words));
  }

  async #letSleep(): Promise<void> {
    const { db, config, log } = this.#services;
    for (const host of await listIdleHosts(db, this.#name, config.sitePods.idleMs)) {
      const { siteId } = siteHostParts(host) ?? {};
      if (siteId === undefined || this.#homes.get(siteId)?.isAwake === false) continue;
      await this.#cluster.scale(siteId, 0);
      log.info({ siteId, cluster: this.#name }, 'a site sleeps, since nobody asks for it');
    }
  }

  async #endLost(): Promise<void> {
    const { db, log } = this.#services;
    const { ended, homeless } = await this.#cluster.endLost((siteId) =>
      isHostHeard(db, siteHostName(this.#name, siteId)),
    );
    for (const siteId of ended) log.warn({ siteId, cluster: this.#name }, 'a pod was lost with its machine, and ended');
    for (const siteId of homeless) {
      const home = await findHome(db, siteId);
      if (home) await this.#cluster.apply(home);
    }
  }

  async #compare(signal: AbortSignal): Promise<void> {
    const { db, log } = this.#services;
    const wanted = new Map((await listHomes(db, this.#name)).map((home) => [home.siteId, home]));
    for (const [siteId, home] of wanted) {
      if (signal.aborted) return;
      if (!this.#homes.get(siteId)?.isLike(home))
        await this.#attempt('a home could not be applied', () => this.#cluster.apply(home));
    }
    for (const siteId of this.#unknownSince.keys())
      if (wanted.has(siteId) || !this.#homes.has(siteId)) this.#unknownSince.delete(siteId);
    for (const siteId of this.#homes.keys()) {
      if (wanted.has(siteId) || signal.aborted) continue;
      const since = this.#unknownSince.get(siteId) ?? performance.now();
      this.#unknownSince.set(siteId, since);
      if (performance.now() - since < UNKNOWN_MS) continue;
      log.warn({ siteId, cluster: this.#name }, 'a home of a site that nobody has known for a day is removed');
      await this.#attempt('a home could not be removed', () => this.#cluster.delete(siteId));
      this.#homes.delete(siteId);
    }
  }
}
