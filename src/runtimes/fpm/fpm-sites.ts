import type { Log } from '#core/log.ts';
import type { AwakeProcess, RunningSite, RuntimePressure, SiteSpec } from '#runtimes/runtime.ts';
import { Pressure } from '#runtimes/turns/pressure.ts';
import { memoryBytesOf } from '#sandbox/processes.ts';
import type { DiskRooms } from './disk-rooms.ts';
import type { FpmMaster } from './fpm-master.ts';
import { FpmSite, type FpmSiteOptions } from './fpm-site.ts';
import { FpmTurns, type KnownSite } from './fpm-turns.ts';

export interface FpmSitesOptions {
  idleTimeoutMs: number;
  /** What all of them may use together; the longest unused go to sleep for it. */
  memoryBudgetBytes: number;
  optionsOf(site: SiteSpec): Omit<FpmSiteOptions, 'whenRoom'>;
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

interface Known extends KnownSite {
  fingerprint: string;
}

/** The sites that are awake on this machine. */
export class FpmSites {
  readonly #options: FpmSitesOptions;
  readonly #awake = new Map<string, Known>();
  /** Those on their way out; several may be of one id. */
  readonly #stopping = new Map<string, Set<Promise<void>>>();
  /** The same, as long as they have memory. */
  readonly #leaving = new Set<Known>();
  readonly #watch: NodeJS.Timeout;
  readonly #pressure: Pressure;
  readonly #turns: FpmTurns;
  #looks = 0;

  constructor(options: FpmSitesOptions) {
    this.#options = options;
    this.#pressure = new Pressure(options.log);
    this.#turns = new FpmTurns({
      memoryBudgetBytes: options.memoryBudgetBytes,
      sites: () => [...this.#awake.values(), ...this.#leaving],
      // Where it could not be ended, the next one is.
      putToSleep: (siteId) => this.#forget(siteId).catch((error) => this.#notStopped(siteId, error)),
      pressure: this.#pressure,
    });
    this.#watch = setInterval(() => this.#lookAfter(), WATCH_MS).unref();
  }

  wake(spec: SiteSpec): RunningSite {
    const fingerprint = JSON.stringify(spec);
    const known = this.#awake.get(spec.id);
    if (known?.fingerprint === fingerprint) return known.site.awake;
    if (known) this.#forget(spec.id).catch(() => {});
    const site: FpmSite = new FpmSite({
      ...this.#options.optionsOf(spec),
      whenRoom: (signal, start) => this.#turns.start(fresh, signal, start),
    });
    const fresh: Known = { fingerprint, spec, site, memoryBytes: 0, placedAt: undefined, readyAt: undefined };
    this.#awake.set(spec.id, fresh);
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
    const { turnedAway, ended } = this.#pressure;
    const { usedBytes, places } = this.#turns;
    const isTooSmall = this.#pressure.isTooSmall() || usedBytes > budgetBytes;
    return { waiting: places.waiting, turnedAway, ended, usedBytes, budgetBytes, isTooSmall };
  }

  /** How many requests of a site at once, while it is awake. */
  setProcesses(siteId: string, processes: number): void {
    this.#awake.get(siteId)?.site.awake.allow(processes);
  }

  async close(): Promise<void> {
    clearInterval(this.#watch);
    this.#turns.places.close();
    const ids = new Set([...this.#awake.keys(), ...this.#stopping.keys()]);
    await Promise.all([...ids].map((siteId) => this.stop(siteId, 0)));
  }

  async #forget(siteId: string, graceMs = STOP_GRACE_MS): Promise<void> {
    const known = this.#awake.get(siteId);
    if (!known) return;
    this.#awake.delete(siteId);
    this.#leaving.add(known);
    this.#options.rooms.leave(siteId);
    const all = this.#stopping.get(siteId) ?? new Set();
    const stopping = known.site.stop(graceMs).finally(() => {
      all.delete(stopping);
      this.#leaving.delete(known);
      this.#turns.places.look();
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
    const { places, usedBytes } = this.#turns;
    const signs = { waiting: places.waiting, longestMs: places.longestMs(now), usedBytes };
    this.#pressure.look({ ...signs, budgetBytes: this.#options.memoryBudgetBytes }, now);
  }

  #keepWithinBudget(): void {
    const idle = [...this.#awake]
      .flatMap(([siteId, { site, memoryBytes }]) => {
        const since = site.awake.idleSince;
        return since === undefined || memoryBytes === 0 ? [] : [{ siteId, since, memoryBytes }];
      })
      .sort((a, b) => a.since - b.since);
    let over = this.#awakeBytes - this.#options.memoryBudgetBytes;
    for (const { siteId, memoryBytes } of idle) {
      if (over <= 0) return;
      over -= memoryBytes;
      this.#putToSleep(siteId);
    }
    this.#endLargest();
  }

  /** Where none is left that has nothing to do, one that is at work has to make way for all others. */
  #endLargest(): void {
    if (this.#awakeBytes <= memoryLimitBytes(this.#options.memoryBudgetBytes)) return;
    const [largest] = [...this.#awake].sort(([, a], [, b]) => b.memoryBytes - a.memoryBytes);
    if (!largest) return;
    const [siteId, { memoryBytes }] = largest;
    this.#options.log.warn(
      { siteId, memoryBytes },
      'sites at work use more memory than all may: the largest was ended',
    );
    this.#pressure.ended++;
    this.#putToSleep(siteId, 0);
  }

  /** Without what is on its way out. */
  get #awakeBytes(): number {
    return [...this.#awake.values()].reduce((sum, { memoryBytes }) => sum + memoryBytes, 0);
  }

  #putToSleep(siteId: string, graceMs = STOP_GRACE_MS): void {
    this.#forget(siteId, graceMs).catch((error) => this.#notStopped(siteId, error));
  }

  #notStopped(siteId: string, error: unknown): void {
    this.#options.log.warn({ err: error, siteId }, 'a site could not be stopped');
  }
}
