import { dirname, join } from 'node:path';
import type { Log } from '#core/log.ts';
import type { Outbound } from '#core/outbound.ts';
import { requestSite } from '#runtimes/request.ts';
import type {
  AwakeProcess,
  Command,
  CommandResult,
  FirstContent,
  RunningSite,
  Runtime,
  RuntimePressure,
  SiteSpec,
} from '#runtimes/runtime.ts';
import type { ReleaseSource } from '#runtimes/wordpress/releases.ts';
import { WordPressRuntime } from '#runtimes/wordpress/wordpress-runtime.ts';
import { refuseUnknown } from '#runtimes/wordpress/wp-cli.ts';
import type { SandboxWish } from '#sandbox/sandbox.ts';
import { runCommand } from './commands.ts';
import { coreMounts } from './core-mounts.ts';
import { SiteCommands } from './site-commands.ts';
import { SiteRooms } from './site-rooms.ts';
import { findSandbox, homeWithoutSandbox, SandboxedHome } from './worker-home.ts';
import { WorkerPool } from './worker-pool.ts';
import type { WorkerSite } from './worker-process.ts';
import { PHP_VERSION, workerSite } from './worker-sites.ts';
import type { WorkerOptions } from './worker-start.ts';

/**
 * The driver that needs nothing but npm: PHP compiled to WebAssembly, a process for each awake site, and SQLite. A
 * site is a folder with its content and its database; WordPress itself stands once for all of them.
 */
export interface PhpWasmOptions {
  dataDir: string;
  cacheDir: string;
  log: Log;
  standbyWorkers: number;
  memoryBudgetBytes: number;
  /** What a process counts at least, where that is more than it uses. */
  leastProcessBytes?: number;
  requestTimeoutMs: number;
  idleTimeoutMs: number;
  /** How many processes one site may have for its visitors, where there is memory. */
  processesPerSite: number;
  /** After so many requests a process makes way for another. */
  requestsPerProcess: number;
  allowedNetworks: readonly string[];
  compiler: WorkerOptions['compiler'];
  /** What keeps PHP from everything else on this machine: the best that there is, a certain kind, or Node's permission model alone. */
  sandbox: SandboxWish;
  /** Where newer versions of WordPress come from, where anywhere. */
  releases?: { outbound: Outbound; source: ReleaseSource };
}

const WARM_UP_LIMIT_MS = 45_000;

export class PhpWasmRuntime extends WordPressRuntime implements Runtime {
  readonly #wanted: SandboxWish;
  readonly #cacheDir: string;
  readonly #pool: WorkerPool;
  readonly #commands: SiteCommands;
  readonly #rooms = new SiteRooms((siteId, bytes) => this.listeners.grew(siteId, bytes));
  #isWarmingUp = false;

  constructor(options: PhpWasmOptions) {
    super(options);
    const { dataDir, cacheDir, log } = options;
    this.#wanted = options.sandbox;
    this.#cacheDir = cacheDir;
    this.#pool = new WorkerPool(
      { ...options, runFolder: join(dataDir, 'run'), phpVersion: PHP_VERSION },
      log,
      (version) => coreMounts(this.images, this.distribution, version),
      {
        touched: (siteId) => this.listeners.touched(siteId),
        finished: (siteId, end) => this.listeners.finished(siteId, end),
        logged: (siteId, messages, request) => this.logged(siteId, messages, request),
        broken: (siteId, failure, request) => this.listeners.broken(siteId, failure, request),
        assigned: (siteId, worker) => this.#rooms.join(siteId, worker),
        ownCall: (siteId, connection) => this.answerOwnCall(siteId, connection),
      },
    );
    this.#commands = new SiteCommands({
      pool: this.#pool,
      folderOf: (siteId) => this.folders.of(siteId),
      workerSite: (site) => this.#workerSite(site),
      assigned: (siteId, worker) => this.#rooms.join(siteId, worker),
      ownCall: (siteId, connection) => this.answerOwnCall(siteId, connection),
      isSuspended: (siteId) => this.suspended.isSuspended(siteId),
    });
  }

  async open(): Promise<void> {
    await this.folders.open();
    const sandbox = await findSandbox(this.#wanted, this.#cacheDir, this.log);
    const { root } = this.folders;
    await this.#pool.open((folder) => {
      if (sandbox) return new SandboxedHome(sandbox, folder, [root, join(this.#cacheDir, 'images')]);
      return homeWithoutSandbox([root, dirname(folder), dirname(dirname(folder))], this.#cacheDir, this.log);
    });
    await this.shells.open(sandbox);
    await this.openPrograms(sandbox);
    this.keepUpdated(() => this.#prepareStandby());
  }

  prepared(): Promise<{ coreVersion: string; phpVersion: string }> {
    return this.prepareFor(PHP_VERSION);
  }

  async phpVersions(): Promise<string[]> {
    return [PHP_VERSION];
  }

  override create(site: SiteSpec, first: FirstContent): Promise<void> {
    // The first visitor is expected soon.
    this.#pool.keepStandby(site.coreVersion);
    return super.create(site, first);
  }

  protected async runInDraft(site: SiteSpec, siteFolder: string, command: Command): Promise<CommandResult> {
    const worker = await this.#pool.runner(site.team, site.coreVersion, 'run');
    return runCommand(worker, siteFolder, workerSite(site), command, () => {});
  }

  async start(site: SiteSpec): Promise<RunningSite> {
    this.suspended.requireOpen(site.id);
    // Where this process of the platform has never created a site, it has none at hand yet.
    this.#pool.keepSomeStandby(site.coreVersion);
    const { id, team } = site;
    return this.#pool.wake({ id, team, fingerprint: JSON.stringify(site) }, () => ({
      coreVersion: site.coreVersion,
      folder: this.folders.of(site.id),
      worker: this.#workerSite(site),
    }));
  }

  async warmUp(site: SiteSpec): Promise<void> {
    // One after another would keep those who create ten sites waiting for the first page of each.
    if (this.#isWarmingUp || !this.#pool.hasWarmth) return;
    this.#isWarmingUp = true;
    try {
      await requestSite(this, site, { method: 'GET', path: '/', timeoutMs: WARM_UP_LIMIT_MS });
    } catch (error) {
      this.log.info({ err: error, siteId: site.id }, 'a new site could not be warmed up; its first visitor wakes it');
    } finally {
      this.#isWarmingUp = false;
    }
  }

  stop(siteId: string): Promise<void> {
    return this.#pool.stop(siteId);
  }

  async endOrphans(): Promise<void> {
    await this.#pool.endOrphans();
    await this.shells.endOrphans();
    await this.endOrphanPrograms();
  }

  async exec(site: SiteSpec, command: Command): Promise<CommandResult> {
    const requireOpen = () => {
      if (!command.asHolder) this.suspended.requireOpen(site.id);
    };
    requireOpen();
    if (command.args[0] === 'bash') return this.runShell(site, command);
    const refusal = refuseUnknown(command);
    if (refusal) return refusal;
    // What has the site to itself holds everybody up, and waits for nobody.
    if (command.asHolder) return this.#runCommand(site, command, requireOpen);
    const release = await this.#pool.commands.take(site.team, command.signal);
    return this.#runCommand(site, command, requireOpen).finally(release);
  }

  #runCommand(site: SiteSpec, command: Command, requireOpen: () => void): Promise<CommandResult> {
    return this.told(site, command, () => this.#commands.run(site, command, requireOpen));
  }

  override setRoom(siteId: string, leftBytes: number): void {
    this.#rooms.set(siteId, leftBytes);
  }

  awake(): AwakeProcess[] {
    return this.#pool.awake().map(({ siteId, worker: { pid, memoryBytes } }) => ({ siteId, pid, memoryBytes }));
  }

  get pressure(): RuntimePressure {
    return this.#pool.pressure;
  }

  get standbyReady(): number {
    return this.#pool.standbyReady;
  }

  async close(): Promise<void> {
    await this.closeShared();
    await this.#pool.close();
  }

  override async delete(siteId: string): Promise<void> {
    await super.delete(siteId);
    await this.#endNeedlessStandby();
  }

  override async archive(siteId: string): Promise<void> {
    await super.archive(siteId);
    await this.#endNeedlessStandby();
  }

  async #endNeedlessStandby(): Promise<void> {
    if (await this.folders.isEmpty()) this.#pool.keepNoStandby();
  }

  /** A platform without sites needs no warm PHP, and its memory is better left alone. */
  async #prepareStandby(): Promise<void> {
    try {
      const { coreVersion } = await this.prepared();
      if (!(await this.folders.isEmpty())) this.#pool.keepStandby(coreVersion);
    } catch (error) {
      this.log.warn({ err: error }, 'WordPress could not be prepared; it is tried again for the next site');
    }
  }

  #workerSite(site: SiteSpec): WorkerSite {
    this.giveToOwner(site.id);
    return { ...workerSite(site), owner: this.ownerOf(site.id) };
  }

  protected override ownerOf(siteId: string): number | undefined {
    return this.#pool.home.ownerOf(siteId);
  }

  /** Every process of the site, commands included. */
  protected async end(siteId: string): Promise<void> {
    await Promise.all([this.#commands.end(siteId), this.stop(siteId), this.shells.end(siteId)]);
  }
}
