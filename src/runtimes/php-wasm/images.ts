import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DATABASE_FILE, databaseFile, makeSiteFolder } from '#runtimes/folders/site-folder.ts';
import { SqliteFile } from '#runtimes/folders/sqlite-file.ts';
import { inDraft, place } from '#runtimes/wordpress/distribution.ts';

/** Where PHP finds the SQLite integration. */
export const SQLITE_PATH = '/site/sqlite';

/** WordPress takes another database only through this file in the content folder. */
const DROP_IN = `<?php
// Written by the platform: this site's database is SQLite.
require_once '${SQLITE_PATH}/wp-includes/sqlite/db.php';
`;

/** The address in an image, which no site ever has. */
export const IMAGE_URL = 'http://siteyard.invalid';

/**
 * The images that new sites are copies of: an installed, empty WordPress for each version, made once. Copying one takes
 * milliseconds and no PHP.
 */
export class Images {
  readonly #folder: string;
  readonly #install: (coreVersion: string, siteFolder: string) => Promise<void>;
  readonly #making = new Map<string, Promise<string>>();

  constructor(folder: string, install: (coreVersion: string, siteFolder: string) => Promise<void>) {
    this.#folder = folder;
    this.#install = install;
  }

  /** The folder of the image, made now where there is none. */
  of(coreVersion: string, phpVersion: string): Promise<string> {
    const key = `${coreVersion}-${phpVersion}`;
    const making = this.#making.get(key) ?? this.#make(key, coreVersion);
    this.#making.set(key, making);
    making.catch(() => this.#making.delete(key));
    return making;
  }

  async #make(key: string, coreVersion: string): Promise<string> {
    const recipe = createHash('sha256')
      .update(await readFile(INSTALL_SCRIPT))
      .update(DROP_IN)
      .digest('hex');
    const image = join(this.#folder, `${key}-${recipe.slice(0, 12)}`);
    if (existsSync(image)) return image;
    await inDraft(this.#folder, async (draft) => {
      await makeSiteFolder(draft);
      for (const name of ['plugins', 'themes', 'uploads']) await mkdir(join(draft, 'content', name));
      await writeFile(join(draft, 'content', 'index.php'), '<?php // Silence is golden.\n');
      await writeDropIn(draft);
      await this.#install(coreVersion, draft);
      await compact(databaseFile(draft));
      await rm(join(draft, 'outbox'), { recursive: true });
      await place(draft, image);
    });
    return image;
  }
}

const INSTALL_SCRIPT = join(import.meta.dirname, '../wordpress/plugin/install.php');

async function writeDropIn(siteFolder: string): Promise<void> {
  await writeFile(join(siteFolder, 'content', 'db.php'), DROP_IN);
}

/** Nobody else has an image's database open, so its file may be copied as it is. */
export async function copyImage(image: string, siteFolder: string): Promise<void> {
  await makeSiteFolder(siteFolder);
  await cp(join(image, 'content'), join(siteFolder, 'content'), { recursive: true });
  await cp(join(image, 'database', DATABASE_FILE), databaseFile(siteFolder));
}

async function compact(file: string): Promise<void> {
  const database = new SqliteFile(file);
  database.compact();
  database.close();
}
