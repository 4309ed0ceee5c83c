import { join } from 'node:path';
import type { Log } from '#core/log.ts';
import type { Outbound } from '#core/outbound.ts';
import { commandName } from '#runtimes/commands.ts';
import { SiteEditors } from '#runtimes/editor/site-editors.ts';
import { FolderRuntime } from '#runtimes/folders/folder-runtime.ts';
import { endIn, endOrphans, makeRunFolder, shortFolder } from '#runtimes/folders/run-folder.ts';
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
import { ControlGroups } from '#sandbox/control-groups.ts';
import { Sandbox, type SandboxWish } from '#sandbox/sandbox.ts';
import { CompiledCore } from './compiled-core.ts';
import type { ErrorMessage } from './error-stream.ts';
import { FpmCommands } from './fpm-commands.ts';
import { FpmSite, type FpmSiteOptions } from './fpm-site.ts';
import { FpmSites } from './fpm-sites.ts';
import { PhpHome } from './php-home.ts';
import { findPhp, MachineLacksError, type PhpInstall } from './php-install.ts';

/**
 * The driver for a server: the machine's own PHP, a PHP-FPM for each site that is awake, each in a sandbox of its own. A site is a folder with
 * its content and its database; WordPress itself stands once for all of them.
 */
export interface FpmOptions {
  dataDir: string;
  cacheDir: string;
  log: Log;
  outbound: Outbound;
  memoryBudgetBytes: number;
  requestTimeoutMs: number;
  idleTimeoutMs: number;
  /** How many requests of one site are worked on at once. */
  processesPerSite: number;
  /** After so many requests a process makes way for another. */
  requestsPerProcess: number;
  sandbox: SandboxWish;
  /** Where newer versions of WordPress come from, where anywhere. */
  releases?: { source: ReleaseSource };
}

const WARM_UP_LIMIT_MS = 45_000;
const UPDATE_MS = 24 * 3600 * 1000;
/** A process of a site that has nothing to do ends after so long; the site stays awake. */
const PROCESS_IDLE_MS = 60_000;

export class FpmRuntime extends FolderRuntime implements Runtime {
  readonly #options: FpmOptions;
  readonly #log: Log;
  readonly #distribution: Distribution;
  readonly #images: SiteImages;
  readonly #compiled: CompiledCore;
  readonly #sites: FpmSites;
  readonly #commands = new FpmCommands(() => this.#opened.home);
  readonly editors: SiteEditors;
  readonly standbyReady = 0;
  #open: { home: PhpHome; groups: ControlGroups; folder: string; installs: [PhpInstall, ...PhpInstall[]] } | undefined;
  #sockets = 0;
  #updates: NodeJS.Timeout | undefined;
  #preparing: Promise<void> = Promise.resolve();

  constructor(options: FpmOptions) {
    const { dataDir, cacheDir, log } = options;
    super(dataDir, log);
    this.#options = options;
    this.#log = log;
    this.#distribution = new Distribution(
      cacheDir,
      options.releases && { outbound: options.outbound, ...options.releases },
      log,
    );
    this.editors = new SiteEditors({
      ...this.editorOptions(),
      dataDir,
      cacheDir,
      log,
      shells: async () => this.shells.sites ?? { missing: 'the start of the service says why' },
    });
    this.#images = new SiteImages({
      folder: join(cacheDir, 'images'),
      run: (site, folder, command) => this.#commands.run(site, folder, command),
      log,
    });
    this.#compiled = new CompiledCore({
      folder: join(cacheDir, 'compiled'),
      coreFolder: (version) => this.coreFolder(version),
      imageOf: (coreVersion, phpVersion) => this.#images.of(coreVersion, phpVersion),
      wake: (site, siteFolder, compileTo) => {
        const woken = new FpmSite(this.#optionsOf(site, siteFolder, compileTo));
        return { site: woken.awake, stop: () => woken.stop(0) };
      },
      log,
    });
    this.#sites = new FpmSites({
      idleTimeoutMs: options.idleTimeoutMs,
      memoryBudgetBytes: options.memoryBudgetBytes,
      optionsOf: (site) => this.#optionsOf(site),
      log,
    });
  }

  async open(): Promise<void> {
    const installs = await findPhp();
    const { sandbox: wanted, cacheDir, outbound } = this.#options;
    const sandbox = await Sandbox.find(wanted, [cacheDir]);
    if (!(sandbox instanceof Sandbox))
      throw new MachineLacksError(`RUNTIME=fpm runs PHP in a sandbox alone, and this machine has none: ${sandbox.missing}.`);
    await this.folders.open();
    const folder = await makeRunFolder(this.#runRoot);
    // First, since where groups are unified the service itself may step aside into the shells' ones.
    await this.shells.open(sandbox);
    const groups = ControlGroups.find('php');
    if (!groups.hasMemory) this.#log.warn('no kernel limits of memory for sites: this service may not make control groups');
    const { requestTimeoutMs, processesPerSite, requestsPerProcess, idleTimeoutMs } = this.#options;
    const hasOverlays = await sandbox.hasOverlays();
    if (!hasOverlays) this.#log.warn('no overlays on this machine: a site that wakes compiles WordPress anew');
    const home = new PhpHome({
      sandbox,
      groups,
      folder: join(folder, 'php'),
      installs,
      pool: {
        requestTimeoutMs,
        processes: processesPerSite,
        requestsPerProcess,
        idleMs: Math.min(PROCESS_IDLE_MS, idleTimeoutMs),
      },
      outbound,
      coreFolder: (version) => this.coreFolder(version),
      tools: () => this.#distribution.tools(),
      ownCall: (siteId, connection) => this.answerOwnCall(siteId, connection),
      hasOverlays,
      compiledOf: (site, php) => this.#compiled.of(site, php),
    });
    this.#open = { home, groups, folder, installs };
    await this.openPrograms(sandbox);
    this.#preparing = this.#prepare();
    void this.#preparing.then(() => this.#update());
    this.#updates = setInterval(() => this.#update(), UPDATE_MS).unref();
  }

  async prepared(): Promise<{ coreVersion: string; phpVersion: string }> {
    await this.#distribution.tools();
    const [coreVersion] = await this.coreVersions();
    if (!coreVersion) throw new Error('there is no WordPress in the cache');
    const [php] = this.#opened.installs;
    const phpVersion = php.version;
    await this.#images.of(coreVersion, phpVersion);
    return { coreVersion, phpVersion };
  }

  /** Resolves when WordPress was compiled for sites that wake, or could not be. */
  compiled(): Promise<void> {
    return this.#preparing;
  }

  coreVersions(): Promise<string[]> {
    return this.#distribution.coreVersions();
  }

  async create(site: SiteSpec, first: FirstContent): Promise<void> {
    const image = await this.#images.of(site.coreVersion, site.phpVersion);
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
    return this.#sites.wake(site);
  }

  async warmUp(site: SiteSpec): Promise<void> {
    try {
      await requestSite(this, site, { method: 'GET', path: '/', timeoutMs: WARM_UP_LIMIT_MS });
    } catch (error) {
      this.#log.info({ err: error, siteId: site.id }, 'a new site could not be warmed up; its first visitor wakes it');
    }
  }

  stop(siteId: string): Promise<void> {
    return this.#sites.stop(siteId);
  }

  async endOrphans(): Promise<void> {
    await endOrphans(this.#runRoot);
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
    this.listeners.touched(site.id);
    try {
      this.giveToOwner(site.id);
      const result = await this.#commands.run(site, this.folders.of(site.id), command, requireOpen);
      const messages = phpMessagesIn(result.stderr).map((text) => ({ atMs: Date.now(), text }));
      if (messages.length > 0 && !site.isOffline) this.#logged(site.id, messages, commandName(command));
      return result;
    } finally {
      this.listeners.touched(site.id);
      this.listeners.changed(site.id);
    }
  }

  coreFolder(coreVersion: string): string {
    return this.#distribution.coreFolder(coreVersion);
  }

  awake(): AwakeProcess[] {
    return this.#sites.awake();
  }

  get pressure(): RuntimePressure {
    return this.#sites.pressure;
  }

  async close(): Promise<void> {
    clearInterval(this.#updates);
    await this.editors.close();
    await this.terminals.close();
    await this.shells.close();
    await this.closePrograms();
    await Promise.all([this.#sites.close(), this.#commands.close()]);
    if (!this.#open) return;
    await endIn(this.#open.folder);
    await this.#open.groups.close();
  }

  /** Every process of the site, commands included. */
  protected async end(siteId: string): Promise<void> {
    await Promise.all([this.#commands.end(siteId), this.stop(siteId), this.shells.end(siteId)]);
  }

  protected override ownerOf(siteId: string): number | undefined {
    return this.#open?.home.ownerOf(siteId);
  }

  get #opened() {
    if (!this.#open) throw new Error('the runtime is not open');
    return this.#open;
  }

  get #runRoot(): string {
    return shortFolder(join(this.#options.dataDir, 'run'));
  }

  async #prepare(): Promise<void> {
    try {
      const { coreVersion } = await this.prepared();
      for (const php of this.#opened.installs) await this.#compiled.make(coreVersion, php);
    } catch (error) {
      this.#log.warn({ err: error }, 'WordPress could not be prepared');
    }
  }

  /** New sites get the newest WordPress; those that exist stay where they are until somebody moves them. */
  async #update(): Promise<void> {
    if (await this.#distribution.update()) await this.#prepare();
  }

  #optionsOf(site: SiteSpec, siteFolder = this.folders.of(site.id), compileTo?: string): FpmSiteOptions {
    const { requestTimeoutMs, processesPerSite } = this.#options;
    const { id } = site;
    return {
      site,
      folders: {
        core: this.coreFolder(site.coreVersion),
        content: join(siteFolder, 'content'),
        outbox: join(siteFolder, 'outbox'),
      },
      requestTimeoutMs,
      requestsAtOnce: processesPerSite,
      newSocket: () => join(this.#opened.folder, String(this.#sockets++)),
      enter: async () => {
        if (siteFolder === this.folders.of(id)) this.giveToOwner(id);
        return this.#opened.home.serve(site, siteFolder, compileTo);
      },
      touched: () => this.listeners.touched(id),
      finished: (end) => this.listeners.finished(id, end),
      logged: (messages, request) => this.#logged(id, messages, request),
      broken: (failure, request) => this.listeners.broken(id, failure, request),
    };
  }

  #logged(siteId: string, messages: readonly ErrorMessage[], request: string | null): void {
    const errors = messages.map(({ atMs, text }) => ({ atMs, request, ...readPhpMessage(withOwnPaths(text)) }));
    this.listeners.logged(siteId, errors);
  }
}
