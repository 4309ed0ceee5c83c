import { isUtf8 } from 'node:buffer';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
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
      const moved = movedBytes(moveText(from, new URL(url)));
      // Nothing in the site's own schema may call it.
      this.#db.function('siteyard_moved', { directOnly: true }, (text, at) => moved(text as Uint8Array, at as number));
      for (const table of tables) this.#rewrite(quote(table), from.hostname);
    });
  }

  async numbers(): Promise<Record<string, number>> {
    return this.transaction(() => this.#numbers());
  }

  async spreadNumbers(above: Record<string, number>): Promise<void> {
    await this.transaction(() => {
      for (const [table, own] of Object.entries(this.#numbers())) {
        const start = (Math.floor((Object.hasOwn(above, table) ? Number(above[table]) : 0) / NUMBERS) + 1) * NUMBERS;
        if (own >= start || start > MOST_NUMBER) continue;
        this.#all('delete from sqlite_sequence where name = ?', table);
        this.#all('insert into sqlite_sequence (name, seq) values (?, ?)', table, start);
      }
    });
  }

  /** Only of tables that never give a number twice: their statement says so. */
  #numbers(): Record<string, number> {
    const tables = this.#all(
      "select name from sqlite_master where type = 'table' and sql like '%autoincrement%' and name not like 'sqlite\\_%' escape '\\' and length(name) <= 200 limit 10000",
    );
    if (tables.length === 0) return {};
    const given = new Map(
      this.#all('select name, seq from sqlite_sequence').map(({ name, seq }) => [name, Number(seq)]),
    );
    return Object.fromEntries(tables.map(({ name }) => [String(name), given.get(name as string) || 0]));
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
    for (const start = performance.now(); ; await sleep(BUSY_RETRY_MS)) {
      try {
        return this.#db.exec(statement);
      } catch (error) {
        const isBusy = ((error as { errcode?: number }).errcode ?? 0) % 256 === SQLITE_BUSY;
        if (!isBusy || performance.now() - start > BUSY_LIMIT_MS) throw error;
      }
    }
  }

  /**
   * Only the columns that name it are written, for those may be in no index, and all of them at once: each row is read, and written to
   * the journal, once.
   */
  #rewrite(table: string, part: string): void {
    const columns = this.#all(`pragma table_info(${table})`).map(({ name }) => quote(String(name)));
    const looks = columns.map((column, at) => `max(instr(${column}, ?1)) as at${at}`);
    const [found] = this.#all(`select ${looks.join(', ')} from ${table}`, part);
    const named = columns.filter((_, at) => found?.[`at${at}`]);
    if (named.length === 0) return;
    const is = named.map((column) => `instr(${column}, ?1) > 0 and typeof(${column}) = 'text'`);
    const moved = named.map((column, at) => `siteyard_moved(cast(${column} as blob), ${at})`);
    const set = named.map(
      (column, at) =>
        `${column} = case when ${is[at]} then coalesce(cast(${moved[at]} as text), ${column}) else ${column} end`,
    );
    const where = named.map((_, at) => `(${is[at]} and ${moved[at]} is not null)`);
    this.#all(`update ${table} set ${set.join(', ')} where ${where.join(' or ')}`, part);
  }
}

/**
 * As bytes, for a text of the site's may be no UTF-8; null where it stays as it is. A statement asks for a column of a row twice, whether to write it
 * and what, so the last answer for each is kept.
 */
function movedBytes(move: (text: string) => string): (bytes: Uint8Array, column: number) => Uint8Array | null {
  const last: { text: Buffer; moved: Buffer | null }[] = [];
  return (bytes, column) => {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const known = last[column];
    if (known?.text.equals(text)) return known.moved;
    const encoding = isUtf8(text) ? 'utf8' : 'latin1';
    const before = text.toString(encoding);
    const after = move(before);
    const moved = after === before ? null : Buffer.from(after, encoding);
    // What SQLite hands over is gone after the call.
    last[column] = { text: Buffer.from(text), moved };
    return moved;
  };
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
