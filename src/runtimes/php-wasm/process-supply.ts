import type { Socket } from 'node:net';
import type { Log } from '#core/log.ts';
import type { Places } from '#runtimes/turns/places.ts';
import type { Pressure } from '#runtimes/turns/pressure.ts';
import type { AwakeSite, Need } from './awake-site.ts';
import type { StandbyWorkers } from './standby-workers.ts';
import type { WorkerProcess, WorkerSite } from './worker-process.ts';
import type { Workers } from './workers.ts';

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

export interface KnownSite extends PoolKey {
  site: AwakeSite;
  /** When its turn began: it gave its first answer, or should have. */
  since: number;
  /** When it was given room; undefined once it has given an answer. */
  startingSince: number | undefined;
  /** When it last took a warm worker besides its first. */
  tookStandbyAt: number;
}

/** A site that comes for more and more processes starts them cold, and leaves the warm ones to others. */
const STANDBY_AGAIN_MS = 60_000;
/** Where a better process could not be started, those that are there do for so long. */
const BETTER_AGAIN_MS = 30_000;

export interface SupplyOptions {
  workers: Workers;
  standby: StandbyWorkers;
  places: Places;
  pressure: Pressure;
  log: Log;
  /** Whether a site may have one more besides its first. */
  mayGrow(known: KnownSite): boolean;
  /** A process is the site's from now on. */
  assigned(siteId: string, worker: WorkerProcess): void;
  ownCall(siteId: string, connection: Socket): void;
}

/** How a process comes to a site: a warm one, or one that is started, with all that can go wrong on the way. */
export class ProcessSupply {
  readonly #options: SupplyOptions;
  #isBettering = false;
  #betterNotBefore = 0;

  constructor(options: SupplyOptions) {
    this.#options = options;
  }

  /** Whether there is room and time for processes that are only better than those that are there. */
  get mayBetter(): boolean {
    const { workers, places } = this.#options;
    const isTime = !this.#isBettering && performance.now() >= this.#betterNotBefore;
    return isTime && workers.room > 0 && places.waiting === 0;
  }

  async start(known: KnownSite, site: PoolSite, need: Need, signal: AbortSignal): Promise<WorkerProcess | undefined> {
    if (need === 'first') return this.#startFirst(known, site, signal);
    try {
      if (need === 'another') return await this.#startAnother(known, site, signal);
      return await (need === 'better' ? this.#startBetter(known, site, signal) : this.#startWarm(known, site, signal));
    } catch (error) {
      // The site goes on with those that it has.
      if (!signal.aborted)
        this.#options.log.warn({ err: error, siteId: known.id, need }, 'a process could not be started');
      throw error;
    }
  }

  async #startFirst(known: KnownSite, site: PoolSite, signal: AbortSignal): Promise<WorkerProcess> {
    const { workers, standby, places, pressure, log } = this.#options;
    const { id: key, team } = known;
    const start = async () => {
      const warm = standby.take(site.coreVersion);
      try {
        if (warm) return await this.#assign(warm, known, site, signal);
      } catch (error) {
        if (signal.aborted) throw error;
        log.warn({ err: error }, 'a waiting worker could not take its site');
      }
      // Those that stand ready are of another version, and only their memory is of use.
      const after = warm || workers.room > 0 ? undefined : standby.drop();
      // Where many take turns, most of the machine's time would go into starts.
      const worker = await workers.spawn(site.coreVersion, 'serve', { isLean: pressure.isTooSmall(), after });
      return this.#assign(worker, known, site, signal);
    };
    const claim = { key, team, signal, isWanted: () => known.site.waitingCount > 0 };
    // Whatever it had before broke before it answered: from here on it waits, and does not start.
    known.startingSince = undefined;
    return places.take(claim, async () => {
      known.startingSince = performance.now();
      try {
        return await start();
      } catch (error) {
        known.startingSince = undefined;
        throw error;
      }
    });
  }

  /** A process besides the first takes what is free and nothing else. */
  async #startAnother(known: KnownSite, site: PoolSite, signal: AbortSignal): Promise<WorkerProcess | undefined> {
    const { workers, standby, mayGrow } = this.#options;
    if (!mayGrow(known)) return undefined;
    const isEarly = performance.now() - known.tookStandbyAt < STANDBY_AGAIN_MS;
    const warm = isEarly ? undefined : standby.take(site.coreVersion);
    if (warm) known.tookStandbyAt = performance.now();
    else if (workers.room <= 0) return undefined;
    const worker = warm ?? (await workers.spawn(site.coreVersion, 'serve'));
    return this.#assign(worker, known, site, signal);
  }

  /** For one site at a time: all of them together would keep the machine busy when it has just come to rest. */
  async #startBetter(known: KnownSite, site: PoolSite, signal: AbortSignal): Promise<WorkerProcess | undefined> {
    if (!this.mayBetter) return undefined;
    this.#isBettering = true;
    try {
      return await this.#startWarm(known, site, signal);
    } catch (error) {
      this.#betterNotBefore = performance.now() + BETTER_AGAIN_MS;
      throw error;
    } finally {
      this.#isBettering = false;
    }
  }

  /** Nobody waits for it yet, so that it has the time to become warm. */
  async #startWarm(known: KnownSite, site: PoolSite, signal: AbortSignal): Promise<WorkerProcess | undefined> {
    const { workers, places } = this.#options;
    if (workers.room <= 0 || places.waiting > 0) return undefined;
    const worker = await workers.spawn(site.coreVersion, 'serve');
    worker.startInBackground();
    return this.#prepare(worker, known, signal, async () => {
      await workers.warm(worker, site.coreVersion);
      worker.setPriority('normal');
      await this.#give(worker, known, site);
    });
  }

  #assign(worker: WorkerProcess, known: KnownSite, site: PoolSite, signal: AbortSignal): Promise<WorkerProcess> {
    return this.#prepare(worker, known, signal, async () => {
      await worker.booted();
      await this.#give(worker, known, site);
    });
  }

  async #give(worker: WorkerProcess, { id }: KnownSite, site: PoolSite): Promise<void> {
    this.#options.assigned(id, worker);
    await worker.assign(site.folder, site.worker, (connection) => this.#options.ownCall(id, connection));
  }

  /** Whatever goes wrong until the worker is ready, and whoever stops the site meanwhile, nothing is left of it. */
  async #prepare(
    worker: WorkerProcess,
    { team }: KnownSite,
    signal: AbortSignal,
    work: () => Promise<void>,
  ): Promise<WorkerProcess> {
    worker.team = team;
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
}
