import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ArchiveRefused } from '#core/archive/archive-refused.ts';
import type { Log } from '#core/log.ts';
import type { Command, CommandResult, SiteSpec } from '#runtimes/runtime.ts';
import { quote, writeColumn, writeTable } from './dump/table.ts';
import type { TableChange } from './dump/wordpress-tables.ts';
import { Images } from './images.ts';
import { INSTALL_PROGRAM, imageSite, TABLES_PROGRAM } from './layout.ts';

export interface SiteImagesOptions {
  folder: string;
  /** Runs one program of ours in a folder that is no site yet. */
  run(site: SiteSpec, siteFolder: string, command: Command): Promise<CommandResult>;
  log: Log;
}

/** What new sites are made of, and the programs of ours that run in a site that is none yet. */
export class SiteImages {
  readonly #options: SiteImagesOptions;
  readonly #images: Images;

  constructor(options: SiteImagesOptions) {
    this.#options = options;
    this.#images = new Images(options.folder, (site, folder) => this.#install(site, folder));
  }

  /** The folder of the image, made now where there is none. */
  of(coreVersion: string, phpVersion: string): Promise<string> {
    return this.#images.of(imageSite(coreVersion, phpVersion));
  }

  /** WordPress' own integration makes them: it keeps what MySQL would know of each beside what SQLite has. */
  async makeTables(draft: string, { coreVersion, phpVersion }: SiteSpec, changes: TableChange[]): Promise<void> {
    if (changes.length === 0) return;
    const statements = changes.map((change) =>
      'create' in change
        ? writeTable(change.create)
        : `ALTER TABLE ${quote(change.table)} ADD COLUMN ${writeColumn(change.add)}`,
    );
    const file = join(draft, 'outbox', 'tables.json');
    await writeFile(file, JSON.stringify(statements));
    const result = await this.#run(imageSite(coreVersion, phpVersion), draft, TABLES_PROGRAM);
    await rm(file);
    if (!result.stdout.includes('"made":true'))
      throw new ArchiveRefused(`its tables could not be made here: ${result.stdout.slice(0, 500)}`);
  }

  async #install(site: SiteSpec, siteFolder: string): Promise<void> {
    this.#options.log.info({ coreVersion: site.coreVersion }, 'preparing the image of new sites');
    const result = await this.#run(site, siteFolder, INSTALL_PROGRAM);
    if (!result.stdout.includes('"installed":true')) {
      throw new Error(`WordPress could not be installed: ${result.stdout} ${result.stderr}`.slice(0, 2_000));
    }
  }

  #run(site: SiteSpec, siteFolder: string, program: string): Promise<CommandResult> {
    return this.#options.run(site, siteFolder, {
      args: ['php', program],
      timeoutMs: 120_000,
      maxOutputBytes: 100_000,
    });
  }
}
