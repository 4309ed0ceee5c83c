import { existsSync } from 'node:fs';
import { cp, lstat, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Duplex } from 'node:stream';
import { makeFolderDurably, moveDurably, placeDurably, syncFolder, syncMove } from '#core/durable-folder.ts';
import type { Log } from '#core/log.ts';
import type { Outbound } from '#core/outbound.ts';
import { requestSite } from '#runtimes/request.ts';
import {
  type AwakeProcess,
  type Command,
  type CommandResult,
  type FirstContent,
  type LoggedError,
  type OutgoingMail,
  type RunningSite,
  type Runtime,
  type RuntimeListener,
  type SiteDatabase,
  SiteFailure,
  type SiteFailureReason,
  type SiteHealth,
  type SiteSpec,
  type SiteStorage,
} from '#runtimes/runtime.ts';
import { signRequest } from '#runtimes/wordpress/access.ts';
import { writeConfig } from '#runtimes/wordpress/config-file.ts';
import { Distribution } from '#runtimes/wordpress/distribution.ts';
import { writeFirstContent } from '#runtimes/wordpress/first-content.ts';
import { phpMessagesIn, readPhpMessage } from '#runtimes/wordpress/php-errors.ts';
import type { ReleaseSource } from '#runtimes/wordpress/releases.ts';
import { commandName, runCommand } from './commands.ts';
import { SiteDatabaseProcess } from './database-process.ts';
import { copyImage, IMAGE_URL, Images, SQLITE_PATH } from './images.ts';
import { isMail, mailNames, readMail, readStatus } from './outbox.ts';
import { DATABASE_FILE, databaseFile, diskUsageBytes, makeSiteFolder, storageIn } from './site-folder.ts';
import { SqliteFile } from './sqlite-file.ts';
import type { LogMessage, RequestEnd } from './worker-message.ts';
import { WorkerPool } from './worker-pool.ts';
import type { WorkerOptions, WorkerProcess, WorkerSite } from './worker-process.ts';
import type { CoreMounts } from './workers.ts';

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
  requestTimeoutMs: number;
  idleTimeoutMs: number;
  /** How many processes one site may have for its visitors, where there is memory. */
  processesPerSite: number;
  /** After so many requests a process makes way for another. */
  requestsPerProcess: number;
  allowedNetworks: readonly string[];
  compiler: WorkerOptions['compiler'];
  /** Where newer versions of WordPress come from, where anywhere. */
  releases?: { outbound: Outbound; source: ReleaseSource };
}

const PHP_VERSION = '8.3';
const PLUGIN_FOLDER = join(import.meta.dirname, '../wordpress/plugin');
const HEALTH_TIMEOUT_MS = 30_000;
const WARM_UP_LIMIT_MS = 45_000;
const UPDATE_MS = 24 * 3600 * 1000;

export class PhpWasmRuntime implements Runtime {
  readonly #sitesFolder: string;
  readonly #archiveFolder: string;
  readonly #log: Log;
  readonly #distribution: Distribution;
  readonly #images: Images;
  readonly #pool: WorkerPool;
  readonly #listeners: RuntimeListener[] = [];
  /** The mails that listeners have been told of, for each site that has some. */
  readonly #knownMails = new Map<string, Set<string>>();
  /** The sites whose files some work has to itself, with a mark for each. */
  readonly #suspended = new Map<string, Set<symbol>>();
  /** The commands that run, by site. */
  readonly #commands = new Map<string, Set<WorkerProcess>>();
  #isWarmingUp = false;
  #answerOwnCall: ((siteId: string, connection: Duplex) => void) | undefined;
  #updates: NodeJS.Timeout | undefined;

  constructor(options: PhpWasmOptions) {
    const { dataDir, cacheDir, log } = options;
    this.#sitesFolder = join(dataDir, 'sites');
    this.#archiveFolder = join(dataDir, 'deleted-sites');
    this.#log = log;
    this.#distribution = new Distribution(cacheDir, options.releases, log);
    this.#images = new Images(join(cacheDir, 'images'), (version, folder) => this.#install(version, folder));
    this.#pool = new WorkerPool(
      { ...options, runFolder: join(dataDir, 'run'), phpVersion: PHP_VERSION },
      log,
      (version) => this.#mountsOf(version),
      {
        touched: (siteId) => this.#touched(siteId),
        finished: (siteId, end) => this.#finished(siteId, end),
        logged: (siteId, messages, request) => this.#logged(siteId, messages, request),
        broken: (siteId, failure, request) => this.#broken(siteId, failure, request),
        ownCall: (siteId, connection) => this.#ownCall(siteId, connection),
      },
    );
  }

  async open(): Promise<void> {
    for (const folder of [this.#sitesFolder, this.#archiveFolder]) await makeFolderDurably(folder, 0o700);
    await this.#pool.open();
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
    await this.#build(site, async (draft) => {
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

  async copy(source: SiteSpec, target: SiteSpec): Promise<void> {
    await this.#build(target, async (draft) => {
      await makeSiteFolder(draft);
      const copy = databaseFile(draft);
      const original = new SiteDatabaseProcess(databaseFile(this.#folderOf(source.id)), dirname(copy));
      await original.copyTo(copy).finally(() => original.close());
      await cp(this.contentFolder(source.id), join(draft, 'content'), {
        recursive: true,
        // A link could lead anywhere on this machine.
        filter: async (path) => !(await lstat(path)).isSymbolicLink(),
      });
      await moveDatabase(copy, target.url);
    });
  }

  async adopt(site: SiteSpec, fill: (storage: SiteStorage) => Promise<void>): Promise<void> {
    await this.#build(site, async (draft) => {
      await makeSiteFolder(draft);
      await fill(storageIn(draft));
      await moveDatabase(databaseFile(draft), site.url);
    });
  }

  async start(site: SiteSpec): Promise<RunningSite> {
    this.#requireOpen(site.id);
    // Where this process of the platform has never created a site, it has none at hand yet.
    this.#pool.keepSomeStandby(site.coreVersion);
    const { id, owner } = site;
    return this.#pool.wake({ id, owner, fingerprint: JSON.stringify(site) }, () => ({
      coreVersion: site.coreVersion,
      folder: this.#folderOf(site.id),
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

  async stop(siteId: string): Promise<void> {
    await this.#pool.stop(siteId);
  }

  async suspend(siteId: string): Promise<() => void> {
    const mark = Symbol(siteId);
    const marks = this.#suspended.get(siteId) ?? new Set();
    this.#suspended.set(siteId, marks.add(mark));
    const resume = () => {
      marks.delete(mark);
      if (marks.size === 0 && this.#suspended.get(siteId) === marks) this.#suspended.delete(siteId);
    };
    try {
      await this.#end(siteId);
      return resume;
    } catch (error) {
      resume();
      throw error;
    }
  }

  endOrphans(): Promise<void> {
    return this.#pool.endOrphans();
  }

  async archive(siteId: string): Promise<void> {
    await this.#end(siteId);
    await move(this.#folderOf(siteId), join(this.#archiveFolder, siteId));
  }

  async restore(siteId: string): Promise<void> {
    await move(join(this.#archiveFolder, siteId), this.#folderOf(siteId));
    this.#touched(siteId);
  }

  async delete(siteId: string): Promise<void> {
    await this.#end(siteId);
    for (const folder of [this.#folderOf(siteId), this.#draftOf(siteId), join(this.#archiveFolder, siteId)]) {
      await rm(folder, { recursive: true, force: true });
      await syncFolder(dirname(folder));
    }
  }

  async list(): Promise<string[]> {
    const names = await Promise.all([this.#sitesFolder, this.#archiveFolder].map((folder) => readdir(folder)));
    return [...new Set(names.flat().map((name) => name.replace(/\.draft$/, '')))];
  }

  async exec(site: SiteSpec, command: Command): Promise<CommandResult> {
    const requireOpen = () => command.asHolder || this.#requireOpen(site.id);
    requireOpen();
    const worker = await this.#pool.runner(site.coreVersion);
    const running = this.#commands.get(site.id) ?? new Set();
    this.#commands.set(site.id, running.add(worker));
    this.#touched(site.id);
    try {
      // Some work may have taken the site while the worker started.
      requireOpen();
      const result = await runCommand(worker, this.#folderOf(site.id), this.#workerSite(site), command, (connection) =>
        this.#ownCall(site.id, connection),
      );
      const messages = phpMessagesIn(result.stderr).map((text) => ({ atMs: Date.now(), text }));
      if (messages.length > 0 && !site.isOffline) this.#logged(site.id, messages, commandName(command));
      return result;
    } finally {
      worker.kill('stopped', 'The command is over.');
      running.delete(worker);
      if (running.size === 0 && this.#commands.get(site.id) === running) this.#commands.delete(site.id);
      this.#touched(site.id);
      this.#changed(site.id);
    }
  }

  contentFolder(siteId: string): string {
    return join(this.#folderOf(siteId), 'content');
  }

  storage(siteId: string): SiteStorage {
    return storageIn(this.#folderOf(siteId));
  }

  coreFolder(coreVersion: string): string {
    return this.#distribution.coreFolder(coreVersion);
  }

  async database(siteId: string): Promise<SiteDatabase> {
    const database = new SiteDatabaseProcess(databaseFile(this.#folderOf(siteId)));
    database.onWrite = () => this.#touched(siteId);
    return database;
  }

  async health(site: SiteSpec): Promise<SiteHealth> {
    const path = '/.siteyard/health';
    const headers = signRequest(site, { method: 'GET', path });
    const answer = await requestSite(this, site, { method: 'GET', path, headers, timeoutMs: HEALTH_TIMEOUT_MS });
    const report =
      answer.status === 200 ? JSON.parse(answer.body.toString()) : { problems: [`It answers with ${answer.status}.`] };
    return {
      ok: report.problems.length === 0,
      coreVersion: report.core_version ?? site.coreVersion,
      phpVersion: report.php_version ?? site.phpVersion,
      problems: report.problems,
    };
  }

  diskUsageBytes(siteId: string): Promise<number> {
    return diskUsageBytes(this.#folderOf(siteId));
  }

  outgoingMail(siteId: string): AsyncIterable<OutgoingMail> {
    return readMail(join(this.#folderOf(siteId), 'outbox'));
  }

  async hasOutgoingMail(siteId: string): Promise<boolean> {
    return (await mailNames(join(this.#folderOf(siteId), 'outbox'))).length > 0;
  }

  listen(listener: RuntimeListener): void {
    this.#listeners.push(listener);
  }

  answerOwnCalls(answer: (siteId: string, connection: Duplex) => void): void {
    this.#answerOwnCall = answer;
  }

  awake(): AwakeProcess[] {
    return this.#pool.awake().map(({ siteId, worker: { pid, memoryBytes } }) => ({ siteId, pid, memoryBytes }));
  }

  /** How many warm workers wait for a site. */
  get standbyReady(): number {
    return this.#pool.standbyReady;
  }

  close(): Promise<void> {
    clearInterval(this.#updates);
    return this.#pool.close();
  }

  /** A platform without sites needs no warm PHP, and its memory is better left alone. */
  async #prepareStandby(): Promise<void> {
    try {
      const { coreVersion } = await this.prepared();
      if ((await readdir(this.#sitesFolder)).length > 0) this.#pool.keepStandby(coreVersion);
    } catch (error) {
      this.#log.warn({ err: error }, 'WordPress could not be prepared; it is tried again for the next site');
    }
  }

  /** New sites get the newest WordPress; those that exist stay where they are until somebody moves them. */
  async #update(): Promise<void> {
    if (await this.#distribution.update()) await this.#prepareStandby();
  }

  /** Every process of the site, commands included. */
  async #end(siteId: string): Promise<void> {
    const commands = [...(this.#commands.get(siteId) ?? [])];
    for (const worker of commands) worker.kill('stopped', 'The site is being worked on.');
    await Promise.all([this.stop(siteId), ...commands.map(({ closed }) => closed)]);
  }

  #ownCall(siteId: string, connection: Duplex): void {
    if (this.#answerOwnCall) this.#answerOwnCall(siteId, connection);
    else connection.on('error', () => {}).end(NOBODY_ANSWERS);
  }

  #requireOpen(siteId: string): void {
    if (this.#suspended.has(siteId)) throw new SiteFailure('stopped', 'The site is being worked on.');
  }

  #folderOf(siteId: string): string {
    return join(this.#sitesFolder, siteId);
  }

  #draftOf(siteId: string): string {
    return `${this.#folderOf(siteId)}.draft`;
  }

  /** A site's folder appears when it is complete, and lasts; an earlier attempt's is replaced. */
  async #build(site: SiteSpec, fill: (draft: string) => Promise<void>): Promise<void> {
    const draft = this.#draftOf(site.id);
    await fill(draft);
    await this.stop(site.id);
    await rm(this.#folderOf(site.id), { recursive: true, force: true });
    await placeDurably(draft, this.#folderOf(site.id));
    this.#touched(site.id);
  }

  async #mountsOf(coreVersion: string): Promise<CoreMounts> {
    const tools = await this.#distribution.tools();
    const core = this.coreFolder(coreVersion);
    return {
      shared: [
        [LAYOUT.core, core],
        [LAYOUT.themes, join(core, 'wp-content', 'themes')],
        [LAYOUT.platform, PLUGIN_FOLDER],
        [SQLITE_PATH, tools.sqliteFolder],
        [LAYOUT.wpCli, tools.wpCliFolder],
      ],
      prepareWarmSite: async (slot) => {
        const image = await this.#images.of(coreVersion, PHP_VERSION);
        const folder = 'warm';
        await copyImage(image, join(slot, folder));
        return { ...this.#workerSite(imageSite(coreVersion)), folder };
      },
    };
  }

  async #install(coreVersion: string, siteFolder: string): Promise<void> {
    this.#log.info({ coreVersion }, 'preparing the image of new sites');
    const worker = await this.#pool.runner(coreVersion);
    const command: Command = {
      args: ['php', `${LAYOUT.platform}/install.php`],
      timeoutMs: 120_000,
      maxOutputBytes: 100_000,
    };
    const result = await runCommand(worker, siteFolder, this.#workerSite(imageSite(coreVersion)), command, () => {});
    if (!result.stdout.includes('"installed":true')) {
      throw new Error(`WordPress could not be installed: ${result.stdout} ${result.stderr}`.slice(0, 2_000));
    }
  }

  #workerSite(site: SiteSpec): WorkerSite {
    const config = writeConfig(site, {
      platformFolder: LAYOUT.platform,
      themesFolder: LAYOUT.themes,
      outboxFolder: LAYOUT.outbox,
      purgeMark: LAYOUT.purgeMark,
      database: {
        DB_NAME: 'wordpress',
        DB_USER: '',
        DB_PASSWORD: '',
        DB_HOST: 'localhost',
        DB_CHARSET: 'utf8mb4',
        DB_COLLATE: '',
        DB_ENGINE: 'sqlite',
        DB_DIR: `${LAYOUT.database}/`,
        DB_FILE: DATABASE_FILE,
        // The write-ahead log is not safe through this file system.
        SQLITE_JOURNAL_MODE: 'DELETE',
      },
    });
    const { id, isOffline, url } = site;
    return { folder: 'site', config, configName: id, isOffline, own: isOffline ? null : ownAddress(url) };
  }

  #touched(siteId: string): void {
    for (const listener of this.#listeners) listener.touched?.(siteId);
  }

  #changed(siteId: string): void {
    for (const listener of this.#listeners) listener.changed?.(siteId);
  }

  #logged(siteId: string, messages: readonly LogMessage[], request: string | null): void {
    const errors = messages.map(({ atMs, text }) => ({ atMs, request, ...readPhpMessage(withOwnPaths(text)) }));
    for (const listener of this.#listeners) listener.logged?.(siteId, errors);
  }

  #broken(siteId: string, failure: SiteFailure | undefined, request: string | null): void {
    this.#changed(siteId);
    // An offline site says not even that it was asked for something.
    if (!failure || request === null || !SITES_OWN_DOING.has(failure.reason)) return;
    const { message } = failure;
    const error: LoggedError = { atMs: Date.now(), level: 'fatal', message, file: null, line: null, request };
    for (const listener of this.#listeners) listener.logged?.(siteId, [error]);
  }

  #finished(siteId: string, { changed, outbox: names }: RequestEnd): void {
    // The answer says so too, but nobody may be left to read it.
    if (changed) this.#changed(siteId);
    const mails = new Set(names.filter(isMail));
    const known = this.#knownMails.get(siteId);
    const hasNew = [...mails].some((name) => !known?.has(name));
    if (mails.size > 0) this.#knownMails.set(siteId, mails);
    else this.#knownMails.delete(siteId);
    if (hasNew) for (const listener of this.#listeners) listener.mail?.(siteId);
    if (!names.includes('status.json')) return;
    readStatus(join(this.#folderOf(siteId), 'outbox')).then(
      (status) => {
        if (status) for (const listener of this.#listeners) listener.status?.(siteId, status);
      },
      (error) => this.#log.warn({ err: error, siteId }, 'could not read what a site told'),
    );
  }
}

/** Where things are for PHP; the worker program has the site's own folders in the same places. */
const LAYOUT = {
  core: '/site/wordpress',
  themes: '/site/themes',
  database: '/site/database',
  outbox: '/site/outbox',
  purgeMark: '/site/purge',
  platform: '/site/platform',
  wpCli: '/site/wp-cli',
} as const;

const SITES_OWN_DOING: ReadonlySet<SiteFailureReason> = new Set(['timeout', 'memory', 'crash']);

/** Paths as the owner knows them: below the folder of WordPress, where our themes appear too. */
function withOwnPaths(text: string): string {
  return text.replaceAll(`${LAYOUT.core}/`, '').replaceAll(`${LAYOUT.themes}/`, 'wp-content/themes/');
}

const NOBODY_ANSWERS = 'HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\nconnection: close\r\n\r\n';

function ownAddress(url: string): WorkerSite['own'] {
  const { hostname: host, port, protocol } = new URL(url);
  const isSecure = protocol === 'https:';
  return { host, port: Number(port || (isSecure ? 443 : 80)), isSecure };
}

function imageSite(coreVersion: string): SiteSpec {
  return {
    id: 'image',
    owner: 'platform',
    url: IMAGE_URL,
    coreVersion,
    phpVersion: PHP_VERSION,
    accessKey: 'image',
    saltKey: 'image',
    isCopy: true,
    isOffline: false,
    isDebugging: false,
  };
}

/** The database is its site's, so it is asked in a process of its own. */
async function moveDatabase(file: string, url: string): Promise<void> {
  const database = new SiteDatabaseProcess(file);
  await database.moveTo(url).finally(() => database.close());
}

/** Moves a site, to stay; where it is in its new place already, an earlier attempt has done it. */
async function move(from: string, to: string): Promise<void> {
  if (!existsSync(from)) {
    // That attempt may have been killed before it was sure.
    if (existsSync(to)) return syncMove(from, to);
    throw new Error('there is nothing left of this site');
  }
  await rm(to, { recursive: true, force: true });
  await moveDurably(from, to);
}
