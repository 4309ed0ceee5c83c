import { createHash } from 'node:crypto';
import type { Connection } from 'mariadb';
import { quoteName } from '#runtimes/mariadb/server-access.ts';
import type { MariadbDescription } from '#runtimes/mariadb/site-databases.ts';
import type { Row } from '../../tables/row-codec.ts';
import type { TableDescription } from '../../tables/table-source.ts';
import type { TableChanges, TableTarget } from '../../tables/table-target.ts';
import type { TargetOptions } from '../database.ts';
import { type Beside, MariadbChanges } from './mariadb-changes.ts';
import { openConnection, translation } from './mariadb-connection.ts';
import type { MariadbSchema } from './mariadb-schema.ts';
import { insertRows } from './mariadb-write.ts';

const TURN_SECONDS = 60;

/**
 * A database that a restore writes to. Rows change in one transaction; whole tables are loaded beside the database and take
 * the places of the others by one RENAME. Both happen at the end, when everything was read back: a failure before that leaves
 * all as it was, and after a kill in between the journal is finished by `recover`.
 */
export class MariadbTarget implements TableTarget {
  readonly #description: MariadbDescription;
  readonly #beside: Beside;
  /** For rows. */
  readonly #rows: Connection;
  /** For tables: each of its statements stands for itself. */
  readonly #tables: Connection;
  readonly #staged = new Set<string>();

  private constructor(description: MariadbDescription, rows: Connection, tables: Connection) {
    this.#description = description;
    this.#beside = { staged: `${description.name}_new`, old: `${description.name}_was` };
    this.#rows = rows;
    this.#tables = tables;
  }

  /** Waits until what a killed one had sent is done: its connections have the turn until then. */
  static async open(
    description: MariadbDescription,
    { isForeign = false }: TargetOptions = {},
  ): Promise<MariadbTarget> {
    const opened: Connection[] = [];
    try {
      for (const part of ['rows', 'tables']) {
        const connection = await openConnection(description, true);
        opened.push(connection);
        const [row] = (await connection.query('SELECT GET_LOCK(?, ?) AS turn', [
          turnOf(description, part),
          TURN_SECONDS,
        ])) as { turn: unknown }[];
        if (Number(row?.turn) !== 1) throw new Error('Another restore of the database does not come to its end');
        await use(connection, description.name);
        if (isForeign) await connection.query("SET sql_mode = 'NO_AUTO_VALUE_ON_ZERO,STRICT_ALL_TABLES'");
      }
      return new MariadbTarget(description, opened[0] as Connection, opened[1] as Connection);
    } catch (error) {
      for (const connection of opened) connection.destroy();
      throw error;
    }
  }

  async stage(table: TableDescription, batches: AsyncIterable<readonly Row[]>): Promise<void> {
    const { staged } = this.#beside;
    const { kind, sql, sequence } = table.schema as MariadbSchema;
    this.#staged.add(table.name);
    if (kind === 'view') return;
    if (!/^CREATE TABLE `/.test(sql)) throw new Error(`The statement of the table ${table.name} makes none`);
    await this.#tables.query(`CREATE DATABASE IF NOT EXISTS ${quoteName(staged)}`);
    await this.#tables.query(`USE ${quoteName(staged)}`);
    try {
      await this.#tables.query(sql);
      for await (const rows of batches) {
        await this.#tables.query('START TRANSACTION');
        await insertRows(this.#tables, quoteName(table.name), table, rows);
        await this.#tables.query('COMMIT');
      }
      if (sequence !== null)
        await this.#tables.query(`ALTER TABLE ${quoteName(table.name)} AUTO_INCREMENT = ${number(sequence)}`);
    } finally {
      await this.#tables.query('ROLLBACK');
      await this.#tables.query(`USE ${quoteName(this.#description.name)}`);
    }
  }

  async transaction<T>(work: (changes: TableChanges) => Promise<T>): Promise<T> {
    const changes = new MariadbChanges(this.#description.name, this.#beside, this.#rows, this.#tables, this.#staged);
    try {
      await this.#rows.query('START TRANSACTION');
      const result = await work(changes);
      await changes.commit();
      return result;
    } catch (error) {
      await this.#rows.query('ROLLBACK').catch(() => {});
      throw translation(error);
    } finally {
      await this.discardStaged();
    }
  }

  async discardStaged(): Promise<void> {
    for (const name of Object.values(this.#beside))
      await this.#tables.query(`DROP DATABASE IF EXISTS ${quoteName(name)}`);
    this.#staged.clear();
  }

  async close(): Promise<void> {
    for (const connection of [this.#rows, this.#tables]) await connection.end().catch(() => connection.destroy());
  }
}

/** Not made where it is there: the log would have a statement about it, as if it had changed. */
async function use(connection: Connection, database: string): Promise<void> {
  const [isThere] = (await connection.query('SELECT 1 FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = ?', [
    database,
  ])) as unknown[];
  if (!isThere) await connection.query(`CREATE DATABASE ${quoteName(database)}`);
  await connection.query(`USE ${quoteName(database)}`);
}

/** Names of locks are the server's, so nobody else may know this one. */
function turnOf({ account, name }: MariadbDescription, part: string): string {
  return createHash('sha256').update(`${account.password} ${name} ${part}`).digest('hex').slice(0, 60);
}

function number(text: string): string {
  return BigInt(text).toString();
}
