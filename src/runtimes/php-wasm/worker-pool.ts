import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '#core/log.ts';
import { SiteFailure } from '#runtimes/runtime.ts';
import { AwakeSite, type Need } from './awake-site.ts';
import { CommandShares } from './command-shares.ts';
import { StandbyWorkers } from './standby-workers.ts';
import { WarmRunners } from './warm-runners.ts';
import type { WorkerHome } from './worker-home.ts';
import type { LogMessage, RequestEnd } from './worker-message.ts';
import type { WorkerProcess, WorkerSite } from './worker-process.ts';
import { type CoreMounts, type WorkerSettings, Workers } from './workers.ts';

/**
 * The sites that are awake on this machine, and who gets the memory. That a site is awake at all comes first: for it, what
 * others have besides their first process goes, then whole sites, the longest unused first. A second process of a
 * site takes only what nobody else needs (docs/decisions/0018).
 */
export interface PoolSettings extends WorkerSettings {
  standbyWorkers: number;
  requestTimeoutMs: number;
  /** Stopped after so long without a request, even when there is memory. */
  idleTimeoutMs: number;
  /** How many processes one site may have for its visitors. */
  processesPerSite: number;
  /** A process is replaced after so many requests. */
  requestsPerProcess: number;
}

/** What a worker needs to run a site. */
export interface PoolSite {
  coreVersion: string;
  folder: string;
  worker: WorkerSite;
}

/** A site as the pool knows it. */
export interface PoolKey {
  id: string;
  /** Sites of one team share what they may have besides a process each. */
  team: string;
  /** Changes when the site must be started anew. */
  fingerprint: string;
}

export interface PoolEvents {
  /** PHP of the site may be about to run, or has just ended. */
  touched(siteId: string): void;
  finished(siteId: string, end: RequestEnd): void;
  /** PHP wrote to its error log, at this request. */
  logged(siteId: string, messages: LogMessage[], request: string | null): void;
  /** A process ended in the middle of this request, and nobody knows what it had changed by then. */
  broken(siteId: string, failure: SiteFailure | undefined, request: string | null): void;
  /** A process is the site's from now on. */
  assigned(siteId: string, worker: WorkerProcess): void;
  /** PHP of the site asks the site itself. */
  ownCall(siteId: string, connection: Socket): void;
}

interface KnownSite extends PoolKey {
  site: AwakeSite;
  /** When it last took a warm worker besides its first. */
  tookStandbyAt: number;
}

const RECYCLE_ABOVE_BYTES = 700 * 1024 * 1024;
const BEGIN_LIMIT_MS = 10_000;
/** A page takes a quarter of this. A process costs a second and 300 MB, and is not started for what is over in a moment. */
const GROW_AFTER_MS = 500;
const EXTRA_IDLE_MS = 60_000;
/** One team may have this part of all processes besides the first ones of its sites, and for its commands; a few in any case. */
const TEAM_SHARE = 1 / 4;
/** One command may read what another writes. */
const LEAST_COMMANDS = 2;
/** This part of all processes, one at least, stays for sites that wake: as room, or as a warm worker. */
const RESERVED_SHARE = 1 / 8;
/** A site that comes for more and more processes starts them cold, and leaves the warm ones to others. */
const STANDBY_AGAIN_MS = 60_000;
const WATCH_MS = 1_000;
const STOP_GRACE_MS = 3_000;
/** How long a site waits for others to make room, and how often it looks. */
const ROOM_WAIT_MS = 20_000;
const ROOM_LOOK_MS = 100;

export class WorkerPool {
  readonly #settings: PoolSettings;
  readonly #log: Log;
  readonly #events: PoolEvents;
  readonly #workers: Workers;
  readonly #standby: StandbyWorkers;
  /** Those that ran a command and may run the next one. */
  readonly runners = new WarmRunners();
  readonly commands: CommandShares;
  readonly #awake = new Map<string, KnownSite>();
  /** Sites that are on their way out. Several may be of one id: each time that its description changes, it is another. */
  readonly #stopping = new Map<string, Set<Promise<void>>>();
  readonly #watch: NodeJS.Timeout;

  constructor(
    settings: PoolSettings,
    log: Log,
    mountsOf: (coreVersion: string) => Promise<CoreMounts>,
    events: PoolEvents,
  ) {
    this.#settings = settings;
    this.#log = log;
    this.#events = events;
    this.#workers = new Workers(settings, log, mountsOf);
    this.commands = new CommandShares(Math.max(LEAST_COMMANDS, Math.floor(this.#workers.capacity * TEAM_SHARE)));
    this.#standby = new StandbyWorkers(this.#workers, settings.standbyWorkers, log);
    this.#watch = setInterval(() => {
      this.#lookAfter().catch((error) => log.warn({ err: error }, 'could not look after the workers'));
    }, WATCH_MS).unref();
  }

  open(makeHome: (folder: string) => WorkerHome): Promise<void> {
    return this.#workers.open(makeHome);
  }

  /** Keeps warm workers of this version at hand. */
  keepStandby(coreVersion: string): void {
    this.#standby.keep(coreVersion);
  }

  /** As `keepStandby`, unless there are some of another version. */
  keepSomeStandby(coreVersion: string): void {
    if (!this.#standby.isKept) this.#standby.keep(coreVersion);
  }

  /** Whether a site may be woken before anybody asks for it: warm workers are kept, and there is room beyond what is reserved. */
  get hasWarmth(): boolean {
    return this.#settings.standbyWorkers > 0 && this.#spare > 0;
  }

  /** How many workers are warm and wait. */
  get standbyReady(): number {
    return this.#standby.readyCount;
  }

  /** The site is described only when it is started. */
  wake(key: PoolKey, describe: () => PoolSite): AwakeSite {
    const known = this.#awake.get(key.id);
    if (known?.fingerprint === key.fingerprint) return known.site;
    if (known) this.#forget(known).catch(() => {});
    const { requestTimeoutMs, idleTimeoutMs, processesPerSite, requestsPerProcess } = this.#settings;
    const site: AwakeSite = new AwakeSite(
      {
        requestTimeoutMs,
        beginTimeoutMs: BEGIN_LIMIT_MS,
        processes: processesPerSite,
        growAfterMs: GROW_AFTER_MS,
        extraIdleMs: Math.min(EXTRA_IDLE_MS, idleTimeoutMs / 2),
        recycleAboveBytes: RECYCLE_ABOVE_BYTES,
        recycleAfterRequests: requestsPerProcess,
      },
      {
        start: (need, signal) => this.#start(waking, describe(), need, signal),
        touched: () => this.#events.touched(key.id),
        finished: (end) => this.#events.finished(key.id, end),
        logged: (messages, request) => this.#events.logged(key.id, messages, request),
        broken: (failure, request) => this.#events.broken(key.id, failure, request),
      },
    );
    const waking: KnownSite = { ...key, site, tookStandbyAt: Number.NEGATIVE_INFINITY };
    this.#awake.set(key.id, waking);
    return site;
  }

  /** Resolves when no process of the site is left, those of an earlier description included. */
  async stop(siteId: string): Promise<void> {
    const known = this.#awake.get(siteId);
    await Promise.all([known && this.#forget(known), this.runners.end(siteId), ...(this.#stopping.get(siteId) ?? [])]);
  }

  /** A worker for commands, not for visitors: for one of any program, or for those of wp-cli. */
  async runner(coreVersion: string, mode: 'run' | 'wp', signal?: AbortSignal): Promise<WorkerProcess> {
    await this.#makeRoom(signal);
    const worker = await this.#workers.spawn(coreVersion, mode);
    await worker.booted();
    return worker;
  }

  awake(): { siteId: string; worker: WorkerProcess }[] {
    return [...this.#awake.values()].flatMap(({ id, site }) => site.workers.map((worker) => ({ siteId: id, worker })));
  }

  /** Where the processes run. */
  get home(): WorkerHome {
    return this.#workers.home;
  }

  endOrphans(): Promise<void> {
    return this.#workers.endOrphans();
  }

  async close(): Promise<void> {
    clearInterval(this.#watch);
    await Promise.all([...this.#awake.values()].map((known) => this.#forget(known)));
    await this.#workers.close();
  }

  async #forget(known: KnownSite): Promise<void> {
    const { id, site } = known;
    if (this.#awake.get(id) === known) this.#awake.delete(id);
    const stopping = this.#stopping.get(id) ?? new Set();
    const stopped = site.stop(STOP_GRACE_MS).finally(() => {
      stopping.delete(stopped);
      if (stopping.size === 0) this.#stopping.delete(id);
    });
    this.#stopping.set(id, stopping.add(stopped));
    await stopped;
  }

  async #start(known: KnownSite, site: PoolSite, need: Need, signal: AbortSignal): Promise<WorkerProcess | undefined> {
    if (need === 'first') return this.#startFirst(known, site, signal);
    try {
      return await (need === 'successor'
        ? this.#startWarm(known, site, signal)
        : this.#startAnother(known, site, signal));
    } catch (error) {
      // The site goes on with those that it has.
      if (!signal.aborted) this.#log.warn({ err: error, siteId: known.id, need }, 'a process could not be started');
      throw error;
    }
  }

  async #startFirst(known: KnownSite, site: PoolSite, signal: AbortSignal): Promise<WorkerProcess> {
    const standby = this.#standby.take(site.coreVersion);
    if (standby) {
      try {
        return await this.#assign(standby, known, site, signal);
      } catch (error) {
        if (signal.aborted) throw error;
        this.#log.warn({ err: error }, 'a waiting worker could not take its site');
      }
    }
    await this.#makeRoom(signal);
    return this.#assign(await this.#workers.spawn(site.coreVersion, 'serve'), known, site, signal);
  }

  /** A process besides the first takes what is free and nothing else. */
  async #startAnother(known: KnownSite, site: PoolSite, signal: AbortSignal): Promise<WorkerProcess | undefined> {
    if (!this.#mayGrow(known)) return undefined;
    const isEarly = performance.now() - known.tookStandbyAt < STANDBY_AGAIN_MS;
    const standby = isEarly ? undefined : this.#standby.take(site.coreVersion);
    if (standby) known.tookStandbyAt = performance.now();
    else if (this.#workers.room <= 0) return undefined;
    const worker = standby ?? (await this.#workers.spawn(site.coreVersion, 'serve'));
    return this.#assign(worker, known, site, signal);
  }

  #mayGrow({ team }: KnownSite): boolean {
    const extras = [...this.#awake.values()]
      .filter((each) => each.team === team)
      .reduce((sum, each) => sum + each.site.extraCount, 0);
    // The one that asks has counted itself.
    const isWithinShare = extras <= Math.max(1, Math.floor(this.#workers.capacity * TEAM_SHARE));
    return isWithinShare && this.#spare > 0 && this.#workers.measuredRoom > 0;
  }

  /** How many processes could be started and still leave enough for sites that wake. */
  get #spare(): number {
    const reserved = Math.max(1, Math.floor(this.#workers.capacity * RESERVED_SHARE));
    return this.#workers.room + this.#standby.count - reserved;
  }

  /** Nobody waits for it yet, so that it has the time to become warm. */
  async #startWarm(known: KnownSite, site: PoolSite, signal: AbortSignal): Promise<WorkerProcess | undefined> {
    if (this.#workers.room <= 0) return undefined;
    const worker = await this.#workers.spawn(site.coreVersion, 'serve');
    worker.setPriority('background');
    return this.#prepare(worker, signal, async () => {
      await this.#workers.warm(worker, site.coreVersion);
      worker.setPriority('normal');
      await this.#give(worker, known, site);
    });
  }

  #assign(worker: WorkerProcess, known: KnownSite, site: PoolSite, signal: AbortSignal): Promise<WorkerProcess> {
    return this.#prepare(worker, signal, async () => {
      await worker.booted();
      await this.#give(worker, known, site);
    });
  }

  async #give(worker: WorkerProcess, { id }: KnownSite, site: PoolSite): Promise<void> {
    await worker.assign(site.folder, site.worker, (connection) => this.#events.ownCall(id, connection));
    this.#events.assigned(id, worker);
  }

  /** Whatever goes wrong until the worker is ready, and whoever stops the site meanwhile, nothing is left of it. */
  async #prepare(worker: WorkerProcess, signal: AbortSignal, work: () => Promise<void>): Promise<WorkerProcess> {
    const giveUp = () => worker.kill('stopped', 'The site was stopped.');
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      if (signal.aborted) giveUp();
      await work();
      return worker;
    } catch (error) {
      worker.kill('start', 'PHP could not be started.');
      throw error;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  /** Ends what is needed least until one more fits; where all are at work, waits for one of them. */
  async #makeRoom(signal?: AbortSignal): Promise<void> {
    for (const end = performance.now() + ROOM_WAIT_MS; this.#workers.room <= 0; ) {
      if (signal?.aborted) throw new SiteFailure('stopped', 'The site was stopped.');
      if (await this.#giveWay()) continue;
      if (performance.now() > end || this.#workers.isClosed)
        throw new SiteFailure('overload', 'Too many sites are at work on this machine.');
      await sleep(ROOM_LOOK_MS);
    }
  }

  /** True where a process has ended for somebody else. */
  async #giveWay(): Promise<boolean> {
    if (await this.runners.drop()) return true;
    const sites = [...this.#awake.values()];
    const idleExtra = sites
      .filter(({ site }) => site.extraIdleSince !== undefined)
      .sort((a, b) => (a.site.extraIdleSince ?? 0) - (b.site.extraIdleSince ?? 0))[0];
    if (idleExtra) {
      await idleExtra.site.shrink();
      return true;
    }
    const idle = sites.filter(({ site }) => site.isIdle).sort((a, b) => a.site.lastUsedAt - b.site.lastUsedAt)[0];
    if (idle) {
      // Where it could not be ended, the next one is.
      await this.#forget(idle).catch((error) => this.#log.warn({ err: error }, 'a site could not be stopped'));
      return true;
    }
    if (await this.#standby.drop()) return true;
    this.#askForExtra();
    return false;
  }

  /** Has one extra process leave, when it is done with what it does; one after another. */
  #askForExtra(): void {
    const sites = [...this.#awake.values()].map(({ site }) => site);
    if (sites.some((site) => site.isShrinking)) return;
    const [largest] = sites.filter((site) => site.extraCount > 0).sort((a, b) => b.extraCount - a.extraCount);
    void largest?.shrink();
  }

  async #lookAfter(): Promise<void> {
    const now = performance.now();
    for (const known of this.#awake.values()) {
      const isUnused = known.site.isIdle && now - known.site.lastUsedAt > this.#settings.idleTimeoutMs;
      if (isUnused) this.#forget(known).catch((error) => this.#log.warn({ err: error }, 'a site could not be stopped'));
      else known.site.trim(now);
    }
    // A site has woken into what is kept for that, so that there has to be room for the next one; or some have grown.
    const isTight = this.#spare < 0 || this.#workers.measuredRoom < 0;
    if (isTight && !(await this.runners.drop())) this.#askForExtra();
    this.#workers.watchMemory();
    await this.#standby.refill();
  }
}
