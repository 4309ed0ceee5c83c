import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '#core/log.ts';
import { isRunning, shortFolder } from '#runtimes/folders/run-folder.ts';
import { SiteFailure } from '#runtimes/runtime.ts';
import type { WorkerHome } from './worker-home.ts';
import { WorkerProcess, type WorkerSite } from './worker-process.ts';
import { clearSlots } from './worker-slots.ts';
import type { WorkerOptions } from './worker-start.ts';

/** Every PHP process of this service, whatever it is for, and how many more of them the memory takes. */
export interface WorkerSettings {
  runFolder: string;
  phpVersion: string;
  memoryBudgetBytes: number;
  /** What a process counts at least, where that is more than it uses. */
  leastProcessBytes?: number;
  allowedNetworks: readonly string[];
  compiler: WorkerOptions['compiler'];
}

/** What there is to know about a version of WordPress. */
export interface CoreMounts {
  shared: readonly (readonly [path: string, folder: string])[];
  /** Copies the image into a folder that a worker is warmed on. */
  prepareWarmSite(folder: string): Promise<WorkerSite>;
}

export interface SpawnOptions {
  /** It starts with less work and takes less memory, and its pages take longer. */
  isLean?: boolean;
  /** What has to be gone before. */
  after?: Promise<unknown> | undefined;
}

const TYPICAL_WORKER_BYTES = 400 * 1024 * 1024;
/** One that uses so much is not what a site is awake for. */
const GROWN_BYTES = 1.5 * TYPICAL_WORKER_BYTES;
/** So long after it has booted it has not come to its size yet. */
const YOUNG_MS = 10_000;
/** So many are measured at a time: each costs a look into /proc. */
const MEASURED_AT_A_TIME = 64;
/** PHP's own limit stops a request long before; this is for what PHP does not count. */
const KILL_ABOVE_BYTES = 1_300 * 1024 * 1024;
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

/** As PHP's own command line has it. */
const COMMAND_INI: Record<string, string> = {
  memory_limit: '512M',
  implicit_flush: '1',
  html_errors: '0',
  max_execution_time: '0',
};

/** wp-cli shows its help without a pager, and says what it can not do, where PHP has no calls to start programs with. */
const PROGRAM_CALLS = 'proc_open,proc_close';

export class Workers {
  readonly #settings: WorkerSettings;
  readonly #log: Log;
  readonly #mountsOf: (coreVersion: string) => Promise<CoreMounts>;
  readonly #workers = new Set<WorkerProcess>();
  /** How many are about to be. */
  #spawning = 0;
  #runFolder = '';
  #home: WorkerHome | undefined;
  #isClosed = false;
  /** How many of the usual size fit in all. One always does. */
  readonly capacity: number;

  constructor(settings: WorkerSettings, log: Log, mountsOf: (coreVersion: string) => Promise<CoreMounts>) {
    this.#settings = settings;
    this.#log = log;
    this.#mountsOf = mountsOf;
    this.capacity = Math.max(1, Math.floor(settings.memoryBudgetBytes / TYPICAL_WORKER_BYTES));
  }

  /** `makeHome` says where the processes run, given the folder for what that needs. */
  async open(makeHome: (folder: string) => WorkerHome): Promise<void> {
    const root = shortFolder(this.#settings.runFolder);
    await mkdir(root, { recursive: true, mode: 0o700 });
    // What stands under our own pid is of somebody who had it before.
    await clearSlots(join(root, String(process.pid)));
    // Whoever wants a site to themselves insists on it.
    await this.endOrphans().catch((error) => this.#log.warn({ err: error }, 'a killed service left PHP behind'));
    this.#runFolder = join(root, String(process.pid));
    await mkdir(this.#runFolder, { recursive: true, mode: 0o700 });
    this.#home = makeHome(join(this.#runFolder, 'room'));
  }

  get home(): WorkerHome {
    if (!this.#home) throw new Error('the workers are not open');
    return this.#home;
  }

  /** Several processes of the platform may share a data folder, each with workers of its own; those of a killed one go on. */
  async endOrphans(): Promise<void> {
    const root = shortFolder(this.#settings.runFolder);
    for (const owner of await readdir(root)) if (!isRunning(Number(owner))) await clearSlots(join(root, owner));
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** How many more fit beside what those that run really use. One always does. */
  get room(): number {
    if (this.#workers.size + this.#spawning === 0) return 1;
    return Math.floor((this.#settings.memoryBudgetBytes - this.usedBytes) / TYPICAL_WORKER_BYTES);
  }

  get budgetBytes(): number {
    return this.#settings.memoryBudgetBytes;
  }

  get usedBytes(): number {
    const bytes = [...this.#workers].map((worker) => this.#bytesOf(worker));
    return bytes.reduce((sum, each) => sum + each, this.#spawning * TYPICAL_WORKER_BYTES);
  }

  /** What each team has of it. */
  get held(): Map<string, number> {
    const held = new Map<string, number>();
    for (const worker of this.#workers)
      if (worker.team) held.set(worker.team, (held.get(worker.team) ?? 0) + this.#bytesOf(worker));
    return held;
  }

  /** The one that has grown most beyond what a process usually uses. */
  get largestGrown(): WorkerProcess | undefined {
    const grown = [...this.#workers].filter((worker) => worker.alive && worker.memoryBytes > GROWN_BYTES);
    return grown.sort((a, b) => b.memoryBytes - a.memoryBytes)[0];
  }

  /** What it uses; one that has just begun is about to use what all of them do. */
  #bytesOf({ memoryBytes, bootedAt }: WorkerProcess): number {
    const isYoung = bootedAt === undefined || performance.now() - bootedAt < YOUNG_MS;
    return Math.max(memoryBytes, isYoung ? TYPICAL_WORKER_BYTES : (this.#settings.leastProcessBytes ?? 0));
  }

  /** Its room is taken from this very moment on. */
  async spawn(
    coreVersion: string,
    mode: WorkerOptions['mode'],
    { isLean = false, after }: SpawnOptions = {},
  ): Promise<WorkerProcess> {
    this.#spawning++;
    try {
      await after;
      const { shared } = await this.#mountsOf(coreVersion);
      if (this.#isClosed) throw new SiteFailure('stopped', 'The service stops.');
      const { phpVersion, allowedNetworks } = this.#settings;
      const compiler = isLean ? 'baseline' : this.#settings.compiler;
      const slot = join(this.#runFolder, randomBytes(6).toString('hex'));
      const ini = {
        ...INI,
        // Who wants PHP to start with little work does not want it to think about its programs for long either.
        ...(compiler === 'baseline' && { 'opcache.optimization_level': '0' }),
        ...(mode !== 'serve' && {
          ...COMMAND_INI,
          'opcache.enable_cli': mode === 'wp' ? '1' : '0',
          'opcache.optimization_level': '0',
          ...(mode === 'wp' && { disable_functions: `${INI.disable_functions},${PROGRAM_CALLS}` }),
        }),
      };
      const worker = new WorkerProcess({
        slot,
        home: this.home,
        mode,
        phpVersion,
        ini,
        shared,
        allowedNetworks,
        compiler,
        log: this.#log,
      });
      worker.isLean = compiler !== this.#settings.compiler;
      this.#workers.add(worker);
      worker.closed.then(() => this.#workers.delete(worker));
      return worker;
    } finally {
      this.#spawning--;
    }
  }

  /** Lets a worker go through WordPress once, on a copy of the image, while it is nobody's yet. */
  async warm(worker: WorkerProcess, coreVersion: string, isWanted = () => true): Promise<void> {
    await worker.booted();
    const { prepareWarmSite } = await this.#mountsOf(coreVersion);
    const site = await prepareWarmSite(worker.slot);
    if (isWanted()) await worker.warm(site);
  }

  /** Ends those that use more memory than any request may. They are looked at in turns. */
  watchMemory(): void {
    const workers = [...this.#workers];
    const next = workers.splice(0, MEASURED_AT_A_TIME);
    for (const worker of next) {
      worker.measureMemory();
      if (worker.memoryBytes > KILL_ABOVE_BYTES) worker.kill('memory', 'The site used more memory than a request may.');
      // Behind the others, where it is looked at again when they have been.
      if (workers.length > 0 && this.#workers.delete(worker)) this.#workers.add(worker);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const worker of this.#workers) worker.kill('stopped', 'The service stops.');
    await Promise.all([...this.#workers].map((worker) => worker.exited));
    await rm(this.#runFolder, { recursive: true, force: true });
  }
}
