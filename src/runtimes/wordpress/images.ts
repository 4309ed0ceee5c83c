import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, lchown, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DATABASE_FILE, databaseFile, makeSiteFolder } from '#runtimes/folders/site-folder.ts';
import { SqliteFile } from '#runtimes/folders/sqlite-file.ts';
import type { SiteSpec } from '#runtimes/runtime.ts';
import { inDraft, place } from './distribution.ts';
import { LAYOUT } from './layout.ts';

/** WordPress takes another database only through this file in the content folder. */
const DROP_IN = `<?php
// Written by the platform: this site's database is SQLite.
require_once '${LAYOUT.sqlite}/wp-includes/sqlite/db.php';
`;

/**
 * The images that new sites are copies of: an installed, empty WordPress for each version, made once. Copying one takes
 * milliseconds and no PHP.
 */
export class Images {
  readonly #folder: string;
  readonly #install: (site: SiteSpec, siteFolder: string) => Promise<void>;
  readonly #making = new Map<string, Promise<string>>();

  constructor(folder: string, install: (site: SiteSpec, siteFolder: string) => Promise<void>) {
    this.#folder = folder;
    this.#install = install;
  }

  /** The folder of the image, made now where there is none. */
  of(site: SiteSpec): Promise<string> {
    const key = `${site.coreVersion}-${site.phpVersion}`;
    const making = this.#making.get(key) ?? this.#make(key, site);
    this.#making.set(key, making);
    making.catch(() => this.#making.delete(key));
    return making;
  }

  async #make(key: string, site: SiteSpec): Promise<string> {
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
      await this.#install(site, draft);
      await compact(databaseFile(draft));
      await rm(join(draft, 'outbox'), { recursive: true });
      await place(draft, image);
    });
    return image;
  }
}

const INSTALL_SCRIPT = join(import.meta.dirname, 'plugin/install.php');

export async function writeDropIn(siteFolder: string, owner?: number): Promise<void> {
  const file = join(siteFolder, 'content', 'db.php');
  // A site may have put a link there.
  await rm(file, { force: true, recursive: true });
  await writeFile(file, DROP_IN, { flag: 'wx' });
  if (owner !== undefined) await lchown(file, owner, owner);
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
