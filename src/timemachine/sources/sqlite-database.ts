import { closeSync, fstatSync, openSync } from 'node:fs';
import { chown, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openPlainFile } from '../restore/copy-known.ts';
import { diskOperations } from '../stores/file-operations.ts';
import type { TableTarget } from '../tables/table-target.ts';
import type { Database } from './database.ts';
import type { Seen } from './page-watch.ts';
import { SqliteSource } from './sqlite.ts';
import { DatabasePages } from './sqlite-pages.ts';
import { withNumbersOf } from './sqlite-schema.ts';
import { shapeOf } from './sqlite-shape.ts';
import { SqliteTarget } from './sqlite-target.ts';

const MOST_COPIED_BYTES = 2 * 1024 ** 3;

/** A database that is a file. */
export class SqliteDatabase implements Database {
  readonly kind = 'sqlite';
  readonly shapeOf = shapeOf;
  readonly withNumbersOf = withNumbersOf;
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  source(isTracked: (table: string) => boolean, needed: readonly string[] = []): SqliteSource {
    return new SqliteSource(this.#file, { isTracked, needed });
  }

  async openTarget(): Promise<SqliteTarget> {
    return new SqliteTarget(this.#file);
  }

  async identity(): Promise<string | undefined> {
    return stat(this.#file).then(({ ino }) => `${ino}`, ifMissing);
  }

  async makeAnew(fill: (target: TableTarget) => Promise<void>): Promise<void> {
    const draft = new SqliteDatabase(`${this.#file}.mended`);
    await draft.remove();
    const target = await draft.openTarget();
    try {
      await fill(target);
    } finally {
      await target.close();
    }
    for (const suffix of ['', '-journal']) {
      await rename(`${this.#file}${suffix}`, `${this.#file}.broken${suffix}`).catch(ifMissing);
    }
    // As SQLite does with what it makes beside a database: it is for whoever has the folder.
    const { uid, gid } = await stat(dirname(this.#file));
    if (process.getuid?.() === 0) await chown(draft.#file, uid, gid);
    await rename(draft.#file, this.#file);
    await diskOperations.syncFolder(dirname(this.#file));
  }

  /**
   * Page by page the same as it was seen. Nobody may have it open through SQLite in this process: closing it here would drop
   * the locks that SQLite holds on it.
   */
  async copyKnown(knowledge: unknown, into: SqliteDatabase): Promise<boolean> {
    if (knowledge === undefined) return false;
    const { hashes } = knowledge as Seen;
    const file = openPlainFile(this.#file);
    if (file === undefined) return false;
    try {
      // Nothing is heard of it meanwhile.
      if (fstatSync(file).size > MOST_COPIED_BYTES) return false;
      diskOperations.copyNew(file, into.#file, { mode: 0o644, modifiedUs: Date.now() * 1000 });
    } finally {
      closeSync(file);
    }
    const isSame = isAsSeen(into.#file, hashes);
    if (!isSame) await into.remove();
    return isSame;
  }

  remove(): Promise<void> {
    return rm(this.#file, { force: true });
  }

  scratch(folder: string): SqliteDatabase {
    return new SqliteDatabase(join(folder, 'database.sqlite'));
  }
}

function isAsSeen(path: string, hashes: readonly string[]): boolean {
  const file = openSync(path, 'r');
  try {
    const copied = DatabasePages.of(file, hashes.length - 1)?.hashes();
    return copied?.every((hash, page) => hash === hashes[page]) ?? false;
  } finally {
    closeSync(file);
  }
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
