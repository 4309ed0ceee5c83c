import type { Connection } from 'mariadb';
import { quoteName } from '#runtimes/mariadb/server-access.ts';
import type { Row } from '../../tables/row-codec.ts';
import type { Key, RowBlock, TableDescription } from '../../tables/table-source.ts';
import type { TableChanges } from '../../tables/table-target.ts';
import { codeOf } from './mariadb-connection.ts';
import { MariadbRows } from './mariadb-rows.ts';
import type { MariadbSchema } from './mariadb-schema.ts';
import { deleteRows, insertRows } from './mariadb-write.ts';

/** Doubles, no parent row, no value for a column, a value that a column does not take. */
const REFUSALS = new Set([1048, 1062, 1216, 1217, 1364, 1366, 1406, 1451, 1452, 1557, 4025]);

/** Where rows are loaded aside, and where goes what they take the place of: databases of their own, which are in no snapshot. */
export interface Beside {
  staged: string;
  old: string;
}

/** What one restore does to a database: rows at once, in a transaction; whole tables when that is about to be committed. */
export class MariadbChanges implements TableChanges {
  readonly #database: string;
  readonly #beside: Beside;
  readonly #rows: Connection;
  readonly #tables: Connection;
  readonly #staged: ReadonlySet<string>;
  readonly #replaced = new Set<string>();
  readonly #dropped = new Set<string>();
  #finished: readonly TableDescription[] = [];

  constructor(database: string, beside: Beside, rows: Connection, tables: Connection, staged: ReadonlySet<string>) {
    this.#database = database;
    this.#beside = beside;
    this.#rows = rows;
    this.#tables = tables;
    this.#staged = staged;
  }

  async drop(name: string): Promise<void> {
    this.#dropped.add(name);
  }

  async replace(table: TableDescription): Promise<void> {
    if (!this.#staged.has(table.name)) throw new Error(`The table ${table.name} was not staged`);
    this.#replaced.add(table.name);
  }

  async change(table: TableDescription, removed: readonly Row[], added: readonly Row[]): Promise<void> {
    await deleteRows(this.#rows, table, removed);
    await insertRows(this.#rows, quoteName(table.name), table, added);
  }

  isRefusal(error: unknown): boolean {
    return REFUSALS.has(codeOf(error) ?? 0);
  }

  async finish(tables: readonly TableDescription[]): Promise<void> {
    this.#finished = tables;
  }

  /** What was staged is read where it is. */
  async read(table: TableDescription, from: Key | null, to: Key | null): Promise<RowBlock> {
    if (!this.#replaced.has(table.name)) return new MariadbRows(this.#rows).read(table, from, to);
    await this.#tables.query(`USE ${quoteName(this.#beside.staged)}`);
    try {
      return await new MariadbRows(this.#tables).read(table, from, to);
    } finally {
      await this.#tables.query(`USE ${quoteName(this.#database)}`);
    }
  }

  /** Tables first: what can go wrong there undoes the rows. */
  async commit(): Promise<void> {
    await this.#swap();
    await this.#rows.query('COMMIT');
    for (const { name, schema } of this.#finished) {
      const { kind, sql, sequence } = schema as MariadbSchema;
      if (kind === 'view') await this.#tables.query(sql.replace(/^CREATE /, 'CREATE OR REPLACE '));
      else if (sequence !== null && !this.#replaced.has(name)) await this.#setNext(name, sequence);
    }
    for (const table of this.#finished) await this.#refer(table);
  }

  async #swap(): Promise<void> {
    const wanted = this.#finished.filter(({ name }) => this.#replaced.has(name));
    const there = await this.#kinds();
    const isView = ({ schema }: TableDescription) => (schema as MariadbSchema).kind === 'view';
    const gone = [...this.#dropped, ...wanted.map(({ name }) => name)].filter((name) => there.has(name));
    for (const name of gone) if (there.get(name) === 'VIEW') await this.#tables.query(`DROP VIEW ${quoteName(name)}`);
    const { staged, old } = this.#beside;
    const move = (from: string, to: string) => (name: string) =>
      `${quoteName(from)}.${quoteName(name)} TO ${quoteName(to)}.${quoteName(name)}`;
    const out = gone.filter((name) => there.get(name) !== 'VIEW');
    const renames = [
      ...out.map(move(this.#database, old)),
      ...wanted.filter((table) => !isView(table)).map(({ name }) => move(staged, this.#database)(name)),
    ];
    if (renames.length === 0) return;
    await this.#tables.query(`CREATE DATABASE IF NOT EXISTS ${quoteName(old)}`);
    // What refers to a table goes with it when it moves, so it is made anew.
    for (const name of out) await this.#forgetReferences(name);
    await this.#tables.query(`RENAME TABLE ${renames.join(', ')}`);
  }

  async #kinds(): Promise<Map<string, string>> {
    const rows = (await this.#tables.query(
      'SELECT TABLE_NAME AS name, TABLE_TYPE AS type FROM information_schema.TABLES WHERE TABLE_SCHEMA = ?',
      [this.#database],
    )) as { name: string; type: string }[];
    return new Map(rows.map(({ name, type }) => [name, type]));
  }

  async #setNext(name: string, sequence: string): Promise<void> {
    const [row] = (await this.#tables.query(
      'SELECT CAST(AUTO_INCREMENT AS CHAR) AS next FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?',
      [this.#database, name],
    )) as { next: string | null }[];
    if (row?.next === sequence) return;
    await this.#tables.query(`ALTER TABLE ${quoteName(name)} AUTO_INCREMENT = ${BigInt(sequence)}`);
  }

  async #forgetReferences(name: string): Promise<void> {
    const found = (await this.#tables.query(
      `SELECT CONSTRAINT_NAME AS name, TABLE_NAME AS owner FROM information_schema.REFERENTIAL_CONSTRAINTS
       WHERE CONSTRAINT_SCHEMA = ? AND TABLE_NAME = ?`,
      [this.#database, name],
    )) as { name: string; owner: string }[];
    for (const { name: reference, owner } of found)
      await this.#tables.query(`ALTER TABLE ${quoteName(owner)} DROP FOREIGN KEY ${quoteName(reference)}`);
  }

  /** The table refers to others as it did, and in no other way. */
  async #refer({ name, schema }: TableDescription): Promise<void> {
    const { kind, references } = schema as MariadbSchema;
    if (kind === 'view') return;
    const found = (await this.#tables.query(
      `SELECT CONSTRAINT_NAME AS name FROM information_schema.REFERENTIAL_CONSTRAINTS
       WHERE CONSTRAINT_SCHEMA = ? AND TABLE_NAME = ?`,
      [this.#database, name],
    )) as { name: string }[];
    const wanted = new Map(references.map((clause) => [/^CONSTRAINT `((?:[^`]|``)*)`/.exec(clause)?.[1], clause]));
    const there = new Set(found.map((row) => row.name.replaceAll('`', '``')));
    for (const reference of there)
      if (!wanted.has(reference))
        await this.#tables.query(`ALTER TABLE ${quoteName(name)} DROP FOREIGN KEY \`${reference}\``);
    for (const [reference, clause] of wanted)
      if (reference !== undefined && !there.has(reference))
        await this.#tables.query(`ALTER TABLE ${quoteName(name)} ADD ${clause}`);
  }
}
