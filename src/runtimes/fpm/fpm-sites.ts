import type { Log } from '#core/log.ts';
import type { AwakeProcess, RunningSite, RuntimePressure, SiteSpec } from '#runtimes/runtime.ts';
import { memoryBytesOf } from '#sandbox/processes.ts';
import type { DiskRooms } from './disk-rooms.ts';
import type { FpmMaster } from './fpm-master.ts';
import { FpmSite, type FpmSiteOptions } from './fpm-site.ts';

export interface FpmSitesOptions {
  idleTimeoutMs: number;
  /** What all of them may use together; the longest unused go to sleep for it. */
  memoryBudgetBytes: number;
  optionsOf(site: SiteSpec): FpmSiteOptions;
  rooms: DiskRooms;
  log: Log;
}

/** Less than this is not enough for any site at work. */
const LEAST_LIMIT_BYTES = 512 * 1024 * 1024;
const WATCH_MS = 1_000;
const STOP_GRACE_MS = 3_000;
/** A site that has nothing to do is looked at every so many times: each look costs some reading in /proc. */
const IDLE_LOOKS = 3;
/** What a site wrote last is counted after it. */
const JUST_NOW_MS = 10_000;

/** What all sites may use together whatever they are at. The kernel keeps to it where there are groups. */
export function memoryLimitBytes(memoryBudgetBytes: number): number {
  return Math.max(memoryBudgetBytes, LEAST_LIMIT_BYTES);
}

interface Known {
  fingerprint: string;
  site: FpmSite;
  memoryBytes: number;
}

/** The sites that are awake on this machine. */
export class FpmSites {
  readonly #options: FpmSitesOptions;
  readonly #awake = new Map<string, Known>();
  /** Those on their way out; several may be of one id. */
  readonly #stopping = new Map<string, Set<Promise<void>>>();
  readonly #watch: NodeJS.Timeout;
  #ended = 0;
  #looks = 0;

  constructor(options: FpmSitesOptions) {
    this.#options = options;
    this.#watch = setInterval(() => this.#lookAfter(), WATCH_MS).unref();
  }

  wake(spec: SiteSpec): RunningSite {
    const fingerprint = JSON.stringify(spec);
    const known = this.#awake.get(spec.id);
    if (known?.fingerprint === fingerprint) return known.site.awake;
    if (known) this.#forget(spec.id).catch(() => {});
    const site = new FpmSite(this.#options.optionsOf(spec));
    this.#awake.set(spec.id, { fingerprint, site, memoryBytes: 0 });
    this.#options.rooms.join(spec.id);
    return site.awake;
  }

  /** Resolves when no process of the site is left, those of an earlier description included. */
  async stop(siteId: string, graceMs = STOP_GRACE_MS): Promise<void> {
    await Promise.all([this.#forget(siteId, graceMs), ...(this.#stopping.get(siteId) ?? [])]);
  }

  awake(): AwakeProcess[] {
    return [...this.#awake].flatMap(
      ([
        siteId,
        {
          site: { master },
        },
      ]) => (master?.isAlive ? master.pids : []).map((pid) => ({ siteId, pid, memoryBytes: memoryBytesOf(pid) })),
    );
  }

  /** Of the site that is awake. */
  masterOf(siteId: string): FpmMaster | undefined {
    return this.#awake.get(siteId)?.site.master;
  }

  get pressure(): RuntimePressure {
    const { memoryBudgetBytes: budgetBytes } = this.#options;
    const usedBytes = this.#usedBytes;
    return {
      waiting: 0,
      turnedAway: 0,
      ended: this.#ended,
      usedBytes,
      budgetBytes,
      isTooSmall: usedBytes > budgetBytes,
    };
  }

  async close(): Promise<void> {
    clearInterval(this.#watch);
    const ids = new Set([...this.#awake.keys(), ...this.#stopping.keys()]);
    await Promise.all([...ids].map((siteId) => this.stop(siteId, 0)));
  }

  get #usedBytes(): number {
    return [...this.#awake.values()].reduce((sum, { memoryBytes }) => sum + memoryBytes, 0);
  }

  async #forget(siteId: string, graceMs = STOP_GRACE_MS): Promise<void> {
    const known = this.#awake.get(siteId);
    if (!known) return;
    this.#awake.delete(siteId);
    this.#options.rooms.leave(siteId);
    const all = this.#stopping.get(siteId) ?? new Set();
    const stopping = known.site.stop(graceMs).finally(() => {
      all.delete(stopping);
      if (all.size === 0 && this.#stopping.get(siteId) === all) this.#stopping.delete(siteId);
    });
    this.#stopping.set(siteId, all.add(stopping));
    await stopping;
  }

  #lookAfter(): void {
    const now = performance.now();
    const isTurn = this.#looks++ % IDLE_LOOKS === 0;
    for (const [siteId, known] of this.#awake) {
      const { awake, master } = known.site;
      const { idleSince } = awake;
      if (idleSince !== undefined && now - idleSince > this.#options.idleTimeoutMs) this.#putToSleep(siteId);
      else if (idleSince === undefined || isTurn) {
        master?.endStopped((error) => this.#notStopped(siteId, error));
        if (idleSince === undefined || now - idleSince < JUST_NOW_MS) this.#options.rooms.look(siteId);
        known.memoryBytes = master?.memoryBytes ?? 0;
      }
    }
    this.#keepWithinBudget();
  }

  #keepWithinBudget(): void {
    const idle = [...this.#awake]
      .flatMap(([siteId, { site, memoryBytes }]) => {
        const since = site.awake.idleSince;
        return since === undefined || memoryBytes === 0 ? [] : [{ siteId, since, memoryBytes }];
      })
      .sort((a, b) => a.since - b.since);
    let over = this.#usedBytes - this.#options.memoryBudgetBytes;
    for (const { siteId, memoryBytes } of idle) {
      if (over <= 0) return;
      over -= memoryBytes;
      this.#ended++;
      this.#putToSleep(siteId);
    }
    this.#endLargest();
  }

  /** Where none is left that has nothing to do, one that is at work has to make way for all others. */
  #endLargest(): void {
    if (this.#usedBytes <= memoryLimitBytes(this.#options.memoryBudgetBytes)) return;
    const [largest] = [...this.#awake].sort(([, a], [, b]) => b.memoryBytes - a.memoryBytes);
    if (!largest) return;
    const [siteId, { memoryBytes }] = largest;
    this.#options.log.warn(
      { siteId, memoryBytes },
      'sites at work use more memory than all may: the largest was ended',
    );
    this.#ended++;
    this.#putToSleep(siteId, 0);
  }

  #putToSleep(siteId: string, graceMs = STOP_GRACE_MS): void {
    this.#forget(siteId, graceMs).catch((error) => this.#notStopped(siteId, error));
  }

  #notStopped(siteId: string, error: unknown): void {
    this.#options.log.warn({ err: error, siteId }, 'a site could not be stopped');
  }
}
