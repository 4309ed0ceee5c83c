import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { ArchiveRefused } from '#core/archive/archive-refused.ts';
import type { SqlValue } from '#runtimes/runtime.ts';
import { toSqlValue, Unfit } from './convert.ts';
import { DumpReader } from './dump-reader.ts';
import { refuse } from './statements.ts';
import { type Affinity, affinityOf, type Table } from './table.ts';
import { findWordPress, OWN_PREFIX, type WordPressTables } from './wordpress-tables.ts';

export interface DumpTables {
  found: WordPressTables;
  /** Every table, by its name in lower case. */
  tables: Map<string, Table>;
  rows: number;
}

/** Reads a dump to its end, every value of it, so that whatever is wrong with it is known before anything is made of it. */
export async function readDumpTables(source: AsyncIterable<Buffer>): Promise<DumpTables> {
  let rows = 0;
  const affinities = new Map<Table, Map<string, Affinity>>();
  const reader = new DumpReader((table, columns, row, at) => {
    const known = affinities.get(table) ?? affinitiesOf(table);
    affinities.set(table, known);
    row.forEach((value, index) => {
      const column = columns[index] as string;
      const affinity = known.get(column.toLowerCase());
      if (!affinity) throw refuse(at.line, `the table ${table.name} has no column ${column}`);
      fit(() => toSqlValue(value, affinity, at.charset), column, at);
    });
    rows++;
  });
  await reader.read(source);
  return { found: findWordPress(reader.tables.values()), tables: reader.tables, rows };
}

const affinitiesOf = ({ columns }: Table) =>
  new Map(columns.map(({ name, type }) => [name.toLowerCase(), affinityOf(type) as Affinity]));

/** Puts the rows of a dump into a database that has all of its tables, in place of whatever is in them, in one transaction. */
export async function loadDump(
  source: AsyncIterable<Buffer>,
  { prefix, names }: WordPressTables,
  file: string,
): Promise<void> {
  const database = new DatabaseSync(file, { timeout: 0 });
  const inserts = new Map<string, Insert>();
  try {
    database.exec('pragma trusted_schema = off; begin immediate');
    for (const table of ownTables(database)) database.exec(`delete from ${quote(table)}`);
    const reader = new DumpReader((table, columns, row, at) => {
      const name = names.get(table.name.toLowerCase());
      // Of somebody else's tables in the same database, nothing is taken.
      if (name === undefined) return;
      const key = `${name}\n${columns.join('\n')}`;
      const insert = inserts.get(key) ?? prepare(database, name, columns);
      inserts.set(key, insert);
      const values = row.map((value, index) =>
        fit(() => toSqlValue(value, insert.affinities[index] as Affinity, at.charset), columns[index] as string, at),
      );
      put(insert.statement, values, at);
    });
    await reader.read(source);
    renameKeys(database, prefix);
    requireAddress(database);
    database.exec('commit');
  } finally {
    database.close();
  }
}

interface Insert {
  statement: StatementSync;
  affinities: Affinity[];
}

function prepare(database: DatabaseSync, table: string, columns: string[]): Insert {
  const types = new Map(
    database
      .prepare(`pragma table_info(${quote(table)})`)
      .all()
      .map(({ name, type }) => [String(name).toLowerCase(), String(type).toLowerCase()]),
  );
  const affinities = columns.map((column): Affinity => {
    const type = types.get(column.toLowerCase());
    if (type === undefined)
      throw new ArchiveRefused(`its database has rows with a column ${column} that ${table} lacks`);
    return type === 'text' || type === 'integer' || type === 'blob' ? type : 'real';
  });
  const places = columns.map(() => '?').join(', ');
  const statement = database.prepare(
    `insert into ${quote(table)} (${columns.map(quote).join(', ')}) values (${places})`,
  );
  return { statement, affinities };
}

function put(statement: StatementSync, values: SqlValue[], at: { line: number }): void {
  try {
    statement.run(...(values as SQLInputValue[]));
  } catch (error) {
    throw refuse(at.line, `a row does not fit its table (${(error as Error).message})`);
  }
}

function fit(convert: () => SqlValue, column: string, at: { line: number }): SqlValue {
  try {
    return convert();
  } catch (error) {
    throw error instanceof Unfit ? refuse(at.line, `the value of ${column} ${error.message}`) : error;
  }
}

/** What WordPress keeps under names that begin with the prefix of the tables. */
function renameKeys(database: DatabaseSync, prefix: string): void {
  if (prefix === OWN_PREFIX) return;
  const renamed = (column: string) => `${column} = '${OWN_PREFIX}' || substr(${column}, ?2)
    where substr(${column}, 1, ?2 - 1) = ?1`;
  const length = prefix.length + 1;
  database
    .prepare(`update or replace wp_options set ${renamed('option_name')} and option_name = ?1 || 'user_roles'`)
    .run(prefix, length);
  database.prepare(`update wp_usermeta set ${renamed('meta_key')}`).run(prefix, length);
}

function requireAddress(database: DatabaseSync): void {
  const home = database.prepare("select option_value from wp_options where option_name = 'home'").get()?.option_value;
  const url = URL.parse(String(home));
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '')
    throw new ArchiveRefused('its database does not say which address the site has (the option home)');
}

function ownTables(database: DatabaseSync): string[] {
  const like = "type = 'table' and name like 'wp\\_%' escape '\\'";
  return database
    .prepare(`select name from sqlite_master where ${like}`)
    .all()
    .map(({ name }) => String(name));
}

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;
