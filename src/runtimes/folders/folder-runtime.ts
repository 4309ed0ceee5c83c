import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { InTurn } from '#core/in-turn.ts';
import type { Log } from '#core/log.ts';
import type { SiteEditors } from '#runtimes/editor/site-editors.ts';
import { type AnswerOwnCalls, refuseOwnCalls } from '#runtimes/own-calls.ts';
import type {
  Adaptation,
  ArchivedSite,
  ArchiveSource,
  Command,
  CommandResult,
  DatabaseKind,
  OutgoingMail,
  Program,
  ProgramOptions,
  RunningSite,
  RuntimeListener,
  ShellKind,
  SiteDatabase,
  SiteHealth,
  SiteShare,
  SiteSpec,
  SiteStorage,
  Terminal,
  TerminalOptions,
} from '#runtimes/runtime.ts';
import { Shell } from '#runtimes/shell/shell.ts';
import type { SiteShells } from '#runtimes/shell/site-shells.ts';
import { SiteTerminals } from '#runtimes/shell/site-terminals.ts';
import { missingTables, type TableChange } from '#runtimes/wordpress/dump/wordpress-tables.ts';
import { askHealth } from '#runtimes/wordpress/health.ts';
import type { Sandbox } from '#sandbox/sandbox.ts';
import { ImportFolders } from './import-process.ts';
import { findTheme, knownColumns, takeContent } from './imported-site.ts';
import { Listeners } from './listeners.ts';
import { ProgramRoom } from './program-room.ts';
import { endOrphans } from './run-folder.ts';
import { databaseFile } from './site-folder.ts';
import { type Settling, SiteFolders } from './site-folders.ts';
import { SuspendedSites } from './suspended-sites.ts';

/** What drivers share that keep each site in a folder of its own; they differ in what runs there. */
export abstract class FolderRuntime {
  protected readonly folders: SiteFolders;
  readonly #imports: ImportFolders;
  protected readonly listeners: Listeners;
  protected readonly suspended = new SuspendedSites();
  protected readonly terminals: SiteTerminals;
  /** What is changed by hand in the content of sites. */
  readonly #changes = new InTurn();
  protected answerOwnCall: AnswerOwnCalls = refuseOwnCalls;

  protected readonly shells: Shell;
  readonly #programFolder: string;
  #programs: ProgramRoom | undefined;

  constructor(dataDir: string, log: Log) {
    this.#programFolder = join(dataDir, 'programs');
    this.shells = this.makeShell(dataDir, log);
    this.folders = new SiteFolders(dataDir);
    this.#imports = new ImportFolders(join(dataDir, 'imports'));
    this.listeners = new Listeners((siteId) => this.folders.outbox(siteId), log);
    this.terminals = new SiteTerminals(this.shells, this.listeners);
  }

  /** Where the programs run that read what sites and strangers wrote. */
  protected async openPrograms(sandbox: Sandbox | undefined): Promise<void> {
    this.#programs = sandbox && (await ProgramRoom.open(sandbox, this.#programFolder));
    this.folders.room = this.#programs;
    this.#imports.room = this.#programs;
  }

  protected async endOrphanPrograms(): Promise<void> {
    if (this.#programs) await endOrphans(this.#programFolder);
  }

  protected async closePrograms(): Promise<void> {
    await this.#programs?.close();
  }

  protected makeShell(dataDir: string, log: Log): Shell {
    return new Shell({
      dataDir,
      log,
      ownerOf: (siteId) => this.ownerOf(siteId),
      foldersOf: ({ id, coreVersion }) => ({ content: this.contentFolder(id), core: this.coreFolder(coreVersion) }),
      diskUsageBytes: (siteId) => this.diskUsageBytes(siteId),
      giveToOwner: (siteId) => this.giveToOwner(siteId),
      exec: (site, command) => this.exec(site, command),
    });
  }

  abstract readonly editors: SiteEditors;
  abstract start(site: SiteSpec): Promise<RunningSite>;
  abstract stop(siteId: string): Promise<void>;
  abstract exec(site: SiteSpec, command: Command): Promise<CommandResult>;
  abstract coreFolder(coreVersion: string): string;
  abstract coreVersions(): Promise<string[]>;
  /** An empty site in a draft, as new ones are. */
  protected abstract makeEmpty(draft: string, site: SiteSpec): Promise<void>;
  /** Makes tables in the database of a draft in which nothing of anybody else's is yet. */
  protected abstract makeTables(draft: string, site: SiteSpec, changes: TableChange[]): Promise<void>;
  /** Whom the site's files belong to, where that is not whoever we are. */
  protected ownerOf(_siteId: string): number | undefined {
    return undefined;
  }

  /** Sites of earlier versions, and of a service that ran in another way, are somebody else's. To be called before anything of the site runs. */
  protected giveToOwner(siteId: string): void {
    const owner = this.ownerOf(siteId);
    if (owner !== undefined) this.folders.giveTo(siteId, owner);
  }

  /** Ends everything that runs of the site, commands included. */
  protected abstract end(siteId: string): Promise<void>;

  adopt(site: SiteSpec, fill: (storage: SiteStorage) => Promise<void>, change?: Adaptation): Promise<void> {
    const owner = this.ownerOf(site.id);
    // Whom a database is made somebody else's is written in words of SQLite, so that is done before it comes to a server.
    if (this.folders.server?.isForNew && !change)
      return this.build(site, (draft) => this.folders.fillOnServer(site.id, draft, site.url, fill, owner));
    const settling = change && this.#settling(site, change);
    return this.build(site, (draft) => this.folders.fill(draft, site.url, fill, settling, owner));
  }

  inspect(archive: ArchiveSource, theme?: string): Promise<ArchivedSite> {
    return this.#imports.unpack(archive, async ({ content, site: { plugins, readme } }) => {
      const [coreVersion] = await this.coreVersions();
      if (theme !== undefined) await findTheme(theme, [join(content, 'themes'), this.#coreThemes(coreVersion ?? '')]);
      return { plugins, readme };
    });
  }

  import(site: SiteSpec, archive: ArchiveSource, change: Adaptation): Promise<void> {
    return this.#imports.unpack(archive, ({ content, dump, loadInto }) =>
      this.build(site, async (draft) => {
        await this.makeEmpty(draft, site);
        const file = databaseFile(draft);
        // Before anything of the archive's own is there: what makes its tables may be PHP.
        await this.makeTables(draft, site, missingTables(dump.found, dump.tables, await knownColumns(file)));
        await loadInto(file);
        await takeContent(content, join(draft, 'content'));
        await this.folders.settle(draft, site.url, this.#settling(site, change));
      }),
    );
  }

  #settling(site: SiteSpec, change: Adaptation): Settling {
    const theme = change.people === 'none' ? change.theme : undefined;
    if (theme === undefined) return { to: change };
    return { to: change, theme: (own) => findTheme(theme, [own, this.#coreThemes(site.coreVersion)]) };
  }

  #coreThemes(coreVersion: string): string {
    return join(this.coreFolder(coreVersion), 'wp-content', 'themes');
  }

  async terminal(site: SiteSpec, options: TerminalOptions): Promise<Terminal> {
    const requireOpen = () => this.suspended.requireOpen(site.id);
    requireOpen();
    return this.terminals.open(site, options, requireOpen);
  }

  async program(site: SiteSpec, options: ProgramOptions): Promise<Program> {
    const requireOpen = () => this.suspended.requireOpen(site.id);
    requireOpen();
    return this.terminals.start(site, options, requireOpen);
  }

  get shell(): ShellKind {
    return this.shells.kind;
  }

  /** The sandboxes that people of a site work in; undefined where this machine has none. */
  get siteShells(): SiteShells | undefined {
    return this.shells.sites;
  }

  protected async runShell(site: SiteSpec, command: Command): Promise<CommandResult> {
    this.listeners.touched(site.id);
    try {
      return await this.shells.run(site, command, () => command.asHolder || this.suspended.requireOpen(site.id));
    } finally {
      this.listeners.touched(site.id);
      this.listeners.changed(site.id);
    }
  }

  suspend(siteId: string): Promise<() => void> {
    return this.suspended.suspend(siteId, async () => {
      await this.#endAll(siteId);
      await this.#changes.ended(siteId);
    });
  }

  async #endAll(siteId: string): Promise<void> {
    await Promise.all([this.end(siteId), this.terminals.end(siteId), this.editors.end(siteId)]);
  }

  async archive(siteId: string): Promise<void> {
    await this.#endAll(siteId);
    await this.folders.archive(siteId);
  }

  async unarchive(siteId: string): Promise<void> {
    await this.folders.unarchive(siteId);
    this.listeners.touched(siteId);
  }

  async delete(siteId: string): Promise<void> {
    await this.#endAll(siteId);
    await this.editors.forget(siteId);
    await this.folders.delete(siteId);
  }

  list(): Promise<string[]> {
    return this.folders.list();
  }

  change<T>(siteId: string, act: (place: { content: string; incoming: string }) => Promise<T>): Promise<T> {
    return this.#changes.next(siteId, async () => {
      this.suspended.requireOpen(siteId);
      this.listeners.touched(siteId);
      try {
        return await act({ content: this.contentFolder(siteId), incoming: this.folders.incoming(siteId) });
      } finally {
        this.listeners.touched(siteId);
        this.listeners.changed(siteId);
      }
    });
  }

  contentFolder(siteId: string): string {
    return this.folders.content(siteId);
  }

  storage(siteId: string): SiteStorage {
    return this.folders.storage(siteId);
  }

  async moveRows(
    siteId: string,
    to: DatabaseKind,
    fill: (into: SiteStorage['database']) => Promise<void>,
  ): Promise<void> {
    await this.folders.moveRows(siteId, to, fill, this.ownerOf(siteId));
    this.listeners.touched(siteId);
  }

  makeFolders(siteId: string): Promise<void> {
    return this.folders.makeMissing(siteId, this.ownerOf(siteId));
  }

  async database(siteId: string): Promise<SiteDatabase> {
    return this.folders.database(siteId, () => this.listeners.touched(siteId));
  }

  health(site: SiteSpec): Promise<SiteHealth> {
    return askHealth(this, site);
  }

  diskUsageBytes(siteId: string): Promise<number> {
    return this.folders.diskUsageBytes(siteId);
  }

  outgoingMail(siteId: string): AsyncIterable<OutgoingMail> {
    return this.folders.outgoingMail(siteId);
  }

  hasOutgoingMail(siteId: string): Promise<boolean> {
    return this.folders.hasOutgoingMail(siteId);
  }

  /** For drivers whose sites write by themselves. */
  setRoom(_siteId: string, _leftBytes: number): void {}

  /** For drivers that can keep to it. */
  setShare(_siteId: string, _share: SiteShare): void {}

  listen(listener: RuntimeListener): void {
    this.listeners.add(listener);
  }

  answerOwnCalls(answer: (siteId: string, connection: Duplex) => void): void {
    this.answerOwnCall = answer;
  }

  /** What the editors of a driver's sites need of it. */
  protected editorOptions() {
    return {
      disk: this.shells.disk,
      requireOpen: (siteId: string) => this.suspended.requireOpen(siteId),
      active: (siteId: string) => {
        this.listeners.touched(siteId);
        this.listeners.changed(siteId);
      },
    };
  }

  protected async build(site: SiteSpec, fill: (draft: string) => Promise<void>): Promise<void> {
    const owner = this.ownerOf(site.id);
    await this.folders.build(site.id, fill, owner, () => this.stop(site.id));
    this.listeners.touched(site.id);
  }
}
