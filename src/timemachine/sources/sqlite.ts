import { randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import type { TableReader, TableSource } from '../tables/table-source.ts';
import { SqliteRows } from './sqlite-rows.ts';
import { readSchema } from './sqlite-schema.ts';

/**
 * The tables of a live SQLite database that another process writes to. It is only ever opened through SQLite: opening and
 * closing the file in another way would drop the locks that SQLite holds for this process, and a write would be lost.
 *
 * A reader is one read transaction. With a rollback journal, writers wait for it to end, so it is kept short.
 */
export class SqliteSource implements TableSource {
  readonly #db: DatabaseSync;
  readonly #isTracked: (name: string) => boolean;
  /** What SQLite counts, it counts for each connection. */
  readonly #connection = randomBytes(6).toString('hex');

  constructor(path: string, options: { isTracked?: (name: string) => boolean; busyTimeoutMs?: number } = {}) {
    // Not opened read-only: after a crash of the writer, the first reader has to roll the journal back.
    this.#db = new DatabaseSync(path, { timeout: options.busyTimeoutMs ?? 250, enableForeignKeyConstraints: false });
    this.#db.exec('PRAGMA query_only = 1');
    this.#isTracked = options.isTracked ?? (() => true);
  }

  version(): string {
    const { data_version } = this.#db.prepare('PRAGMA data_version').get() as { data_version: number };
    return `${this.#connection}-${data_version}`;
  }

  open(): TableReader {
    this.#db.exec('BEGIN');
    try {
      // Only the first read takes the lock, and with it the instant.
      this.#db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get();
      const version = this.version();
      const rows = new SqliteRows(this.#db);
      return {
        version,
        ...readSchema(this.#db, this.#isTracked),
        read: (table, from, to) => rows.read(table, from, to),
        keyAfter: (table, from, to, count) => rows.keyAfter(table, from, to, count),
        close: () => this.#db.exec('ROLLBACK'),
      };
    } catch (error) {
      this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  isBusy(error: unknown): boolean {
    const code = (error as { errcode?: number }).errcode;
    // SQLITE_BUSY and SQLITE_LOCKED, extended codes included.
    return code !== undefined && ((code & 0xff) === 5 || (code & 0xff) === 6);
  }

  close(): void {
    this.#db.close();
  }
}
