import { join } from 'node:path';
import type { Log } from '#core/log.ts';
import type { Outbound } from '#core/outbound.ts';
import { commandName } from '#runtimes/commands.ts';
import { SiteEditors } from '#runtimes/editor/site-editors.ts';
import { FolderRuntime } from '#runtimes/folders/folder-runtime.ts';
import { databaseFile } from '#runtimes/folders/site-folder.ts';
import { SqliteFile } from '#runtimes/folders/sqlite-file.ts';
import type { Command, CommandResult, FirstContent, SiteSpec } from '#runtimes/runtime.ts';
import { Distribution } from './distribution.ts';
import type { TableChange } from './dump/wordpress-tables.ts';
import { writeFirstContent } from './first-content.ts';
import { copyImage, writeDropIn } from './images.ts';
import { withOwnPaths } from './layout.ts';
import { phpMessagesIn, readPhpMessage } from './php-errors.ts';
import type { ReleaseSource } from './releases.ts';
import { SiteImages } from './site-images.ts';

export interface WordPressOptions {
  dataDir: string;
  cacheDir: string;
  log: Log;
  /** Where newer versions of WordPress come from, where anywhere. */
  releases?: { outbound: Outbound; source: ReleaseSource };
}

/** One message of PHP's error log. */
interface LogMessage {
  atMs: number;
  text: string;
}

const UPDATE_MS = 24 * 3600 * 1000;

/** What drivers share that run PHP and WordPress: where WordPress comes from, what new sites are made of, and what PHP complains of. */
export abstract class WordPressRuntime extends FolderRuntime {
  protected readonly log: Log;
  protected readonly distribution: Distribution;
  protected readonly images: SiteImages;
  readonly editors: SiteEditors;
  #updates: NodeJS.Timeout | undefined;

  constructor({ dataDir, cacheDir, log, releases }: WordPressOptions) {
    super(dataDir, log);
    this.log = log;
    this.distribution = new Distribution(cacheDir, releases, log);
    this.editors = new SiteEditors({
      ...this.editorOptions(),
      dataDir,
      cacheDir,
      log,
      shells: async () => this.shells.sites ?? { missing: 'the start of the service says why' },
    });
    this.images = new SiteImages({
      folder: join(cacheDir, 'images'),
      run: (site, folder, command) => this.runInDraft(site, folder, command),
      log,
    });
  }

  /** Runs a program of ours in a folder that is no site yet. */
  protected abstract runInDraft(site: SiteSpec, siteFolder: string, command: Command): Promise<CommandResult>;

  coreVersions(): Promise<string[]> {
    return this.distribution.coreVersions();
  }

  requireCore(coreVersion: string): Promise<void> {
    return this.distribution.require(coreVersion);
  }

  coreFolder(coreVersion: string): string {
    return this.distribution.coreFolder(coreVersion);
  }

  /** The newest WordPress, and the image of it for this PHP. */
  protected async prepareFor(phpVersion: string): Promise<{ coreVersion: string; phpVersion: string }> {
    await this.distribution.tools();
    const [coreVersion] = await this.coreVersions();
    if (!coreVersion) throw new Error('there is no WordPress in the cache');
    await this.images.of(coreVersion, phpVersion);
    return { coreVersion, phpVersion };
  }

  /** Calls `prepare` now, and again when there is a newer WordPress: new sites get that, and those that exist stay where they are. */
  protected keepUpdated(prepare: () => Promise<void>): void {
    const update = async () => {
      if (await this.distribution.update()) await prepare();
    };
    // In the background: the platform serves before there is a WordPress, and the first site waits for it.
    void prepare().then(update);
    this.#updates = setInterval(update, UPDATE_MS).unref();
  }

  async create(site: SiteSpec, first: FirstContent): Promise<void> {
    const image = await this.images.of(site.coreVersion, site.phpVersion);
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

  /** WordPress finds the file by one in its content; on a server that says nothing. */
  override moveRows(...[siteId, to, fill]: Parameters<FolderRuntime['moveRows']>): Promise<void> {
    return super.moveRows(siteId, to, async (into) => {
      await fill(into);
      if (to === 'sqlite') await writeDropIn(this.folders.of(siteId), this.ownerOf(siteId));
    });
  }

  protected async makeEmpty(draft: string, site: SiteSpec): Promise<void> {
    await copyImage(await this.images.of(site.coreVersion, site.phpVersion), draft);
  }

  protected makeTables(draft: string, site: SiteSpec, changes: TableChange[]): Promise<void> {
    return this.images.makeTables(draft, site, changes);
  }

  /** Runs a command of a site, and tells of what it may have changed and of what PHP complained. */
  protected async told(site: SiteSpec, command: Command, run: () => Promise<CommandResult>): Promise<CommandResult> {
    this.listeners.touched(site.id);
    try {
      const result = await run();
      const messages = phpMessagesIn(result.stderr).map((text) => ({ atMs: Date.now(), text }));
      if (messages.length > 0 && !site.isOffline) this.logged(site.id, messages, commandName(command));
      return result;
    } finally {
      this.listeners.touched(site.id);
      this.listeners.changed(site.id);
    }
  }

  protected logged(siteId: string, messages: readonly LogMessage[], request: string | null): void {
    const errors = messages.map(({ atMs, text }) => ({ atMs, request, ...readPhpMessage(withOwnPaths(text)) }));
    this.listeners.logged(siteId, errors);
  }

  /** All but what the driver itself runs. */
  protected async closeShared(): Promise<void> {
    clearInterval(this.#updates);
    await this.editors.close();
    await this.terminals.close();
    await this.shells.close();
    await this.closePrograms();
  }
}
