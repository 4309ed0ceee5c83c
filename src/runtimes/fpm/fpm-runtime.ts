import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import type { Log } from '#core/log.ts';
import type { Outbound } from '#core/outbound.ts';
import { endIn, endOrphans, makeRunFolder, shortFolder } from '#runtimes/folders/run-folder.ts';
import { folderBytes } from '#runtimes/folders/site-folder.ts';
import { type DatabaseWish, type OpenDatabases, openDatabases } from '#runtimes/mariadb/open-databases.ts';
import { requestSite } from '#runtimes/request.ts';
import type {
  AwakeProcess,
  Command,
  CommandResult,
  RunningSite,
  Runtime,
  RuntimePressure,
  SiteShare,
  SiteSpec,
} from '#runtimes/runtime.ts';
import type { ReleaseSource } from '#runtimes/wordpress/releases.ts';
import { WordPressRuntime } from '#runtimes/wordpress/wordpress-runtime.ts';
import { refuseUnknown } from '#runtimes/wordpress/wp-cli.ts';
import { diskOf } from '#sandbox/disk-device.ts';
import { heldBytes } from '#sandbox/held-files.ts';
import type { SandboxWish } from '#sandbox/sandbox.ts';
import { CompiledCore } from './compiled-core.ts';
import { DatabaseRooms } from './database-rooms.ts';
import { DiskRooms } from './disk-rooms.ts';
import { FpmCommands } from './fpm-commands.ts';
import { type FpmGround, findGround, openGround } from './fpm-ground.ts';
import { FpmSite, type FpmSiteOptions } from './fpm-site.ts';
import { FpmSites, memoryLimitBytes } from './fpm-sites.ts';
import type { PhpInstall } from './php-install.ts';

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
  /** Which database sites have; SQLite where nothing is said. */
  databases?: DatabaseWish;
}

const WARM_UP_LIMIT_MS = 45_000;
/** A process of a site that has nothing to do ends after so long; the site stays awake. */
const PROCESS_IDLE_MS = 60_000;
const NO_ROOM = 'The site has no room left on its disk, and the command was ended.';

type Telling = Pick<FpmSiteOptions, 'touched' | 'finished' | 'logged' | 'broken'>;
/** What WordPress is compiled in is nobody's site: nobody is to hear of it. */
const SILENT: Telling = { touched() {}, finished() {}, logged() {}, broken() {} };

export class FpmRuntime extends WordPressRuntime implements Runtime {
  readonly #options: FpmOptions;
  readonly #compiled: CompiledCore;
  readonly #rooms: DiskRooms;
  readonly #databaseRooms: DatabaseRooms;
  readonly #sites: FpmSites;
  readonly #shares = new Map<string, SiteShare>();
  readonly #commands = new FpmCommands(() => this.#opened.home);
  readonly standbyReady = 0;
  #ground: FpmGround | undefined;
  #databases: OpenDatabases | undefined;
  #runFolder = '';
  #sockets = 0;
  #preparing: Promise<void> = Promise.resolve();

  constructor(options: FpmOptions) {
    const { outbound, releases, ...rest } = options;
    super({ ...rest, ...(releases && { releases: { ...releases, outbound } }) });
    this.#options = options;
    const { cacheDir, log } = options;
    this.#compiled = new CompiledCore({
      folder: join(cacheDir, 'compiled'),
      coreFolder: (version) => this.coreFolder(version),
      imageOf: (coreVersion, phpVersion) => this.images.of(coreVersion, phpVersion),
      wake: (site, siteFolder, compileTo) => {
        const whenRoom = <T>(_signal: AbortSignal, start: () => Promise<T>) => start();
        const woken = new FpmSite({ ...this.#optionsOf(site, siteFolder, compileTo), whenRoom });
        return { site: woken.awake, stop: () => woken.stop(0) };
      },
      log,
    });
    this.#databaseRooms = new DatabaseRooms({
      serverOf: (siteId) => this.folders.serverOf(siteId),
      folderOf: (siteId) => this.folders.of(siteId),
      log,
    });
    this.#rooms = new DiskRooms({
      usageBytes: (siteId) => this.diskUsageBytes(siteId),
      heldBytes: (siteId) => this.#heldBytes(siteId),
      grew: (siteId, bytes) => this.listeners.grew(siteId, bytes),
      end: (siteId) => {
        this.#databaseRooms.close(siteId);
        log.warn({ siteId }, 'a site has used up its storage and went on writing, so that it was ended');
        Promise.all([this.#sites.stop(siteId, 0), this.#commands.end(siteId, NO_ROOM)]).catch((error) =>
          log.warn({ err: error, siteId }, 'a site that has used up its storage could not be ended'),
        );
      },
    });
    this.#sites = new FpmSites({
      idleTimeoutMs: options.idleTimeoutMs,
      memoryBudgetBytes: options.memoryBudgetBytes,
      optionsOf: (site) => this.#optionsOf(site),
      rooms: this.#rooms,
      log,
    });
  }

  async open(): Promise<void> {
    const { sandbox: wanted, cacheDir, outbound, requestTimeoutMs, requestsPerProcess, idleTimeoutMs } = this.#options;
    const found = await findGround(wanted, cacheDir);
    await this.folders.open();
    await this.#openDatabases();
    this.#runFolder = await makeRunFolder(this.#runRoot);
    // First, since where groups are unified the service itself may step aside into the shells' ones.
    await this.shells.open(found.sandbox);
    const pool = {
      requestTimeoutMs,
      requestsPerProcess,
      processes: this.#options.processesPerSite,
      idleMs: Math.min(PROCESS_IDLE_MS, idleTimeoutMs),
    };
    const options = {
      pool,
      outbound,
      coreFolder: (version: string) => this.coreFolder(version),
      tools: () => this.distribution.tools(),
      ownCall: (siteId: string, connection: Duplex) => this.answerOwnCall(siteId, connection),
      compiledOf: (site: SiteSpec, php: PhpInstall) => this.#compiled.of(site, php),
      databaseOf: (site: SiteSpec, siteFolder: string) => this.folders.accessOf(site.id, siteFolder),
      shareOf: (siteId: string) => this.#shares.get(siteId),
      disk: diskOf(this.#options.dataDir),
    };
    const limitBytes = memoryLimitBytes(this.#options.memoryBudgetBytes);
    this.#ground = await openGround(found, this.#runFolder, options, limitBytes, this.log);
    await this.openPrograms(found.sandbox);
    this.keepUpdated(() => {
      this.#preparing = this.#prepare();
      return this.#preparing;
    });
  }

  prepared(): Promise<{ coreVersion: string; phpVersion: string }> {
    return this.prepareFor(this.#opened.installs[0].version);
  }

  async phpVersions(): Promise<string[]> {
    return this.#opened.installs.map(({ version }) => version);
  }

  /** Resolves when WordPress was compiled for sites that wake, or could not be. */
  compiled(): Promise<void> {
    return this.#preparing;
  }

  protected runInDraft(site: SiteSpec, siteFolder: string, command: Command): Promise<CommandResult> {
    return this.#commands.run(site, siteFolder, command);
  }

  async start(site: SiteSpec): Promise<RunningSite> {
    this.suspended.requireOpen(site.id);
    return this.#sites.wake(site);
  }

  async warmUp(site: SiteSpec): Promise<void> {
    try {
      await requestSite(this, site, { method: 'GET', path: '/', timeoutMs: WARM_UP_LIMIT_MS });
    } catch (error) {
      this.log.info({ err: error, siteId: site.id }, 'a new site could not be warmed up; its first visitor wakes it');
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
    return this.told(site, command, () => {
      this.giveToOwner(site.id);
      return this.#rooms.during(site.id, () =>
        this.#commands.run(site, this.folders.of(site.id), command, requireOpen),
      );
    });
  }

  override setRoom(siteId: string, leftBytes: number): void {
    this.#rooms.set(siteId, leftBytes);
    this.#databaseRooms.set(siteId, leftBytes);
  }

  override setShare(siteId: string, share: SiteShare): void {
    this.#shares.set(siteId, share);
    this.#sites.setProcesses(siteId, this.#processesOf(siteId));
    this.#ground?.home.limit(siteId);
  }

  awake(): AwakeProcess[] {
    return this.#sites.awake();
  }

  get pressure(): RuntimePressure {
    return this.#sites.pressure;
  }

  async close(): Promise<void> {
    await this.closeShared();
    await Promise.all([this.#sites.close(), this.#commands.close()]);
    if (this.#runFolder) await endIn(this.#runFolder);
    await this.#ground?.groups.close();
    await this.#databases?.close();
  }

  async #openDatabases(): Promise<void> {
    const { databases: wish, dataDir } = this.#options;
    this.#databases = wish && (await openDatabases(wish, dataDir, this.log));
    if (!wish || !this.#databases) return;
    this.folders.server = { databases: this.#databases.databases, isForNew: wish.newSites === 'mariadb' };
  }

  /** Every process of the site, commands included. */
  protected async end(siteId: string): Promise<void> {
    // It is told again when the site wakes.
    this.#shares.delete(siteId);
    await Promise.all([this.#commands.end(siteId), this.stop(siteId), this.shells.end(siteId)]);
  }

  protected override ownerOf(siteId: string): number | undefined {
    return this.#ground?.home.ownerOf(siteId);
  }

  #processesOf(siteId: string): number {
    const { processesPerSite } = this.#options;
    return Math.min(processesPerSite, this.#shares.get(siteId)?.processes ?? processesPerSite);
  }

  get #opened(): FpmGround {
    if (!this.#ground) throw new Error('the runtime is not open');
    return this.#ground;
  }

  get #runRoot(): string {
    return shortFolder(join(this.#options.dataDir, 'run'));
  }

  /** What is open and has no name, and what lies where PHP made its socket: whoever has the number of the service can write there. */
  async #heldBytes(siteId: string): Promise<number> {
    const master = this.#sites.masterOf(siteId);
    const pids = [...(master?.allPids ?? []), ...this.#commands.pidsOf(siteId)];
    const folders = [this.folders.of(siteId), this.#runFolder];
    const devices = new Set(await Promise.all(folders.map(async (folder) => (await stat(folder)).dev)));
    let bytes = master && pids.length > 0 ? await folderBytes([master.runFolder]) : 0;
    for (const device of devices) bytes += await heldBytes(pids, device);
    return bytes;
  }

  async #prepare(): Promise<void> {
    try {
      const { coreVersion } = await this.prepared();
      for (const php of this.#opened.installs) await this.#compiled.make(coreVersion, php);
    } catch (error) {
      this.log.warn({ err: error }, 'WordPress could not be prepared');
    }
  }

  #tellingOf(id: string): Telling {
    return {
      touched: () => this.listeners.touched(id),
      finished: (end) => this.listeners.finished(id, end),
      logged: (messages, request) => this.logged(id, messages, request),
      broken: (failure, request) => this.listeners.broken(id, failure, request),
    };
  }

  #optionsOf(
    site: SiteSpec,
    siteFolder = this.folders.of(site.id),
    compileTo?: string,
  ): Omit<FpmSiteOptions, 'whenRoom'> {
    const { requestTimeoutMs } = this.#options;
    const { id } = site;
    return {
      site,
      folders: {
        core: this.coreFolder(site.coreVersion),
        content: join(siteFolder, 'content'),
        outbox: join(siteFolder, 'outbox'),
      },
      requestTimeoutMs,
      requestsAtOnce: this.#processesOf(id),
      newSocket: () => join(this.#runFolder, String(this.#sockets++)),
      newFile: () => join(this.#runFolder, `body-${this.#sockets++}`),
      enter: async () => {
        if (siteFolder === this.folders.of(id)) this.giveToOwner(id);
        return this.#opened.home.serve(site, siteFolder, compileTo);
      },
      ...(compileTo === undefined ? this.#tellingOf(id) : SILENT),
    };
  }
}
