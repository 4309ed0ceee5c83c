import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Log } from '#core/log.ts';
import { commandName } from '#runtimes/commands.ts';
import { AwakeSite } from '#runtimes/desks/awake-site.ts';
import { SiteEditors } from '#runtimes/editor/site-editors.ts';
import { FolderRuntime } from '#runtimes/folders/folder-runtime.ts';
import { isRunning, shortFolder } from '#runtimes/folders/run-folder.ts';
import { databaseFile, makeSiteFolder } from '#runtimes/folders/site-folder.ts';
import { SqliteFile } from '#runtimes/folders/sqlite-file.ts';
import type {
  AwakeProcess,
  Command,
  CommandResult,
  FirstContent,
  RunningSite,
  Runtime,
  SiteSpec,
} from '#runtimes/runtime.ts';
import type { Shell } from '#runtimes/shell/shell.ts';
import type { SiteShells } from '#runtimes/shell/site-shells.ts';
import type { TableChange } from '#runtimes/wordpress/dump/wordpress-tables.ts';
import { writeFirstContent } from '#runtimes/wordpress/first-content.ts';
import { Sandbox } from '#sandbox/sandbox.ts';
import type { SiteRequest } from './answer.ts';
import { type RunSql, writeEmptySite, writeTables } from './schema.ts';
import { answerRequest, leaveStatus } from './site.ts';
import { Turn } from './turn.ts';
import { runCommand } from './wp-commands.ts';

/**
 * The driver for tests and for whoever develops the platform: no PHP and no WordPress. A site is a small HTTP server in
 * this process that looks like WordPress at its edges; its content and its database are in its folder, as everywhere.
 */
export interface MemoryOptions {
  dataDir: string;
  cacheDir: string;
  log: Log;
  requestTimeoutMs: number;
  idleTimeoutMs: number;
  /** How many requests of one site are worked on at once. */
  requestsAtOnce: number;
}

const CORE_VERSION = '7.1.1';
const PHP_VERSION = '8.3';
/** No site begins with it. */
const NEWER_PHP_VERSION = '8.4';
const STOP_GRACE_MS = 3_000;
const WATCH_MS = 1_000;

interface Running {
  command: AbortController;
  done: Promise<unknown>;
}

export class MemoryRuntime extends FolderRuntime implements Runtime {
  readonly #options: MemoryOptions;
  readonly editors: SiteEditors;
  readonly #awake = new Map<string, { fingerprint: string; site: AwakeSite }>();
  /** Sites that are on their way out; several may be of one id. */
  readonly #stopping = new Map<string, Set<Promise<void>>>();
  readonly #commands = new Map<string, Set<Running>>();
  #runFolder = '';
  #sockets = 0;
  #watch: NodeJS.Timeout | undefined;
  readonly standbyReady = 0;
  readonly pressure = undefined;
  readonly #editorShells: Shell;

  constructor(options: MemoryOptions) {
    // What runs in here has no PHP to be kept from, and tests run on any machine.
    super(options.dataDir, options.log);
    this.#options = options;
    const { dataDir, cacheDir, log } = options;
    this.#editorShells = this.makeShell(dataDir, log);
    this.editors = new SiteEditors({
      ...this.editorOptions(),
      dataDir,
      cacheDir,
      log,
      shells: () => this.#openShells(),
    });
  }

  async open(): Promise<void> {
    await this.folders.open();
    await mkdir(join(this.coreFolder(CORE_VERSION), 'wp-content'), { recursive: true });
    this.#runFolder = join(this.#runRoot, String(process.pid));
    await rm(this.#runFolder, { recursive: true, force: true });
    await mkdir(this.#runFolder, { recursive: true, mode: 0o700 });
    await this.endOrphans();
    this.#watch = setInterval(() => this.#stopIdle(), WATCH_MS).unref();
  }

  async prepared(): Promise<{ coreVersion: string; phpVersion: string }> {
    return { coreVersion: CORE_VERSION, phpVersion: PHP_VERSION };
  }

  async requireCore(): Promise<void> {}

  async coreVersions(): Promise<string[]> {
    return [CORE_VERSION];
  }

  async phpVersions(): Promise<string[]> {
    return [NEWER_PHP_VERSION, PHP_VERSION];
  }

  create(site: SiteSpec, first: FirstContent): Promise<void> {
    return this.build(site, (draft) => this.#makeSite(draft, site, (run) => writeFirstContent(run, first, new Date())));
  }

  protected makeEmpty(draft: string, site: SiteSpec): Promise<void> {
    return this.#makeSite(draft, site, () => {});
  }

  protected async makeTables(draft: string, _site: SiteSpec, changes: TableChange[]): Promise<void> {
    const database = new SqliteFile(databaseFile(draft));
    await database.transaction((run) => writeTables(run, changes)).finally(() => database.close());
  }

  async #makeSite(draft: string, site: SiteSpec, first: (run: RunSql) => void): Promise<void> {
    await makeSiteFolder(draft);
    for (const name of ['plugins', 'themes', 'uploads']) await mkdir(join(draft, 'content', name));
    await writeFile(join(draft, 'content', 'index.php'), '[]');
    const database = new SqliteFile(databaseFile(draft));
    try {
      await database.transaction((run) => {
        writeEmptySite(run, site.url, Date.now());
        first(run);
      });
    } finally {
      database.close();
    }
  }

  async start(site: SiteSpec): Promise<RunningSite> {
    this.suspended.requireOpen(site.id);
    const fingerprint = JSON.stringify(site);
    const known = this.#awake.get(site.id);
    if (known?.fingerprint === fingerprint) return known.site;
    if (known) this.#forget(site.id).catch(() => {});
    const awake = this.#wake(site);
    this.#awake.set(site.id, { fingerprint, site: awake });
    return awake;
  }

  /** Every page is a quick one here. */
  async warmUp(): Promise<void> {}

  async stop(siteId: string): Promise<void> {
    await Promise.all([this.#forget(siteId), ...(this.#stopping.get(siteId) ?? [])]);
  }

  /** Whatever ran in a process that was killed ended with it; only its sockets are left. */
  async endOrphans(): Promise<void> {
    for (const pid of await readdir(this.#runRoot))
      if (!isRunning(Number(pid))) await rm(join(this.#runRoot, pid), { recursive: true, force: true });
  }

  async exec(site: SiteSpec, command: Command): Promise<CommandResult> {
    if (!command.asHolder) this.suspended.requireOpen(site.id);
    if (command.args[0] === 'bash') return this.runShell(site, command);
    const ending = new AbortController();
    const limits = [ending.signal, AbortSignal.timeout(command.timeoutMs), ...(command.signal ? [command.signal] : [])];
    const turn = this.#turn(site, commandName(command), AbortSignal.any(limits));
    this.listeners.touched(site.id);
    const done = runCommand(turn, command).finally(() => turn.end());
    const running = { command: ending, done };
    const all = this.#commands.get(site.id) ?? new Set();
    this.#commands.set(site.id, all.add(running));
    try {
      return await done;
    } finally {
      all.delete(running);
      if (all.size === 0 && this.#commands.get(site.id) === all) this.#commands.delete(site.id);
      this.listeners.touched(site.id);
      this.listeners.changed(site.id);
    }
  }

  coreFolder(coreVersion: string): string {
    return join(this.#options.dataDir, 'core', coreVersion);
  }

  awake(): AwakeProcess[] {
    return [...this.#awake].flatMap(([siteId, { site }]) =>
      Array.from({ length: site.deskCount }, () => ({ siteId, pid: process.pid, memoryBytes: 0 })),
    );
  }

  /** Opened with the first editor, which most tests never have; the shell stays the limited one. Its sites' files are ours. */
  async #openShells(): Promise<SiteShells | { missing: string }> {
    if (this.#editorShells.sites) return this.#editorShells.sites;
    const sandbox = await Sandbox.find(process.getuid?.() === 0 ? 'root' : 'user');
    if ('missing' in sandbox) return sandbox;
    await this.#editorShells.open(sandbox);
    return this.#editorShells.sites ?? { missing: 'it could not be opened' };
  }

  async close(): Promise<void> {
    clearInterval(this.#watch);
    await this.editors.close();
    await this.#editorShells.close();
    await this.shells.close();
    const ids = new Set([...this.#awake.keys(), ...this.#stopping.keys(), ...this.#commands.keys()]);
    await Promise.all([this.terminals.close(), ...[...ids].map((siteId) => this.end(siteId, 0))]);
    await rm(this.#runFolder, { recursive: true, force: true });
  }

  get #runRoot(): string {
    return shortFolder(join(this.#options.dataDir, 'run'));
  }

  /** Everything that runs of the site, commands included. */
  protected async end(siteId: string, graceMs = STOP_GRACE_MS): Promise<void> {
    const commands = [...(this.#commands.get(siteId) ?? [])];
    for (const { command } of commands) command.abort(new Error('The site is being worked on.'));
    await Promise.all([
      this.#forget(siteId, graceMs),
      this.shells.end(siteId),
      this.#editorShells.end(siteId),
      ...(this.#stopping.get(siteId) ?? []),
      ...commands.map(({ done }) => done),
    ]);
  }

  async #forget(siteId: string, graceMs = STOP_GRACE_MS): Promise<void> {
    const known = this.#awake.get(siteId);
    if (!known) return;
    this.#awake.delete(siteId);
    const all = this.#stopping.get(siteId) ?? new Set();
    const stopping = known.site.stop(graceMs).finally(() => {
      all.delete(stopping);
      if (all.size === 0 && this.#stopping.get(siteId) === all) this.#stopping.delete(siteId);
    });
    this.#stopping.set(siteId, all.add(stopping));
    await stopping;
  }

  #stopIdle(): void {
    for (const [siteId, { site }] of this.#awake) {
      const isIdle = performance.now() - (site.idleSince ?? Number.POSITIVE_INFINITY) > this.#options.idleTimeoutMs;
      if (isIdle) this.#forget(siteId).catch(() => {});
    }
  }

  #wake(site: SiteSpec): AwakeSite {
    const { requestTimeoutMs, requestsAtOnce } = this.#options;
    return new AwakeSite(
      { requestTimeoutMs, desks: requestsAtOnce },
      {
        newSocket: () => join(this.#runFolder, String(this.#sockets++)),
        ready: async () => {
          if (!existsSync(this.folders.of(site.id))) throw new Error('there is no such site');
        },
        touched: () => this.listeners.touched(site.id),
        answer: (request, response, signal) => this.#answer(site, request, response, signal),
        broken: (failure, request) => this.listeners.broken(site.id, failure, site.isOffline ? null : request),
      },
    );
  }

  #turn(site: SiteSpec, name: string, signal: AbortSignal): Turn {
    return new Turn({
      site,
      storage: this.folders.storage(site.id),
      outbox: this.folders.outbox(site.id),
      signal,
      name,
      logged: (error) => {
        if (!site.isOffline) this.listeners.logged(site.id, [error]);
      },
      // An offline site reaches not even itself.
      ownCall: (connection) => (site.isOffline ? connection.destroy() : this.answerOwnCall(site.id, connection)),
    });
  }

  async #answer(site: SiteSpec, incoming: IncomingMessage, response: ServerResponse, signal: AbortSignal) {
    const request = await readRequest(incoming);
    const turn = this.#turn(site, `${request.method} ${request.url}`, signal);
    try {
      const { status, headers, body } = await answerRequest(turn, request);
      const outbox = await leaveStatus(turn);
      const changed = turn.hasChanged && !site.isOffline;
      response.writeHead(status, { ...headers, ...(changed && { 'x-siteyard-purge': 'all' }) });
      response.end(body);
      this.listeners.finished(site.id, { changed, outbox });
    } finally {
      turn.end();
    }
  }
}

async function readRequest(incoming: IncomingMessage): Promise<SiteRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const { method = 'GET', url = '/', headers } = incoming;
  const at = url.indexOf('?');
  const [path, query] = at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)];
  return { method, url, path, query: new URLSearchParams(query), headers, body: Buffer.concat(chunks) };
}
