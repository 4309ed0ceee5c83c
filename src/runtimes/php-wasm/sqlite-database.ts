import { backup, DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SiteDatabase, SiteTransaction, SqlValue } from '#runtimes/runtime.ts';

const BUSY_RETRY_MS = 20;
const BUSY_LIMIT_MS = 15_000;
const ROWS_AT_ONCE = 200;
const SQLITE_BUSY = 5;

/**
 * A site's SQLite file, beside the site's own PHP. Only SQLite may open such a file in this process: closing any other
 * handle on it would drop the locks that the operating system keeps for the whole process.
 */
export class SqliteSiteDatabase implements SiteDatabase {
  readonly #db: DatabaseSync;
  #last: Promise<unknown> = Promise.resolve();

  constructor(file: string) {
    // No time to wait inside SQLite, because that would hold up the whole process.
    this.#db = new DatabaseSync(file, { timeout: 0 });
  }

  async tables(): Promise<string[]> {
    return this.transaction(async (db) => {
      const rows = await db.all(
        "select name from sqlite_master where type = 'table' and name like 'wp\\_%' escape '\\' order by name",
      );
      return rows.map((row) => String(row.name));
    });
  }

  transaction<T>(work: (db: SiteTransaction) => Promise<T>): Promise<T> {
    const result = this.#last.then(() => this.#transact(work));
    this.#last = result.catch(() => {});
    return result;
  }

  async rewriteText(part: string, rewrite: (text: string) => string): Promise<number> {
    const tables = await this.tables();
    return this.transaction(async () => {
      let changed = 0;
      for (const table of tables) changed += await this.#rewriteTable(quote(table), part, rewrite);
      return changed;
    });
  }

  async copyTo(file: string): Promise<void> {
    await backup(this.#db, file);
  }

  compact(): void {
    this.#db.exec('vacuum');
  }

  close(): void {
    if (this.#db.isOpen) this.#db.close();
  }

  async #transact<T>(work: (db: SiteTransaction) => Promise<T>): Promise<T> {
    await this.#whenFree('begin immediate');
    try {
      const result = await work({
        all: async (sql, ...values) =>
          this.#db.prepare(sql).all(...(values as SQLInputValue[])) as Record<string, SqlValue>[],
        run: async (sql, ...values) => void this.#db.prepare(sql).run(...(values as SQLInputValue[])),
      });
      await this.#whenFree('commit');
      return result;
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('rollback');
      throw error;
    }
  }

  async #whenFree(statement: string): Promise<void> {
    for (const start = Date.now(); ; await sleep(BUSY_RETRY_MS)) {
      try {
        return this.#db.exec(statement);
      } catch (error) {
        const isBusy = (error as { errcode?: number }).errcode === SQLITE_BUSY;
        if (!isBusy || Date.now() - start > BUSY_LIMIT_MS) throw error;
      }
    }
  }

  async #rewriteTable(table: string, part: string, rewrite: (text: string) => string): Promise<number> {
    const columns = this.#db
      .prepare(`pragma table_info(${table})`)
      .all()
      .map((column) => quote(String(column.name)));
    const matches = columns.map((column) => `instr(${column}, ?1) > 0`).join(' or ');
    const rowIds = this.#db
      .prepare(`select rowid as id from ${table} where ${matches}`)
      .all(part)
      .map((row) => row.id as number);
    const read = this.#db.prepare(`select ${columns.join(', ')} from ${table} where rowid = ?`);
    let changed = 0;
    for (const [index, rowId] of rowIds.entries()) {
      // A large table is worked on in steps, so that the service goes on answering meanwhile.
      if (index % ROWS_AT_ONCE === 0) await sleep(0);
      for (const [name, value] of Object.entries(read.get(rowId) ?? {})) {
        if (typeof value !== 'string' || !value.includes(part)) continue;
        const rewritten = rewrite(value);
        if (rewritten === value) continue;
        this.#db.prepare(`update ${table} set ${quote(name)} = ? where rowid = ?`).run(rewritten, rowId);
        changed++;
      }
    }
    return changed;
  }
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
