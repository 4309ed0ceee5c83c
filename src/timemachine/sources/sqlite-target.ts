import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { RawText, type Row, type RowValue } from '../tables/row-codec.ts';
import type { TableDescription } from '../tables/table-source.ts';
import type { TableChanges, TableTarget } from '../tables/table-target.ts';
import { SchemaMaker } from './sqlite-make.ts';
import { assertPlainJournal, codeOf, openDatabase, translation } from './sqlite-open.ts';
import { SqliteRows } from './sqlite-rows.ts';
import { quoteName, type SqliteSchema } from './sqlite-schema.ts';

const CONSTRAINT = 19;

/** A SQLite database that a restore writes to, live or new. */
export class SqliteTarget implements TableTarget {
  readonly #path: string;
  readonly #db: DatabaseSync;
  readonly #maker: SchemaMaker;
  readonly #staged = new Map<string, string>();

  constructor(path: string, options: { busyTimeoutMs?: number } = {}) {
    this.#path = path;
    this.#db = openDatabase(path, { timeoutMs: options.busyTimeoutMs ?? 5_000, create: true });
    // A database without a name is this connection's own, on disk only as far as it must be, and gone with it. So what is
    // staged neither touches the site's database nor outlives us.
    this.#db.exec("ATTACH DATABASE '' AS staged");
    this.#db.exec('PRAGMA staged.journal_mode = MEMORY; PRAGMA staged.synchronous = OFF');
    // What was brought back has to last: a commit ends when the disk knows that the journal is gone.
    this.#db.exec('PRAGMA main.synchronous = EXTRA');
    // Rows that were there come back, whatever the table says of new ones.
    this.#db.exec('PRAGMA ignore_check_constraints = ON');
    this.#maker = new SchemaMaker(this.#db);
  }

  async stage(table: TableDescription, batches: AsyncIterable<readonly Row[]>): Promise<void> {
    const name = `staged.table${this.#staged.size}`;
    const columns = table.columns.map((_, index) => `c${index}`);
    // Columns without a type keep every value as it is.
    if (columns.length > 0) this.#db.exec(`CREATE TABLE ${name} (${columns.join(', ')})`);
    this.#staged.set(table.name, name);
    for await (const rows of batches) {
      this.#db.exec('BEGIN');
      try {
        insertRows(this.#db, name, columns, rows);
        this.#db.exec('COMMIT');
      } catch (error) {
        this.#db.exec('ROLLBACK');
        throw error;
      }
    }
  }

  async transaction<T>(work: (changes: TableChanges) => Promise<T>): Promise<T> {
    try {
      assertPlainJournal(this.#path);
      this.#db.exec('BEGIN IMMEDIATE');
      const result = await work(new SqliteChanges(this.#db, this.#maker, this.#staged));
      this.#db.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw translation(error);
    } finally {
      await this.discardStaged();
    }
  }

  async discardStaged(): Promise<void> {
    for (const name of this.#staged.values()) this.#db.exec(`DROP TABLE IF EXISTS ${name}`);
    this.#staged.clear();
  }

  async close(): Promise<void> {
    this.#db.close();
  }
}

class SqliteChanges implements TableChanges {
  readonly #db: DatabaseSync;
  readonly #maker: SchemaMaker;
  readonly #staged: ReadonlyMap<string, string>;
  readonly #rows: SqliteRows;

  constructor(db: DatabaseSync, maker: SchemaMaker, staged: ReadonlyMap<string, string>) {
    this.#db = db;
    this.#maker = maker;
    this.#staged = staged;
    this.#rows = new SqliteRows(db);
  }

  async drop(name: string): Promise<void> {
    const found = this.#db
      .prepare("SELECT type FROM sqlite_schema WHERE name = ? AND type IN ('table', 'view')")
      .get(name);
    if (found) this.#db.exec(`DROP ${found.type === 'view' ? 'VIEW' : 'TABLE'} ${quoteName(name)}`);
  }

  async replace(table: TableDescription): Promise<void> {
    const schema = table.schema as SqliteSchema;
    await this.drop(table.name);
    // Views wait until every table that they may show is there.
    if (schema.kind === 'view') return;
    const staged = this.#staged.get(table.name);
    if (!staged) throw new Error(`The table ${table.name} was not staged`);
    this.#maker.make(schema.sql);
    const columns = table.columns.map((_, index) => `c${index}`).join(', ');
    this.#db.exec(
      `INSERT INTO ${quoteName(table.name)} (${table.columns.map(quoteName).join(', ')})
       SELECT ${columns} FROM ${staged} ORDER BY rowid`,
    );
    this.#setSequence(table.name, schema.sequence);
  }

  async change(table: TableDescription, removed: readonly Row[], added: readonly Row[]): Promise<void> {
    const schema = table.schema as SqliteSchema;
    // Triggers would do once more what they did when these rows were first written; `finish` brings them back.
    for (const { type, name, sql } of this.#partsOf(table.name)) {
      if (type === 'trigger') this.#db.exec(`DROP TRIGGER ${quoteName(name)}`);
      else if (!schema.indexes.includes(sql)) this.#db.exec(`DROP INDEX ${quoteName(name)}`);
    }
    deleteRows(this.#db, table, removed);
    insertRows(this.#db, quoteName(table.name), table.columns.map(quoteName), added);
    this.#setSequence(table.name, schema.sequence);
  }

  isRefusal(error: unknown): boolean {
    return codeOf(error) === CONSTRAINT;
  }

  async finish(tables: readonly TableDescription[]): Promise<void> {
    const schemas = tables.map(({ schema }) => schema as SqliteSchema);
    // An index may have been another table's: it can only be made when it is gone there.
    for (const { name, schema } of tables) {
      const present = new Set(this.#partsOf(name).map(({ sql }) => sql));
      for (const sql of (schema as SqliteSchema).indexes) if (!present.has(sql)) this.#maker.make(sql);
    }
    for (const { kind, sql } of schemas) if (kind === 'view') this.#maker.make(sql);
    for (const { triggers } of schemas) for (const sql of triggers) this.#maker.make(sql);
  }

  async read(...range: Parameters<TableChanges['read']>) {
    return this.#rows.read(...range);
  }

  #partsOf(table: string): { type: string; name: string; sql: string }[] {
    return this.#db
      .prepare(
        `SELECT type, name, sql FROM sqlite_schema
         WHERE tbl_name = ? COLLATE NOCASE AND type IN ('index', 'trigger') AND sql IS NOT NULL`,
      )
      .all(table) as { type: string; name: string; sql: string }[];
  }

  #setSequence(name: string, sequence: string | null): void {
    if (!this.#db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'").get()) return;
    this.#db.prepare('DELETE FROM sqlite_sequence WHERE name = ?').run(name);
    if (sequence === null) return;
    this.#db.prepare('INSERT INTO sqlite_sequence (name, seq) VALUES (?, CAST(? AS INTEGER))').run(name, sequence);
  }
}

function insertRows(db: DatabaseSync, table: string, columns: readonly string[], rows: readonly Row[]): void {
  const statements = new Map<string, StatementSync>();
  for (const { values } of rows) {
    const places = values.map(placeholder).join(', ');
    let statement = statements.get(places);
    if (!statement) {
      statement = db.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`);
      statements.set(places, statement);
    }
    statement.run(...values.map(input));
  }
}

function deleteRows(db: DatabaseSync, table: TableDescription, rows: readonly Row[]): void {
  const places = table.key.map((name) => table.columns.indexOf(name));
  const statements = new Map<string, StatementSync>();
  for (const { values } of rows) {
    const key = places.map((place) => values[place] ?? null);
    const condition = key
      .map((value, index) => `${quoteName(table.key[index] ?? '')} = ${placeholder(value)}`)
      .join(' AND ');
    let statement = statements.get(condition);
    if (!statement) {
      statement = db.prepare(`DELETE FROM ${quoteName(table.name)} WHERE ${condition}`);
      statements.set(condition, statement);
    }
    statement.run(...key.map(input));
  }
}

/** Bytes that are no UTF-8 can only be given as a blob, and become the text that they were. */
function placeholder(value: RowValue): string {
  return value instanceof RawText ? 'CAST(? AS TEXT)' : '?';
}

function input(value: RowValue): SQLInputValue {
  return value instanceof RawText ? value.bytes : value;
}
