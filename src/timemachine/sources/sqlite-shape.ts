import { DatabaseSync } from 'node:sqlite';
import { type Cell, cellOfInteger, cellOfText } from '../tables/row-codec.ts';
import type { TableShape, UniqueColumns } from '../tables/table-shape.ts';
import type { TableDescription } from '../tables/table-source.ts';
import { SchemaMaker } from './sqlite-make.ts';
import { quoteName, ROW_ID_NAMES, type SqliteSchema } from './sqlite-schema.ts';

/** SQLite itself is asked, on an empty table that is made by the same statements. */
export function shapeOf({ name, key, schema }: TableDescription): TableShape {
  const { kind, sql, indexes } = schema as SqliteSchema;
  if (kind === 'view') return { isKeyHidden: false, uniques: [], defaults: new Map() };
  const db = new DatabaseSync(':memory:', { enableForeignKeyConstraints: false, defensive: true });
  try {
    const maker = new SchemaMaker(db);
    maker.make(sql);
    for (const index of indexes) if (/^create\s+unique\b/i.test(index)) maker.make(index);
    const columns = db.prepare(`PRAGMA table_info(${quoteName(name)})`).all() as unknown as Column[];
    const names = new Set(columns.map((column) => column.name));
    return {
      isKeyHidden: key.length === 1 && !names.has(key[0] as string),
      uniques: uniquesOf(db, name, key),
      defaults: new Map(columns.map((column) => [column.name, defaultOf(column)])),
    };
  } catch {
    // It asks for a function that only its site has. Then nothing is known of it.
    return { isKeyHidden: true, uniques: [], defaults: new Map() };
  } finally {
    db.close();
  }
}

/** The columns that the table's statement names: without the row id, which is stored where it is the key. */
export function namedColumnsOf(table: TableDescription): readonly string[] {
  const { columns, key } = table;
  const isRowId = key.length === 1 && ROW_ID_NAMES.includes(key[0] as string);
  return isRowId && shapeOf(table).isKeyHidden ? columns.filter((column) => column !== key[0]) : columns;
}

interface Column {
  name: string;
  type: string;
  notnull: number;
  dflt_value: string | null;
}

function uniquesOf(db: DatabaseSync, table: string, key: readonly string[]): UniqueColumns[] {
  const indexes = db.prepare(`PRAGMA index_list(${quoteName(table)})`).all() as unknown as {
    name: string;
    unique: number;
    origin: string;
    partial: number;
  }[];
  return (
    indexes
      .filter(({ unique, partial }) => unique === 1 && partial === 0)
      .sort((a, b) => Number(b.origin === 'pk') - Number(a.origin === 'pk'))
      .map(({ name }) => {
        const parts = db.prepare(`PRAGMA index_xinfo(${quoteName(name)})`).all() as unknown as {
          name: string | null;
          coll: string;
          key: number;
        }[];
        return parts.filter((part) => part.key === 1);
      })
      // An index of something that is worked out from the columns is nothing that we could look up.
      .filter((parts) => parts.every((part) => part.name !== null))
      .map((parts) => ({
        columns: parts.map((part) => part.name as string),
        caseless: new Set(
          parts.filter(({ coll }) => coll.toUpperCase() === 'NOCASE').map((part) => part.name as string),
        ),
      }))
      .filter(({ columns }) => columns.join('\0') !== key.join('\0'))
  );
}

/** Only what is written out; a text in a column of numbers becomes a number. */
function defaultOf({ type, notnull, dflt_value: text }: Column): Cell | undefined {
  if (text === null || /^null$/i.test(text)) return notnull === 0 ? Buffer.from('n') : undefined;
  const quoted = /^'((?:[^']|'')*)'$/.exec(text)?.[1]?.replaceAll("''", "'");
  const plain = quoted ?? text;
  if (/INT/i.test(type)) return /^-?\d{1,18}$/.test(plain) ? cellOfInteger(BigInt(plain)) : undefined;
  if (/CHAR|CLOB|TEXT/i.test(type)) return quoted === undefined ? undefined : cellOfText(Buffer.from(quoted));
  return undefined;
}
