import { backup, DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SiteDatabase, SqlRow, SqlValue } from '#runtimes/runtime.ts';
import { moveText, readSiteUrl, SITE_URL_QUERY } from '#runtimes/wordpress/address.ts';

const BUSY_RETRY_MS = 20;
const BUSY_LIMIT_MS = 15_000;
const NUMBERS = 1_000_000;
/** PHP may count up to 2^31 only. */
const MOST_NUMBER = 2_000_000_000;
/** The lowest byte of SQLite's code; the others tell more of why. */
const SQLITE_BUSY = 5;

/**
 * A SQLite file in this process. Only SQLite may open such a file here: closing any other handle on it would drop the
 * locks that the operating system keeps for the whole process. For an image, which is ours; a site's own file is asked
 * through SiteDatabaseProcess.
 */
export class SqliteFile implements SiteDatabase {
  readonly #db: DatabaseSync;

  constructor(file: string) {
    // No time to wait inside SQLite, because that would hold up the whole process.
    this.#db = new DatabaseSync(file, { timeout: 0 });
    this.#db.exec('pragma trusted_schema = off');
  }

  async tables(): Promise<string[]> {
    const rows = await this.query(
      "select name from sqlite_master where type = 'table' and name like 'wp\\_%' escape '\\' order by name",
    );
    return rows.map((row) => String(row.name));
  }

  query(sql: string, ...values: SqlValue[]): Promise<SqlRow[]> {
    return this.transaction(() => this.#all(sql, ...values));
  }

  async moveTo(url: string): Promise<void> {
    const tables = await this.tables();
    await this.transaction(() => {
      const from = readSiteUrl(this.#all(SITE_URL_QUERY));
      if (from.href === new URL(url).href) return;
      const move = moveText(from, new URL(url));
      for (const table of tables) this.#rewrite(quote(table), from.hostname, move);
    });
  }

  async spreadNumbers(): Promise<void> {
    await this.transaction(() => {
      const numbered = this.#all(
        "select name from sqlite_master where type = 'table' and sql like '%autoincrement%' and name not like 'sqlite\\_%' escape '\\'",
      );
      for (const { name } of numbered) {
        const [last] = this.#all('select seq from sqlite_sequence where name = ?', String(name));
        const next = (Math.floor(Number(last?.seq ?? 0) / NUMBERS) + 1) * NUMBERS;
        if (!(next <= MOST_NUMBER)) continue;
        this.#all('delete from sqlite_sequence where name = ?', String(name));
        this.#all('insert into sqlite_sequence (name, seq) values (?, ?)', String(name), next);
      }
    });
  }

  /** Runs the work in one transaction that others see whole or not at all. */
  async transaction<T>(work: (run: (sql: string, ...values: SqlValue[]) => SqlRow[]) => T): Promise<T> {
    // A commit deletes the journal, and is on disk when the folder is: only this setting waits for that too. To set it
    // reads the file, which may not be free.
    await this.#whenFree('pragma synchronous = extra; begin immediate');
    try {
      const result = work((sql, ...values) => this.#all(sql, ...values));
      // A backup may be reading: whoever reads keeps a commit waiting.
      await this.#whenFree('commit');
      return result;
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('rollback');
      throw error;
    }
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

  #all(sql: string, ...values: SqlValue[]): SqlRow[] {
    return this.#db.prepare(sql).all(...(values as SQLInputValue[])) as SqlRow[];
  }

  async #whenFree(statement: string): Promise<void> {
    for (const start = Date.now(); ; await sleep(BUSY_RETRY_MS)) {
      try {
        return this.#db.exec(statement);
      } catch (error) {
        const isBusy = ((error as { errcode?: number }).errcode ?? 0) % 256 === SQLITE_BUSY;
        if (!isBusy || Date.now() - start > BUSY_LIMIT_MS) throw error;
      }
    }
  }

  #rewrite(table: string, part: string, rewrite: (text: string) => string): void {
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
    for (const rowId of rowIds) {
      for (const [name, value] of Object.entries(read.get(rowId) ?? {})) {
        if (typeof value !== 'string' || !value.includes(part)) continue;
        const rewritten = rewrite(value);
        if (rewritten === value) continue;
        this.#db.prepare(`update ${table} set ${quote(name)} = ? where rowid = ?`).run(rewritten, rowId);
      }
    }
  }
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
