import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ArchiveRefused } from '#core/archive/archive-refused.ts';
import type { Log } from '#core/log.ts';
import type { Command, CommandResult } from '#runtimes/runtime.ts';
import type { Distribution } from '#runtimes/wordpress/distribution.ts';
import { quote, writeColumn, writeTable } from '#runtimes/wordpress/dump/table.ts';
import type { TableChange } from '#runtimes/wordpress/dump/wordpress-tables.ts';
import { runCommand } from './commands.ts';
import { copyImage, Images } from './images.ts';
import type { WorkerProcess } from './worker-process.ts';
import { INSTALL_PROGRAM, imageSite, PHP_VERSION, sharedMounts, TABLES_PROGRAM, workerSite } from './worker-sites.ts';
import type { CoreMounts } from './workers.ts';

export interface SiteImagesOptions {
  folder: string;
  distribution: Distribution;
  /** A worker for one program of ours. */
  runner(team: string, coreVersion: string): Promise<WorkerProcess>;
  log: Log;
}

/** What new sites are made of, and the programs of ours that run in a site that is none yet. */
export class SiteImages {
  readonly #options: SiteImagesOptions;
  readonly #images: Images;

  constructor(options: SiteImagesOptions) {
    this.#options = options;
    this.#images = new Images(options.folder, (version, folder) => this.#install(version, folder));
  }

  /** The folder of the image, made now where there is none. */
  of(coreVersion: string, phpVersion: string): Promise<string> {
    return this.#images.of(coreVersion, phpVersion);
  }

  async mountsOf(coreVersion: string): Promise<CoreMounts> {
    const { distribution } = this.#options;
    return {
      shared: sharedMounts(distribution.coreFolder(coreVersion), await distribution.tools()),
      prepareWarmSite: async (slot) => {
        const image = await this.of(coreVersion, PHP_VERSION);
        const folder = 'warm';
        await copyImage(image, join(slot, folder));
        return { ...workerSite(imageSite(coreVersion)), folder };
      },
    };
  }

  /** WordPress' own integration makes them: it keeps what MySQL would know of each beside what SQLite has. */
  async makeTables(draft: string, coreVersion: string, changes: TableChange[]): Promise<void> {
    if (changes.length === 0) return;
    const statements = changes.map((change) =>
      'create' in change
        ? writeTable(change.create)
        : `ALTER TABLE ${quote(change.table)} ADD COLUMN ${writeColumn(change.add)}`,
    );
    const file = join(draft, 'outbox', 'tables.json');
    await writeFile(file, JSON.stringify(statements));
    const result = await this.#run(coreVersion, draft, TABLES_PROGRAM);
    await rm(file);
    if (!result.stdout.includes('"made":true'))
      throw new ArchiveRefused(`its tables could not be made here: ${result.stdout.slice(0, 500)}`);
  }

  async #install(coreVersion: string, siteFolder: string): Promise<void> {
    this.#options.log.info({ coreVersion }, 'preparing the image of new sites');
    const result = await this.#run(coreVersion, siteFolder, INSTALL_PROGRAM);
    if (!result.stdout.includes('"installed":true')) {
      throw new Error(`WordPress could not be installed: ${result.stdout} ${result.stderr}`.slice(0, 2_000));
    }
  }

  async #run(coreVersion: string, siteFolder: string, program: string): Promise<CommandResult> {
    const worker = await this.#options.runner(imageSite(coreVersion).team, coreVersion);
    const command: Command = { args: ['php', program], timeoutMs: 120_000, maxOutputBytes: 100_000 };
    return runCommand(worker, siteFolder, workerSite(imageSite(coreVersion)), command, () => {});
  }
}
