import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { storageIn } from '../../src/runtimes/folders/site-folder.ts';
import { Repository, type SiteRepository } from '../../src/timemachine/repository.ts';
import { readJournal } from '../../src/timemachine/restore/journal.ts';
import { recover } from '../../src/timemachine/restore/recover.ts';
import { restoreInto } from '../../src/timemachine/restore/restore-into.ts';
import { SqliteSource } from '../../src/timemachine/sources/sqlite.ts';
import { SqliteTarget } from '../../src/timemachine/sources/sqlite-target.ts';
import { DiskStore } from '../../src/timemachine/stores/disk.ts';

/** What is left of the platform's folder after a power cut, in the words of the ledger. Everything that is there is read to its end. */
export class Survivors {
  readonly values = new Map<string, string | null>();
  /** What is there and should not be like that, whatever was promised. */
  readonly faults: string[] = [];
  readonly #folder: string;
  readonly #repository: Repository;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#repository = new Repository(new DiskStore(join(folder, 'backups')));
  }

  /** `isGoing` tells of sites that were being deleted, of which anything may be left. */
  static async read(folder: string, isGoing: (siteId: string) => boolean): Promise<Survivors> {
    const survivors = new Survivors(folder);
    for (const [where, value] of [
      ['sites', 'here'],
      ['deleted-sites', 'put aside'],
    ] as const) {
      for (const name of namesIn(join(folder, where))) {
        if (name.endsWith('.draft') || isGoing(name)) continue;
        if (survivors.values.has(`site ${name}`)) survivors.faults.push(`site ${name} is there twice`);
        survivors.values.set(`site ${name}`, value);
        await survivors.#readSite(name, join(folder, where, name));
      }
    }
    return survivors;
  }

  /** Whether a backup can be brought back to its last byte. */
  async hasBackup(siteId: string, hash: string): Promise<boolean> {
    const scratch = mkdtempSync(join(this.#folder, 'restored-'));
    try {
      const repository = this.#backupsOf(siteId);
      const id = (await repository.snapshots()).find((each) => each.hash === hash);
      if (!id) return false;
      const tables = new SqliteTarget(join(scratch, 'database'));
      await restoreInto(repository, await repository.readSnapshot(id), { folder: join(scratch, 'content'), tables });
      await tables.close();
      this.#readDatabase(siteId, join(scratch, 'database'), () => {});
      return true;
    } catch (error) {
      this.faults.push(`backup ${hash} of site ${siteId}: ${error}`);
      return false;
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  }

  #backupsOf(siteId: string): SiteRepository {
    return this.#repository.site('team', siteId);
  }

  async #readSite(id: string, folder: string): Promise<void> {
    const { content, database, staging } = storageIn(folder);
    try {
      if (await readJournal(staging)) {
        // As the platform does when it starts again.
        const [target, source] = [new SqliteTarget(database.file), new SqliteSource(database.file)];
        const tables = { target, source };
        await recover({ repository: this.#backupsOf(id), folder: content, staging, tables }).finally(async () => {
          await target.close();
          await source.close();
        });
      }
    } catch (error) {
      this.faults.push(`site ${id} could not be recovered: ${error}`);
    }
    if (!existsSync(join(content, 'db.php')) || statSync(join(content, 'db.php')).size === 0)
      this.faults.push(`site ${id} lost its files`);
    this.#readDatabase(id, database.file, (thing, value) => this.values.set(thing, value));
    for (const path of existsSync(join(content, 'uploads')) ? filesBelow(content, 'uploads') : []) {
      this.values.set(
        `file ${id} ${path}`,
        createHash('sha256')
          .update(readFileSync(join(content, path)))
          .digest('hex'),
      );
    }
  }

  #readDatabase(id: string, file: string, found: (thing: string, value: string) => void): void {
    if (!existsSync(file)) return void this.faults.push(`site ${id} has no database`);
    const database = new DatabaseSync(file);
    try {
      const [result] = database.prepare('pragma integrity_check').all();
      if (result?.integrity_check !== 'ok') this.faults.push(`the database of site ${id}: ${result?.integrity_check}`);
      const posts = database
        .prepare("select post_title, post_content from wp_posts where post_type = 'post' and post_title like 'Post %'")
        .all();
      for (const { post_title: title, post_content: text } of posts)
        found(
          `post ${id} ${title}`,
          /^version \d+(?= (?:words ){500}$)/.exec(`${String(text).trimEnd()} `)?.[0] ?? 'torn',
        );
      const option = database
        .prepare("select option_value from wp_options where option_name = 'blogdescription'")
        .get();
      found(`option ${id} blogdescription`, String(option?.option_value));
    } catch (error) {
      this.faults.push(`the database of site ${id}: ${error}`);
    } finally {
      database.close();
    }
  }
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function filesBelow(folder: string, path: string): string[] {
  return readdirSync(join(folder, path), { withFileTypes: true }).flatMap((entry) => {
    const below = `${path}/${entry.name}`;
    return entry.isDirectory() ? filesBelow(folder, below) : [below];
  });
}
