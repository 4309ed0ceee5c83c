import { randomBytes } from 'node:crypto';
import { fstatSync, type Stats, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { TableDescription, TableReader, TableSource } from '../tables/table-source.ts';
import { PageWatch, type Seen } from './page-watch.ts';
import {
  assertPlainJournal,
  codeOf,
  descriptorOf,
  openDatabase,
  translated,
  unreadableDatabase,
} from './sqlite-open.ts';
import { DatabasePages } from './sqlite-pages.ts';
import { SqliteRows } from './sqlite-rows.ts';
import { readSchema } from './sqlite-schema.ts';

export interface SqliteSourceOptions {
  isTracked?: (name: string) => boolean;
  /** Tables without which it is not the database that it should be. */
  needed?: readonly string[];
  busyTimeoutMs?: number;
  /** Of a smaller database all rows are read whenever it changed, which takes no time. */
  watchedFromBytes?: number;
}

/**
 * The tables of a live SQLite database that another process writes to. It is only ever opened through SQLite: opening and
 * closing the file in another way would drop the locks that SQLite holds for this process, and a write would be lost.
 *
 * A reader is one read transaction. With a rollback journal, writers wait for it to end, so it is kept short.
 */
export class SqliteSource implements TableSource {
  readonly #path: string;
  readonly #isTracked: (name: string) => boolean;
  readonly #needed: readonly string[];
  readonly #timeoutMs: number;
  readonly #watchedFromBytes: number;
  readonly #watch = new PageWatch();
  #connection: Connection | undefined;

  constructor(path: string, options: SqliteSourceOptions = {}) {
    this.#path = path;
    this.#isTracked = options.isTracked ?? (() => true);
    this.#needed = options.needed ?? [];
    this.#timeoutMs = options.busyTimeoutMs ?? 250;
    this.#watchedFromBytes = options.watchedFromBytes ?? 256 * 1024;
  }

  async version(): Promise<string> {
    return translated(() => versionOf(this.#connect()));
  }

  async open(): Promise<TableReader> {
    return translated(() => {
      const connection = this.#connect();
      const { db, rows } = connection;
      assertPlainJournal(this.#path);
      db.exec('BEGIN');
      try {
        // Only the first read takes the lock, and with it the instant.
        const { page_count } = db.prepare('PRAGMA page_count').get() as { page_count: number };
        if (page_count === 0) throw unreadableDatabase('it is empty');
        const version = versionOf(connection);
        const { tables, skipped, roots } = readSchema(db, this.#isTracked);
        const missing = this.#needed.filter((needed) => ![...tables, ...skipped].some(({ name }) => name === needed));
        if (missing.length > 0) throw unreadableDatabase(`it has no table ${missing.join(' and no ')}`);
        return {
          version,
          tables,
          skipped,
          changedSince: async (since) => {
            const pages = this.#pages(connection, page_count);
            const watched = tables.map((table) => ({ table, root: rootOf(table, roots) }));
            return pages && this.#watch.look(pages, version, watched, since);
          },
          read: async (table, from, to) => translated(() => rows.read(table, from, to)),
          cut: (table, from, to, size) => rows.cut(table, from, to, size),
          reasonToSkip,
          close: async () => end(db),
        };
      } catch (error) {
        end(db);
        throw error;
      }
    });
  }

  isBusy(error: unknown): boolean {
    const code = codeOf(error);
    return code === BUSY || code === LOCKED;
  }

  knowledge(version: string | undefined): unknown {
    const { seen } = this.#watch;
    return seen?.version === version ? seen : undefined;
  }

  recall(knowledge: unknown): void {
    // What is known of the site may be from when its database was of another kind.
    if (knowledge !== undefined && 'hashes' in (knowledge as object)) this.#watch.recall(knowledge as Seen);
  }

  async close(): Promise<void> {
    this.#disconnect();
  }

  #disconnect(): void {
    this.#connection?.db.close();
    this.#connection = undefined;
  }

  #pages({ db, file }: Connection, count: number): DatabasePages | undefined {
    const { page_size } = db.prepare('PRAGMA page_size').get() as { page_size: number };
    const descriptor = count * page_size < this.#watchedFromBytes ? undefined : descriptorOf(this.#path);
    const isOurs = descriptor !== undefined && fileOf(fstatSync(descriptor)) === file;
    const pages = isOurs ? DatabasePages.of(descriptor, count) : undefined;
    if (!pages) this.#watch.forget();
    return pages;
  }

  /** Another file may have taken the place of the one that we opened, and then that is the database. */
  #connect(): Connection {
    const stat = statSync(this.#path, { throwIfNoEntry: false });
    if (!stat) throw unreadableDatabase('it is missing');
    const file = fileOf(stat);
    if (this.#connection?.file === file) return this.#connection;
    this.#disconnect();
    // Not opened read-only: after a crash of the writer, the first reader has to roll the journal back.
    const db = openDatabase(this.#path, { timeoutMs: this.#timeoutMs, create: false });
    db.exec('PRAGMA query_only = 1');
    const name = randomBytes(6).toString('hex');
    this.#connection = { db, file, name, rows: new SqliteRows(db) };
    return this.#connection;
  }
}

interface Connection {
  db: DatabaseSync;
  /** Which file it is. */
  file: string;
  /** What SQLite counts, it counts for each connection. */
  name: string;
  rows: SqliteRows;
}

/** Some failures have ended the transaction already, or the connection gave way to one to another file. */
function end(db: DatabaseSync): void {
  if (db.isOpen && db.isTransaction) db.exec('ROLLBACK');
}

function fileOf({ dev, ino }: Stats): string {
  return `${dev}-${ino}`;
}

/** Without a key, or with another one than the rowid, the pages do not tell the keys. */
function rootOf({ name, key }: TableDescription, roots: ReadonlyMap<string, number>): number | undefined {
  return key.length === 1 ? roots.get(name) : undefined;
}

function versionOf({ db, name }: Connection): string {
  const { data_version } = db.prepare('PRAGMA data_version').get() as { data_version: number };
  return `${name}-${data_version}`;
}

/** What the table is made of is unknown here (a collation of the site's own), or more than SQLite gives in one piece. */
function reasonToSkip(error: unknown): string | undefined {
  const code = codeOf(error);
  return code === ERROR || code === TOO_BIG ? `it can not be read: ${(error as Error).message}` : undefined;
}

const ERROR = 1;
const BUSY = 5;
const LOCKED = 6;
const TOO_BIG = 18;
