import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Log } from '#core/log.ts';
import { SiteFailure } from '#runtimes/runtime.ts';
import { AwakeSite } from './awake-site.ts';
import { clearSlots, WorkerProcess, type WorkerSite } from './worker-process.ts';

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
  id: string;
  /** Changes when the site must be started anew. */
  fingerprint: string;
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

const TYPICAL_WORKER_BYTES = 400 * 1024 * 1024;
const RECYCLE_ABOVE_BYTES = 700 * 1024 * 1024;
/** PHP's own limit stops a request long before; this is for what PHP does not count. */
const KILL_ABOVE_BYTES = 1_300 * 1024 * 1024;
const WATCH_MS = 1_000;
const STOP_GRACE_MS = 3_000;
const REFILL_DELAY_MS = 300;
const REFILL_AFTER_FAILURE_MS = 30_000;
const LONGEST_SOCKET_PATH = 100;
const BODY_LIMIT = '64M';

const INI: Record<string, string> = {
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
  readonly #finished: (siteId: string, outbox: string[]) => void;
  readonly #awake = new Map<string, { site: AwakeSite; fingerprint: string }>();
  readonly #standby: { worker: WorkerProcess; coreVersion: string; ready: boolean }[] = [];
  readonly #watch: NodeJS.Timeout;
  #runFolder: string;
  #standbyVersion: string | undefined;
  #refill: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(
    settings: PoolSettings,
    log: Log,
    mountsOf: (coreVersion: string) => Promise<CoreMounts>,
    finished: (siteId: string, outbox: string[]) => void,
  ) {
    this.#settings = settings;
    this.#runFolder = settings.runFolder;
    this.#log = log;
    this.#mountsOf = mountsOf;
    this.#finished = finished;
    this.#watch = setInterval(() => this.#watchWorkers(), WATCH_MS).unref();
  }

  async open(): Promise<void> {
    // Several processes of the platform may share a data folder, each with workers of its own.
    this.#runFolder = join(this.#settings.runFolder, String(process.pid));
    await mkdir(this.#runFolder, { recursive: true, mode: 0o700 });
    for (const owner of await readdir(this.#settings.runFolder)) {
      if (!isRunning(Number(owner))) await clearSlots(join(this.#settings.runFolder, owner));
    }
    // The operating system allows a socket's path no more than 107 bytes.
    if (Buffer.byteLength(this.#runFolder) > LONGEST_SOCKET_PATH - 20)
      this.#runFolder = await mkdtemp(join(tmpdir(), 'siteyard-'));
  }

  /** Keeps warm workers of this version at hand. */
  keepStandby(coreVersion: string): void {
    if (this.#standbyVersion === coreVersion) return;
    this.#standbyVersion = coreVersion;
    this.#refillSoon(0);
  }

  /** Resolves when a worker is warm and waits. */
  get standbyReady(): number {
    return this.#standby.filter(({ ready }) => ready).length;
  }

  wake(site: PoolSite): AwakeSite {
    const known = this.#awake.get(site.id);
    if (known?.fingerprint === site.fingerprint) return known.site;
    if (known) this.#forget(site.id, known.site);
    const { requestTimeoutMs } = this.#settings;
    const awake: AwakeSite = new AwakeSite(
      { requestTimeoutMs, recycleAboveBytes: RECYCLE_ABOVE_BYTES },
      {
        startWorker: () => this.#startWorker(site),
        finished: (outbox) => this.#finished(site.id, outbox),
      },
    );
    this.#awake.set(site.id, { site: awake, fingerprint: site.fingerprint });
    return awake;
  }

  async stop(siteId: string): Promise<void> {
    const known = this.#awake.get(siteId);
    if (known) await this.#forget(siteId, known.site);
  }

  /** A worker for one command, not for visitors. */
  async runner(coreVersion: string): Promise<WorkerProcess> {
    const worker = await this.#spawn(coreVersion, 'run');
    await worker.booted();
    return worker;
  }

  awake(): { siteId: string; worker: WorkerProcess; memoryBytes: number }[] {
    return [...this.#awake].flatMap(([siteId, { site }]) =>
      site.worker?.alive ? [{ siteId, worker: site.worker, memoryBytes: site.memoryBytes }] : [],
    );
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#watch);
    clearTimeout(this.#refill);
    for (const { worker } of this.#standby) worker.kill('stopped', 'The service stops.');
    await Promise.all([
      ...[...this.#awake].map(([siteId, { site }]) => this.#forget(siteId, site)),
      ...this.#standby.map(({ worker }) => worker.exited),
    ]);
    await rm(this.#runFolder, { recursive: true, force: true });
  }

  async #forget(siteId: string, site: AwakeSite): Promise<void> {
    if (this.#awake.get(siteId)?.site === site) this.#awake.delete(siteId);
    await site.stop(STOP_GRACE_MS);
  }

  async #startWorker(site: PoolSite): Promise<WorkerProcess> {
    if (this.#closed) throw new SiteFailure('stopped', 'The service stops.');
    await this.#makeRoom(site.id);
    const standby = this.#takeStandby(site.coreVersion);
    if (standby) {
      try {
        await standby.booted();
        await standby.assign(site.folder, site.worker);
        return standby;
      } catch (error) {
        this.#log.warn({ err: error }, 'a waiting worker could not take its site');
      }
    }
    const worker = await this.#spawn(site.coreVersion, 'serve');
    await worker.booted();
    await worker.assign(site.folder, site.worker);
    return worker;
  }

  async #spawn(coreVersion: string, mode: 'serve' | 'run'): Promise<WorkerProcess> {
    const { shared } = await this.#mountsOf(coreVersion);
    const { phpVersion, allowedNetworks } = this.#settings;
    const slot = join(this.#runFolder, randomBytes(6).toString('hex'));
    const ini = mode === 'serve' ? INI : { ...INI, memory_limit: '512M', 'opcache.enable_cli': '0' };
    return new WorkerProcess({ slot, mode, phpVersion, ini, shared, allowedNetworks, log: this.#log });
  }

  /** The warmest; one that is still being warmed is nearer to its first page than one that is yet to be started. */
  #takeStandby(coreVersion: string): WorkerProcess | undefined {
    const fitting = this.#standby.filter((one) => one.coreVersion === coreVersion && one.worker.alive);
    const taken = fitting.find(({ ready }) => ready) ?? fitting[0];
    if (!taken) return undefined;
    this.#standby.splice(this.#standby.indexOf(taken), 1);
    taken.worker.setBackground(false);
    this.#refillSoon(REFILL_DELAY_MS);
    return taken.worker;
  }

  #refillSoon(delayMs: number): void {
    clearTimeout(this.#refill);
    if (this.#closed) return;
    this.#refill = setTimeout(() => this.#addStandby(), delayMs).unref();
  }

  /** One after another, so that warming never takes the machine away from visitors. */
  async #addStandby(): Promise<void> {
    const version = this.#standbyVersion;
    const isFull = this.#standby.length >= this.#settings.standbyWorkers;
    const fits = this.#expectedBytes() + TYPICAL_WORKER_BYTES <= this.#settings.memoryBudgetBytes;
    if (!version || isFull || !fits || this.#closed) return;
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
      if (!this.#standby.includes(entry)) return;
      await worker.warm(site);
      entry.ready = true;
      this.#refillSoon(0);
    } catch (error) {
      if (!this.#standby.includes(entry)) return;
      worker.kill('start', 'It could not be warmed.');
      if (!this.#closed) this.#log.warn({ err: error }, 'a worker could not be warmed');
      this.#refillSoon(REFILL_AFTER_FAILURE_MS);
    }
  }

  #expectedBytes(): number {
    return (this.#awake.size + this.#standby.length) * TYPICAL_WORKER_BYTES;
  }

  /** Stops the longest unused workers until one more fits; where all are at work, one more is started all the same. */
  async #makeRoom(forSiteId: string): Promise<void> {
    const idle = [...this.#awake]
      .filter(([siteId, { site }]) => siteId !== forSiteId && site.isIdle)
      .sort(([, a], [, b]) => a.site.lastUsedAt - b.site.lastUsedAt);
    while (this.#expectedBytes() > this.#settings.memoryBudgetBytes) {
      const oldest = idle.shift();
      if (!oldest) return;
      await this.#forget(oldest[0], oldest[1].site);
    }
  }

  async #watchWorkers(): Promise<void> {
    const now = Date.now();
    for (const [siteId, { site }] of this.#awake) {
      if (site.isIdle && now - site.lastUsedAt > this.#settings.idleTimeoutMs) {
        this.#forget(siteId, site).catch(() => {});
        continue;
      }
      if (site.isIdle || !site.worker) continue;
      site.memoryBytes = await site.worker.memoryBytes();
      if (site.memoryBytes > KILL_ABOVE_BYTES) {
        site.worker.kill('memory', 'The site used more memory than a request may.');
      }
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
