import { join } from 'node:path';
import type { Log } from '#core/log.ts';
import type { Outbound } from '#core/outbound.ts';
import { commandName } from '#runtimes/commands.ts';
import { SiteEditors } from '#runtimes/editor/site-editors.ts';
import { FolderRuntime } from '#runtimes/folders/folder-runtime.ts';
import { databaseFile } from '#runtimes/folders/site-folder.ts';
import { SqliteFile } from '#runtimes/folders/sqlite-file.ts';
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
import { Distribution } from '#runtimes/wordpress/distribution.ts';
import type { TableChange } from '#runtimes/wordpress/dump/wordpress-tables.ts';
import { writeFirstContent } from '#runtimes/wordpress/first-content.ts';
import { copyImage } from '#runtimes/wordpress/images.ts';
import { withOwnPaths } from '#runtimes/wordpress/layout.ts';
import { phpMessagesIn, readPhpMessage } from '#runtimes/wordpress/php-errors.ts';
import type { ReleaseSource } from '#runtimes/wordpress/releases.ts';
import { SiteImages } from '#runtimes/wordpress/site-images.ts';
import { refuseUnknown } from '#runtimes/wordpress/wp-cli.ts';
import type { SandboxWish } from '#sandbox/sandbox.ts';
import { runCommand } from './commands.ts';
import { coreMounts } from './core-mounts.ts';
import { SiteCommands } from './site-commands.ts';
import { SiteRooms } from './site-rooms.ts';
import { findSandbox, openHome, SandboxedHome } from './worker-home.ts';
import type { LogMessage } from './worker-message.ts';
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
const UPDATE_MS = 24 * 3600 * 1000;

export class PhpWasmRuntime extends FolderRuntime implements Runtime {
  readonly #log: Log;
  readonly #wanted: SandboxWish;
  readonly #cacheDir: string;
  readonly #distribution: Distribution;
  readonly #images: SiteImages;
  readonly #pool: WorkerPool;
  readonly #commands: SiteCommands;
  readonly #rooms = new SiteRooms((siteId, bytes) => this.listeners.grew(siteId, bytes));
  readonly editors: SiteEditors;
  #isWarmingUp = false;
  #updates: NodeJS.Timeout | undefined;

  constructor(options: PhpWasmOptions) {
    const { dataDir, cacheDir, log } = options;
    super(dataDir, log);
    this.#wanted = options.sandbox;
    this.#cacheDir = cacheDir;
    this.#log = log;
    this.#distribution = new Distribution(cacheDir, options.releases, log);
    this.editors = new SiteEditors({
      ...this.editorOptions(),
      dataDir,
      cacheDir,
      log,
      shells: async () => this.shells.sites ?? { missing: 'the start of the service says why' },
    });
    this.#images = new SiteImages({
      folder: join(cacheDir, 'images'),
      run: async (site, folder, command) => {
        const worker = await this.#pool.runner(site.team, site.coreVersion, 'run');
        return runCommand(worker, folder, workerSite(site), command, () => {});
      },
      log,
    });
    this.#pool = new WorkerPool(
      { ...options, runFolder: join(dataDir, 'run'), phpVersion: PHP_VERSION },
      log,
      (version) => coreMounts(this.#images, this.#distribution, version),
      {
        touched: (siteId) => this.listeners.touched(siteId),
        finished: (siteId, end) => this.listeners.finished(siteId, end),
        logged: (siteId, messages, request) => this.#logged(siteId, messages, request),
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
    const sandbox = await findSandbox(this.#wanted, this.#cacheDir, this.#log);
    const places = [this.folders.root, join(this.#cacheDir, 'images')];
    await this.#pool.open((folder) => (sandbox ? new SandboxedHome(sandbox, folder, places) : openHome));
    await this.shells.open(sandbox);
    await this.openPrograms(sandbox);
    // In the background: the platform serves before there is a WordPress, and the first site waits for it.
    void this.#prepareStandby().then(() => this.#update());
    this.#updates = setInterval(() => this.#update(), UPDATE_MS).unref();
  }

  async prepared(): Promise<{ coreVersion: string; phpVersion: string }> {
    await this.#distribution.tools();
    const [coreVersion] = await this.coreVersions();
    if (!coreVersion) throw new Error('there is no WordPress in the cache');
    await this.#images.of(coreVersion, PHP_VERSION);
    return { coreVersion, phpVersion: PHP_VERSION };
  }

  coreVersions(): Promise<string[]> {
    return this.#distribution.coreVersions();
  }

  async create(site: SiteSpec, first: FirstContent): Promise<void> {
    const image = await this.#images.of(site.coreVersion, site.phpVersion);
    // The first visitor is expected soon.
    this.#pool.keepStandby(site.coreVersion);
    await this.build(site, async (draft) => {
      await copyImage(image, draft);
      const database = new SqliteFile(databaseFile(draft));
      try {
        await database.moveTo(site.url);
        await database.transaction((run) => writeFirstContent(run, first, new Date()));
      } finally {
        database.close();
      }
    });
  }

  protected async makeEmpty(draft: string, site: SiteSpec): Promise<void> {
    await copyImage(await this.#images.of(site.coreVersion, site.phpVersion), draft);
  }

  protected makeTables(draft: string, site: SiteSpec, changes: TableChange[]): Promise<void> {
    return this.#images.makeTables(draft, site, changes);
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
      this.#log.info({ err: error, siteId: site.id }, 'a new site could not be warmed up; its first visitor wakes it');
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

  async #runCommand(site: SiteSpec, command: Command, requireOpen: () => void): Promise<CommandResult> {
    this.listeners.touched(site.id);
    try {
      const result = await this.#commands.run(site, command, requireOpen);
      const messages = phpMessagesIn(result.stderr).map((text) => ({ atMs: Date.now(), text }));
      if (messages.length > 0 && !site.isOffline) this.#logged(site.id, messages, commandName(command));
      return result;
    } finally {
      this.listeners.touched(site.id);
      this.listeners.changed(site.id);
    }
  }

  override setRoom(siteId: string, leftBytes: number): void {
    this.#rooms.set(siteId, leftBytes);
  }

  coreFolder(coreVersion: string): string {
    return this.#distribution.coreFolder(coreVersion);
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
    clearInterval(this.#updates);
    await this.editors.close();
    await this.terminals.close();
    await this.shells.close();
    await this.closePrograms();
    await this.#pool.close();
  }

  /** A platform without sites needs no warm PHP, and its memory is better left alone. */
  async #prepareStandby(): Promise<void> {
    try {
      const { coreVersion } = await this.prepared();
      if (!(await this.folders.isEmpty())) this.#pool.keepStandby(coreVersion);
    } catch (error) {
      this.#log.warn({ err: error }, 'WordPress could not be prepared; it is tried again for the next site');
    }
  }

  /** New sites get the newest WordPress; those that exist stay where they are until somebody moves them. */
  async #update(): Promise<void> {
    if (await this.#distribution.update()) await this.#prepareStandby();
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

  #logged(siteId: string, messages: readonly LogMessage[], request: string | null): void {
    const errors = messages.map(({ atMs, text }) => ({ atMs, request, ...readPhpMessage(withOwnPaths(text)) }));
    this.listeners.logged(siteId, errors);
  }
}
