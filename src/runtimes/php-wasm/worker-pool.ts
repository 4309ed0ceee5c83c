import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '#core/log.ts';
import { SiteFailure } from '#runtimes/runtime.ts';
import { AwakeSite } from './awake-site.ts';
import { clearSlots, type RequestEnd, WorkerProcess, type WorkerSite } from './worker-process.ts';

/**
 * The workers of this machine: one for each awake site, and a few that wait, warm, for the next site to wake. PHP takes
 * seconds to start, nearly all of it spent on compiling, and a warm worker has that behind it. Workers that nobody uses
 * are stopped when the memory set aside for them runs out, the longest unused first.
 */
export interface PoolSettings {
  runFolder: string;
  phpVersion: string;
  standbyWorkers: number;
  memoryBudgetBytes: number;
  requestTimeoutMs: number;
  /** Stopped after so long without a request, even when there is memory. */
  idleTimeoutMs: number;
  allowedNetworks: readonly string[];
}

/** What a worker needs to run a site. */
export interface PoolSite {
  coreVersion: string;
  folder: string;
  worker: WorkerSite;
}

/** What the pool is told about a version of WordPress. */
export interface CoreMounts {
  shared: readonly (readonly [path: string, folder: string])[];
  /** Copies the image into a folder that a worker is warmed on. */
  prepareWarmSite(folder: string): Promise<WorkerSite>;
}

export interface PoolEvents {
  /** PHP of the site may be about to run, or has just ended. */
  touched(siteId: string): void;
  finished(siteId: string, end: RequestEnd): void;
}

const TYPICAL_WORKER_BYTES = 400 * 1024 * 1024;
const RECYCLE_ABOVE_BYTES = 700 * 1024 * 1024;
/** PHP's own limit stops a request long before; this is for what PHP does not count. */
const KILL_ABOVE_BYTES = 1_300 * 1024 * 1024;
const WATCH_MS = 1_000;
const STOP_GRACE_MS = 3_000;
const REFILL_AFTER_FAILURE_MS = 30_000;
/** How long a site waits for others to make room, and how often it looks. */
const ROOM_WAIT_MS = 20_000;
const ROOM_LOOK_MS = 100;
/** The operating system takes 107 bytes, of which the slot and the name of the socket need some. */
const LONGEST_RUN_FOLDER = 70;
const BODY_LIMIT = '64M';

const INI: Record<string, string> = {
  // An extension is code for the process around PHP.
  enable_dl: '0',
  disable_functions: 'dl',
  display_errors: '0',
  log_errors: '1',
  memory_limit: '256M',
  upload_max_filesize: BODY_LIMIT,
  post_max_size: BODY_LIMIT,
  max_input_vars: '5000',
  // There is no system around PHP here that would bring certificates along.
  'openssl.cafile': '/site/wordpress/wp-includes/certificates/ca-bundle.crt',
  'curl.cainfo': '/site/wordpress/wp-includes/certificates/ca-bundle.crt',
  'opcache.enable': '1',
  'opcache.file_cache_only': '0',
  'opcache.file_cache': '',
  'opcache.memory_consumption': '96',
  'opcache.max_accelerated_files': '10000',
  // A plugin that was just changed is what the next request must run.
  'opcache.revalidate_freq': '0',
};

export class WorkerPool {
  readonly #settings: PoolSettings;
  readonly #log: Log;
  readonly #mountsOf: (coreVersion: string) => Promise<CoreMounts>;
  readonly #events: PoolEvents;
  readonly #awake = new Map<string, { site: AwakeSite; fingerprint: string }>();
  /** Every process of this pool, whatever it is for, and how many more are about to be. */
  readonly #workers = new Set<WorkerProcess>();
  #spawning = 0;
  readonly #standby: { worker: WorkerProcess; coreVersion: string; ready: boolean }[] = [];
  #standbyVersion: string | undefined;
  #isRefilling = false;
  #refillAfter = 0;
  readonly #watch: NodeJS.Timeout;
  #runFolder = '';
  #closed = false;

  constructor(
    settings: PoolSettings,
    log: Log,
    mountsOf: (coreVersion: string) => Promise<CoreMounts>,
    events: PoolEvents,
  ) {
    this.#settings = settings;
    this.#log = log;
    this.#mountsOf = mountsOf;
    this.#events = events;
    this.#watch = setInterval(() => {
      this.#watchWorkers().catch((error) => log.warn({ err: error }, 'could not look after the workers'));
    }, WATCH_MS).unref();
  }

  async open(): Promise<void> {
    const root = shortFolder(this.#settings.runFolder);
    await mkdir(root, { recursive: true, mode: 0o700 });
    // Several processes of the platform may share a data folder, each with workers of its own. What stands under our own
    // pid is of somebody who had it before.
    for (const owner of await readdir(root)) {
      if (Number(owner) === process.pid || !isRunning(Number(owner))) await clearSlots(join(root, owner));
    }
    this.#runFolder = join(root, String(process.pid));
    await mkdir(this.#runFolder, { recursive: true, mode: 0o700 });
  }

  /** Keeps warm workers of this version at hand. */
  keepStandby(coreVersion: string): void {
    if (this.#standbyVersion === coreVersion) return;
    this.#standbyVersion = coreVersion;
    for (const { worker } of this.#standby) worker.kill('stopped', 'Another version is wanted.');
    void this.#refillStandby();
  }

  /** How many workers are warm and wait. */
  get standbyReady(): number {
    return this.#standby.filter(({ ready }) => ready).length;
  }

  /** `fingerprint` changes when the site must be started anew. It is described only when it is started. */
  wake(siteId: string, fingerprint: string, describe: () => PoolSite): AwakeSite {
    const known = this.#awake.get(siteId);
    if (known?.fingerprint === fingerprint) return known.site;
    if (known) this.#forget(siteId, known.site).catch(() => {});
    const { requestTimeoutMs } = this.#settings;
    const awake: AwakeSite = new AwakeSite(
      { requestTimeoutMs, recycleAboveBytes: RECYCLE_ABOVE_BYTES },
      {
        startWorker: () => this.#startWorker(describe()),
        touched: () => this.#events.touched(siteId),
        finished: (end) => this.#events.finished(siteId, end),
      },
    );
    this.#awake.set(siteId, { site: awake, fingerprint });
    return awake;
  }

  async stop(siteId: string): Promise<void> {
    const known = this.#awake.get(siteId);
    if (known) await this.#forget(siteId, known.site);
  }

  /** A worker for one command, not for visitors. */
  async runner(coreVersion: string): Promise<WorkerProcess> {
    await this.#makeRoom();
    const worker = await this.#spawn(coreVersion, 'run');
    await worker.booted();
    return worker;
  }

  awake(): { siteId: string; worker: WorkerProcess }[] {
    return [...this.#awake].flatMap(([siteId, { site }]) =>
      site.worker?.alive ? [{ siteId, worker: site.worker }] : [],
    );
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#watch);
    await Promise.all([...this.#awake].map(([siteId, { site }]) => this.#forget(siteId, site)));
    for (const worker of this.#workers) worker.kill('stopped', 'The service stops.');
    await Promise.all([...this.#workers].map((worker) => worker.exited));
    await rm(this.#runFolder, { recursive: true, force: true });
  }

  async #forget(siteId: string, site: AwakeSite): Promise<void> {
    if (this.#awake.get(siteId)?.site === site) this.#awake.delete(siteId);
    await site.stop(STOP_GRACE_MS);
  }

  async #startWorker(site: PoolSite): Promise<WorkerProcess> {
    const standby = this.#takeStandby(site.coreVersion);
    if (standby) {
      try {
        return await this.#assign(standby, site);
      } catch (error) {
        this.#log.warn({ err: error }, 'a waiting worker could not take its site');
      }
    }
    await this.#makeRoom();
    return this.#assign(await this.#spawn(site.coreVersion, 'serve'), site);
  }

  async #assign(worker: WorkerProcess, site: PoolSite): Promise<WorkerProcess> {
    try {
      await worker.booted();
      await worker.assign(site.folder, site.worker);
      return worker;
    } catch (error) {
      worker.kill('start', 'PHP could not be started.');
      throw error;
    }
  }

  async #spawn(coreVersion: string, mode: 'serve' | 'run'): Promise<WorkerProcess> {
    this.#spawning++;
    try {
      const { shared } = await this.#mountsOf(coreVersion);
      if (this.#closed) throw new SiteFailure('stopped', 'The service stops.');
      const { phpVersion, allowedNetworks } = this.#settings;
      const slot = join(this.#runFolder, randomBytes(6).toString('hex'));
      const ini = mode === 'serve' ? INI : { ...INI, memory_limit: '512M', 'opcache.enable_cli': '0' };
      const worker = new WorkerProcess({ slot, mode, phpVersion, ini, shared, allowedNetworks, log: this.#log });
      this.#workers.add(worker);
      worker.exited.then(() => this.#workers.delete(worker));
      return worker;
    } finally {
      this.#spawning--;
    }
  }

  /** The warmest; one that is still being warmed is nearer to its first page than one that is yet to be started. */
  #takeStandby(coreVersion: string): WorkerProcess | undefined {
    const fitting = this.#standby.filter((one) => one.coreVersion === coreVersion && one.worker.alive);
    const taken = fitting.find(({ ready }) => ready) ?? fitting[0];
    if (!taken) return undefined;
    this.#standby.splice(this.#standby.indexOf(taken), 1);
    taken.worker.setBackground(false);
    return taken.worker;
  }

  /** One after another, so that warming never takes the machine away from visitors. */
  async #refillStandby(): Promise<void> {
    const version = this.#standbyVersion;
    const isFull = this.#standby.length >= this.#settings.standbyWorkers;
    if (!version || isFull || this.#isRefilling || this.#closed) return;
    if (Date.now() < this.#refillAfter || !this.#hasRoom()) return;
    this.#isRefilling = true;
    try {
      await this.#addStandby(version);
    } catch (error) {
      this.#refillAfter = Date.now() + REFILL_AFTER_FAILURE_MS;
      if (!this.#closed) this.#log.warn({ err: error }, 'a worker could not be warmed');
    } finally {
      this.#isRefilling = false;
    }
  }

  async #addStandby(version: string): Promise<void> {
    const worker = await this.#spawn(version, 'serve');
    const entry = { worker, coreVersion: version, ready: false };
    this.#standby.push(entry);
    worker.exited.then(() => {
      const index = this.#standby.indexOf(entry);
      if (index >= 0) this.#standby.splice(index, 1);
    });
    worker.setBackground(true);
    try {
      await worker.booted();
      const { prepareWarmSite } = await this.#mountsOf(version);
      const site = await prepareWarmSite(worker.slot);
      // A site may have taken it while it was cold.
      if (this.#standby.includes(entry)) await worker.warm(site);
      entry.ready = true;
    } catch (error) {
      // From here on it is the site's, and whoever waits for that one is told.
      if (!this.#standby.includes(entry)) return;
      worker.kill('start', 'It could not be warmed.');
      throw error;
    }
  }

  #hasRoom(): boolean {
    const count = this.#workers.size + this.#spawning;
    return count === 0 || (count + 1) * TYPICAL_WORKER_BYTES <= this.#settings.memoryBudgetBytes;
  }

  /** Stops the longest unused workers until one more fits; where all are at work, waits for one of them. */
  async #makeRoom(): Promise<void> {
    for (const end = Date.now() + ROOM_WAIT_MS; !this.#hasRoom(); ) {
      const idle = [...this.#awake].filter(([, { site }]) => site.isIdle);
      const [oldest] = idle.sort(([, a], [, b]) => a.site.lastUsedAt - b.site.lastUsedAt);
      const spare = this.#standby[0];
      if (oldest) await this.#forget(oldest[0], oldest[1].site);
      else if (spare) {
        spare.worker.kill('stopped', 'Its memory is needed.');
        await spare.worker.exited;
      } else if (Date.now() > end || this.#closed) {
        throw new SiteFailure('overload', 'Too many sites are at work on this machine.');
      } else await sleep(ROOM_LOOK_MS);
    }
  }

  async #watchWorkers(): Promise<void> {
    const now = Date.now();
    for (const [siteId, { site }] of this.#awake) {
      const isUnused = site.isIdle && now - site.lastUsedAt > this.#settings.idleTimeoutMs;
      if (isUnused) this.#forget(siteId, site).catch(() => {});
    }
    for (const worker of this.#workers) {
      await worker.measureMemory();
      if (worker.memoryBytes > KILL_ABOVE_BYTES) {
        worker.kill('memory', 'The site used more memory than a request may.');
      }
    }
    await this.#refillStandby();
  }
}

/** A socket's path can not be long, so for a data folder deep down the sockets are elsewhere, always in the same place. */
function shortFolder(folder: string): string {
  if (Buffer.byteLength(folder) <= LONGEST_RUN_FOLDER) return folder;
  return join(tmpdir(), `siteyard-${createHash('sha256').update(folder).digest('hex').slice(0, 12)}`);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
