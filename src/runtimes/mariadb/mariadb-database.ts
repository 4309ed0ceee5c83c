import { isUtf8 } from 'node:buffer';
import type { Connection } from 'mariadb';
import type { SiteDatabase, SqlRow, SqlValue } from '#runtimes/site-database.ts';
import { moveText, readSiteUrl, SITE_URL_QUERY } from '#runtimes/wordpress/address.ts';
import { connect, quoteName } from './server-access.ts';
import type { MariadbDescription } from './site-databases.ts';

/** Long enough for a gigabyte, and an end for a view that was made to be read for ever. */
const CALL_SECONDS = 120;
/** What is read row by row, each of which is written before the next. */
const READING_SECONDS = 30 * 60;
const SHORT_BYTES = 65_536;
const NUMBERS = 1_000_000;
/** PHP may count up to 2^31 only. */
const MOST_NUMBER = 2_000_000_000;

/**
 * A site's database, through the account that is ours. The server is another process, and ends what takes too long; what it answers is the site's
 * own work, so it is asked in a process of its own (folders/database-process.ts).
 */
export class MariadbDatabase implements SiteDatabase {
  readonly #description: MariadbDescription;
  #connection: Promise<Connection> | undefined;
  #running = 0;
  #isClosed = false;

  constructor(description: MariadbDescription) {
    this.#description = description;
  }

  async tables(): Promise<string[]> {
    const rows = await this.#all(
      "SELECT TABLE_NAME AS name FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE = 'BASE TABLE' AND TABLE_NAME LIKE 'wp\\_%' ORDER BY TABLE_NAME",
    );
    return rows.map(({ name }) => String(name));
  }

  query(sql: string, ...values: SqlValue[]): Promise<SqlRow[]> {
    return this.transaction(() => this.#all(sql, ...values));
  }

  async moveTo(url: string): Promise<void> {
    const tables = await this.tables();
    await this.transaction(async () => {
      const from = readSiteUrl(await this.#all(SITE_URL_QUERY));
      if (from.href === new URL(url).href) return;
      const move = moveText(from, new URL(url));
      const reader = await this.#open();
      try {
        await reader.query(`SET max_statement_time = ${READING_SECONDS}`);
        await reader.query('START TRANSACTION WITH CONSISTENT SNAPSHOT');
        for (const table of tables) await this.#rewrite(reader, table, from.hostname, move);
      } finally {
        reader.destroy();
      }
    });
  }

  async numbers(): Promise<Record<string, number>> {
    const rows = await this.#all(
      'SELECT TABLE_NAME AS name, AUTO_INCREMENT AS next FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND AUTO_INCREMENT IS NOT NULL LIMIT 10000',
    );
    return Object.fromEntries(rows.map(({ name, next }) => [String(name), Math.max(0, Number(next) - 1)]));
  }

  async spreadNumbers(above: Record<string, number>): Promise<void> {
    for (const [table, own] of Object.entries(await this.numbers())) {
      const start = (Math.floor((Object.hasOwn(above, table) ? Number(above[table]) : 0) / NUMBERS) + 1) * NUMBERS;
      if (own >= start || start > MOST_NUMBER) continue;
      await this.#all(`ALTER TABLE ${quoteName(table)} AUTO_INCREMENT = ${start + 1}`);
    }
  }

  /** Runs the work in one transaction that others see whole or not at all. */
  async transaction<T>(
    work: (run: (sql: string, ...values: SqlValue[]) => Promise<SqlRow[]>) => Promise<T>,
  ): Promise<T> {
    await this.#all('START TRANSACTION');
    try {
      const result = await work((sql, ...values) => this.#all(sql, ...values));
      await this.#all('COMMIT');
      return result;
    } catch (error) {
      await this.#all('ROLLBACK').catch(() => {});
      throw error;
    }
  }

  async close(): Promise<void> {
    const connection = this.#connection;
    this.#isClosed = true;
    this.#connection = undefined;
    const opened = await connection?.catch(() => undefined);
    // What still runs is ended, and its end is not waited for.
    if (this.#running > 0) opened?.destroy();
    else await opened?.end().catch(() => {});
  }

  async #all(sql: string, ...values: SqlValue[]): Promise<SqlRow[]> {
    const connection = await this.#connected();
    this.#running++;
    const answer = await connection.query(sql, values).finally(() => this.#running--);
    return Array.isArray(answer) ? answer.map(plainRow) : [];
  }

  async #connected(): Promise<Connection> {
    // What was ended must not begin anew, to take back what is taken back by then.
    if (this.#isClosed) throw new Error("the site's database was closed");
    this.#connection ??= this.#connect();
    return this.#connection;
  }

  async #connect(): Promise<Connection> {
    const connection = await this.#open();
    // One that ended is not used again; whoever asks next gets another.
    connection.on('end', () => {
      this.#connection = undefined;
    });
    return connection;
  }

  async #open(): Promise<Connection> {
    const { server, account, name } = this.#description;
    const connection = await connect({ address: server, account }, name);
    connection.on('error', () => {});
    await connection.query(
      `SET max_statement_time = ${CALL_SECONDS}, lock_wait_timeout = 15, innodb_lock_wait_timeout = 15`,
    );
    return connection;
  }

  /**
   * Rows are read one after the other on a way of their own, as they were when this began, so that however many there are one at a time is in
   * memory. They are written by their key where there is one, and by what they hold otherwise; what somebody else has changed meanwhile stays.
   */
  async #rewrite(reader: Connection, table: string, part: string, move: (text: string) => string): Promise<void> {
    const columns = await this.#all(
      `SELECT COLUMN_NAME AS name, COLUMN_KEY = 'PRI' AS isKey, CHARACTER_SET_NAME IS NOT NULL AS isText FROM information_schema.COLUMNS
       WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ? AND IS_GENERATED = 'NEVER' ORDER BY ORDINAL_POSITION`,
      table,
    );
    const key = columns.filter(({ isKey }) => isKey === 1).map(({ name }) => String(name));
    for (const { name } of columns.filter(({ isText }) => isText === 1)) {
      const column = quoteName(String(name));
      const text = `CAST(${column} AS BINARY)`;
      // The driver reads some rows ahead, so a long text comes by itself.
      const found = reader.queryStream(
        `SELECT ${[...key.map(quoteName), `IF(OCTET_LENGTH(${column}) <= ${SHORT_BYTES}, ${text}, NULL) AS moved_text`, `MD5(${text}) AS moved_hash`]}
         FROM ${quoteName(table)} WHERE INSTR(${column}, ?) > 0`,
        [part],
      );
      for await (const each of found) {
        const row = plainRow(each);
        const isRow = key.map((name) => `${quoteName(name)} = ?`);
        const values = key.map((name) => row[name] as SqlValue);
        const one = `SELECT ${text} AS moved_text FROM ${quoteName(table)} WHERE ${[...isRow, `MD5(${text}) = ?`].join(' AND ')} LIMIT 1`;
        const bytes = row.moved_text ?? (await this.#all(one, ...values, row.moved_hash as SqlValue))[0]?.moved_text;
        const after = bytes && movedBytes(bytes as Uint8Array, move);
        if (!after) continue;
        const where = [...isRow, `${text} = ?`].join(' AND ');
        await this.#all(`UPDATE ${quoteName(table)} SET ${column} = ? WHERE ${where}`, after, ...values, bytes);
      }
    }
  }
}

/** Numbers as SQLite gives them, so that nobody has to know which database it was. */
function plainRow(row: Record<string, unknown>): SqlRow {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : (value as SqlValue),
    ]),
  );
}

function movedBytes(bytes: Uint8Array, move: (text: string) => string): string | Buffer | null {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const encoding = isUtf8(text) ? 'utf8' : 'latin1';
  const before = text.toString(encoding);
  const after = move(before);
  if (after === before) return null;
  return encoding === 'utf8' ? after : Buffer.from(after, encoding);
}
