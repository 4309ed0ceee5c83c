import { type ObjectReader, type Ref, readContent } from '../../content.ts';
import { decodeRows, RawText, type Row, type RowValue } from '../../tables/row-codec.ts';
import { readRanges, readTableOutline, type TableOutline } from '../../tables/table-root.ts';
import type { TableDescription } from '../../tables/table-source.ts';
import type { DatabaseKind } from '../database.ts';
import type { MariadbSchema } from '../mariadb/mariadb-schema.ts';
import type { SqliteSchema } from '../sqlite-schema.ts';
import { readMariadbTable } from './mariadb-told.ts';
import { writeMariadbTable } from './mysql-table.ts';
import { guessTable } from './sqlite-guess.ts';
import { writeSqliteTable } from './sqlite-table.ts';
import { readToldTables, TOLD_TABLES, type ToldRow, type ToldTables } from './sqlite-told.ts';

/** A table in words of the other kind of database, with its rows. */
export interface TranslatedTable {
  table: TableDescription;
  rows: () => AsyncIterable<readonly Row[]>;
}

export interface Translated {
  tables: TranslatedTable[];
  skipped: { name: string; reason: string }[];
}

/** Which kind of database the tables were stored from. */
export async function kindOf(reader: ObjectReader, tables: Record<string, Ref>): Promise<DatabaseKind | undefined> {
  const [ref] = Object.values(tables);
  if (ref === undefined) return undefined;
  return 'values' in ((await readTableOutline(reader, ref)).description.schema as object) ? 'mariadb' : 'sqlite';
}

export async function translateTables(
  reader: ObjectReader,
  tables: Record<string, Ref>,
  to: DatabaseKind,
): Promise<Translated> {
  const outlines: TableOutline[] = [];
  for (const ref of Object.values(tables)) outlines.push(await readTableOutline(reader, ref));
  return to === 'mariadb' ? toMariadb(reader, outlines) : toSqlite(reader, outlines);
}

/** What WordPress' integration for SQLite keeps to itself is of no use anywhere else. */
const OF_SQLITE = /^_(?:wp_sqlite|mysql)_/;

async function toMariadb(reader: ObjectReader, outlines: readonly TableOutline[]): Promise<Translated> {
  const read = async (name: string): Promise<ToldRow[]> => {
    const outline = outlines.find(({ description }) => description.name === name);
    const rows: ToldRow[] = [];
    if (outline) for await (const batch of rowsOf(reader, outline)) rows.push(...batch.map(record(outline)));
    return rows;
  };
  const told = {} as ToldTables;
  for (const [key, name] of Object.entries(TOLD_TABLES)) told[key as keyof ToldTables] = await read(name);
  const known = readToldTables(told);
  const translated: Translated = { tables: [], skipped: [] };
  for (const outline of outlines) {
    const { name, columns, schema } = outline.description;
    if (OF_SQLITE.test(name)) continue;
    const made = known.get(name) ?? guessTable(name, schema as SqliteSchema);
    const sql = made && writeMariadbTable(made);
    const own = made?.columns.map((column) => column.name) ?? [];
    if (!sql || (schema as SqliteSchema).kind === 'view' || !own.every((column) => columns.includes(column)))
      translated.skipped.push({ name, reason: 'WordPress does not know what MySQL would make it of' });
    else
      translated.tables.push({
        table: { name, columns: own, key: [], schema: mariadbSchema(sql, (schema as SqliteSchema).sequence) },
        rows: () => rowsOf(reader, outline, own),
      });
  }
  return translated;
}

/** The one counts up to the last number that was given, the other from the next. */
function mariadbSchema(sql: string, sequence: string | null): MariadbSchema {
  const next =
    / AUTO_INCREMENT(?:,|\n)/.test(sql) && /^\d+$/.test(sequence ?? '') ? `${BigInt(sequence ?? 0) + 1n}` : null;
  return { kind: 'table', sql, values: [], references: [], sequence: next };
}

const TYPES_CACHE = {
  name: '_mysql_data_types_cache',
  sql: 'CREATE TABLE _mysql_data_types_cache (`table` TEXT NOT NULL, `column_or_index` TEXT NOT NULL, `mysql_type` TEXT NOT NULL, PRIMARY KEY(`table`, `column_or_index`))',
  columns: ['table', 'column_or_index', 'mysql_type'],
};
const STATEMENTS = {
  name: TOLD_TABLES.statements,
  sql: `CREATE TABLE ${TOLD_TABLES.statements} (name TEXT NOT NULL PRIMARY KEY, sql TEXT NOT NULL)`,
  columns: ['name', 'sql'],
};

/** WordPress' integration tells by itself what MySQL would know of tables that it finds, and looks for their types where it kept them in earlier days. */
async function toSqlite(reader: ObjectReader, outlines: readonly TableOutline[]): Promise<Translated> {
  const translated: Translated = { tables: [], skipped: [] };
  const [types, statements]: string[][][] = [[], []];
  for (const outline of outlines) {
    const { name, columns, schema } = outline.description;
    const { kind, sql, sequence } = schema as MariadbSchema;
    const made = kind === 'table' ? readMariadbTable(name, sql) : undefined;
    if (!made) {
      translated.skipped.push({ name, reason: 'WordPress has no such thing where its database is SQLite' });
      continue;
    }
    const last = sequence === null ? null : `${BigInt(sequence) - 1n}`;
    translated.tables.push({
      table: { name, columns, key: [], schema: writeSqliteTable(made, last) },
      rows: () => rowsOf(reader, outline),
    });
    for (const column of made.columns) types?.push([name, column.name, column.type]);
    statements?.push([name, sql]);
  }
  for (const [{ name, sql, columns }, rows] of [[TYPES_CACHE, types] as const, [STATEMENTS, statements] as const])
    translated.tables.push({
      table: { name, columns, key: [], schema: { kind: 'table', sql, indexes: [], triggers: [], sequence: null } },
      rows: () => oneBatch(rows ?? []),
    });
  return translated;
}

async function* oneBatch(rows: readonly string[][]): AsyncGenerator<Row[]> {
  yield rows.map((values) => ({ values, bytes: Buffer.alloc(0) }));
}

/** The rows of a stored table, with the columns that are asked for. */
async function* rowsOf(
  reader: ObjectReader,
  { description, nodes }: TableOutline,
  wanted: readonly string[] = description.columns,
): AsyncGenerator<Row[]> {
  const places = wanted.map((column) => description.columns.indexOf(column));
  for (const { ref } of await readRanges(reader, nodes)) {
    const rows = decodeRows(await readContent(reader, ref), description.columns.length);
    yield rows.map(({ values, bytes }) => ({ values: places.map((place) => values[place] ?? null), bytes }));
  }
}

function record({ description }: TableOutline): (row: Row) => ToldRow {
  return ({ values }) =>
    Object.fromEntries(description.columns.map((name, index) => [name, plain(values[index] ?? null)]));
}

function plain(value: RowValue): unknown {
  return value instanceof RawText ? value.bytes.toString() : value;
}
