import type { Socket } from 'node:net';
import type { Log } from '#core/log.ts';
import type { RuntimePressure, SiteFailure } from '#runtimes/runtime.ts';
import { Places } from '#runtimes/turns/places.ts';
import { Pressure } from '#runtimes/turns/pressure.ts';
import { AwakeSite, LEAVE_GRACE_MS } from './awake-site.ts';
import { CommandShares } from './command-shares.ts';
import { MakingRoom } from './making-room.ts';
import { type KnownSite, type PoolKey, type PoolSite, ProcessSupply } from './process-supply.ts';
import { StandbyWorkers } from './standby-workers.ts';
import { WarmRunners } from './warm-runners.ts';
import type { WorkerHome } from './worker-home.ts';
import type { LogMessage, RequestEnd } from './worker-message.ts';
import type { WorkerProcess } from './worker-process.ts';
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
const WATCH_MS = 1_000;
const STOP_GRACE_MS = 3_000;

export class WorkerPool {
  readonly #settings: PoolSettings;
  readonly #log: Log;
  readonly #events: PoolEvents;
  readonly #workers: Workers;
  readonly #standby: StandbyWorkers;
  readonly #places: Places;
  readonly #pressure: Pressure;
  readonly #supply: ProcessSupply;
  readonly #room: MakingRoom;
  /** Commands that may be ended for others. */
  readonly #commandsAtWork = new Set<{ worker: WorkerProcess; team: string; since: number }>();
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
    this.#pressure = new Pressure(log);
    this.#room = new MakingRoom({
      workers: this.#workers,
      standby: this.#standby,
      runners: this.runners,
      pressure: this.#pressure,
      sites: () => [...this.#awake.values()],
      commands: () =>
        [...this.#commandsAtWork].map((each) => ({ ...each, spentMs: performance.now() - each.since, isRead: false })),
      putToSleep: (siteId) => this.stop(siteId, LEAVE_GRACE_MS),
      log,
    });
    this.#places = new Places(this.#room, this.#pressure);
    this.#supply = new ProcessSupply({
      workers: this.#workers,
      standby: this.#standby,
      places: this.#places,
      pressure: this.#pressure,
      log,
      mayGrow: (known) => this.#mayGrow(known),
      assigned: events.assigned,
      ownCall: events.ownCall,
    });
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

  keepNoStandby(): void {
    this.#standby.keepNone();
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
        isOutdated: ({ isLean }) => isLean && !this.#pressure.isTooSmall() && this.#supply.mayBetter,
      },
      {
        start: (need, signal) => this.#supply.start(waking, describe(), need, signal),
        touched: () => this.#events.touched(key.id),
        finished: (end) => {
          this.#room.answered(waking);
          this.#events.finished(key.id, end);
        },
        logged: (messages, request) => this.#events.logged(key.id, messages, request),
        broken: (failure, request) => this.#events.broken(key.id, failure, request),
      },
    );
    const waking: KnownSite = {
      ...key,
      site,
      since: performance.now(),
      startingSince: undefined,
      tookStandbyAt: Number.NEGATIVE_INFINITY,
    };
    this.#awake.set(key.id, waking);
    return site;
  }

  /** Resolves when no process of the site is left, those of an earlier description included. */
  async stop(siteId: string, graceMs = STOP_GRACE_MS): Promise<void> {
    const known = this.#awake.get(siteId);
    await Promise.all([
      known && this.#forget(known, graceMs),
      this.runners.end(siteId),
      ...(this.#stopping.get(siteId) ?? []),
    ]);
  }

  /** A worker for commands, not for visitors: for one of any program, or for those of wp-cli. */
  async runner(team: string, coreVersion: string, mode: 'run' | 'wp', signal?: AbortSignal): Promise<WorkerProcess> {
    const claim = { key: `commands of ${team}`, team, signal, isWanted: () => true };
    const worker = await this.#places.take(claim, () => {
      // A warm one was warmed for visitors, and only its memory is of use.
      const after = this.#workers.room > 0 ? undefined : this.#standby.drop();
      return this.#workers.spawn(coreVersion, mode, { after });
    });
    worker.team = team;
    await worker.booted();
    return worker;
  }

  /** A command that runs may be ended for others that wait, from now on until the returned function is called. */
  mayEnd(worker: WorkerProcess, team: string): () => void {
    const command = { worker, team, since: performance.now() };
    this.#commandsAtWork.add(command);
    return () => this.#commandsAtWork.delete(command);
  }

  /** For metrics and for the operator. */
  get pressure(): RuntimePressure {
    const { turnedAway, ended } = this.#pressure;
    const { usedBytes, budgetBytes } = this.#workers;
    return {
      waiting: this.#places.waiting,
      turnedAway,
      ended,
      usedBytes,
      budgetBytes,
      isTooSmall: this.#pressure.isTooSmall(),
    };
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
    this.#places.close();
    await Promise.all([...this.#awake.values()].map((known) => this.#forget(known)));
    await this.#workers.close();
  }

  async #forget(known: KnownSite, graceMs = STOP_GRACE_MS): Promise<void> {
    const { id, site } = known;
    if (this.#awake.get(id) === known) this.#awake.delete(id);
    const stopping = this.#stopping.get(id) ?? new Set();
    const stopped = site.stop(graceMs).finally(() => {
      stopping.delete(stopped);
      if (stopping.size === 0) this.#stopping.delete(id);
    });
    this.#stopping.set(id, stopping.add(stopped));
    await stopped;
  }

  #mayGrow({ team }: KnownSite): boolean {
    const extras = [...this.#awake.values()]
      .filter((each) => each.team === team)
      .reduce((sum, each) => sum + each.site.extraCount, 0);
    // The one that asks has counted itself.
    const isWithinShare = extras <= Math.max(1, Math.floor(this.#workers.capacity * TEAM_SHARE));
    return isWithinShare && this.#spare > 0 && this.#places.waiting === 0;
  }

  /** How many processes could be started and still leave enough for sites that wake. */
  get #spare(): number {
    const reserved = Math.max(1, Math.floor(this.#workers.capacity * RESERVED_SHARE));
    return this.#workers.room + this.#standby.count - reserved;
  }

  async #lookAfter(): Promise<void> {
    const now = performance.now();
    for (const known of this.#awake.values()) {
      const isUnused = known.site.isIdle && now - known.site.lastUsedAt > this.#settings.idleTimeoutMs;
      if (isUnused) this.#forget(known).catch((error) => this.#log.warn({ err: error }, 'a site could not be stopped'));
      else known.site.trim(now);
    }
    this.#workers.watchMemory();
    // A site has woken into what is kept for that, so that there has to be room for the next one; or some have grown.
    if (this.#spare < 0) this.#room.shrink();
    this.#room.keepWithinBudget();
    const { usedBytes, budgetBytes } = this.#workers;
    this.#pressure.look(
      { waiting: this.#places.waiting, longestMs: this.#places.longestMs(now), usedBytes, budgetBytes },
      now,
    );
    if (this.#places.waiting > 0) this.#places.look();
    else await this.#standby.refill();
  }
}
