import type { DatabaseSync } from 'node:sqlite';
import type { TableDescription } from '../tables/table-source.ts';

/** What `schema` of a table of SQLite holds. */
export interface SqliteSchema {
  kind: 'table' | 'view';
  /** The statement that makes it, word by word. */
  sql: string;
  /** Its indexes and triggers, likewise. */
  indexes: string[];
  triggers: string[];
  /** The last number that AUTOINCREMENT gave, where it is used. */
  sequence: string | null;
}

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

interface ListedTable {
  name: string;
  type: 'table' | 'view' | 'virtual' | 'shadow';
  /** 1 for WITHOUT ROWID. */
  wr: number;
}

/** The tables and views of the main database, and those that can not be stored, with the reason. */
export function readSchema(db: DatabaseSync, isTracked: (name: string) => boolean) {
  const tables: TableDescription[] = [];
  const skipped: { name: string; reason: string }[] = [];
  const { encoding } = db.prepare('PRAGMA encoding').get() as { encoding: string };
  const listed = db.prepare("SELECT name, type, wr FROM pragma_table_list WHERE schema = 'main' ORDER BY name").all();
  for (const table of listed as unknown as ListedTable[]) {
    const { name, type } = table;
    if (name.startsWith('sqlite_') || !isTracked(name)) continue;
    if (type === 'virtual' || type === 'shadow') skipped.push({ name, reason: 'it belongs to a virtual table' });
    else if (encoding !== 'UTF-8') skipped.push({ name, reason: `the database is encoded in ${encoding}` });
    else tables.push(describe(db, table));
  }
  return { tables, skipped };
}

function describe(db: DatabaseSync, { name, type, wr }: ListedTable): TableDescription {
  const statements = db
    .prepare('SELECT type, sql FROM sqlite_schema WHERE tbl_name = ? AND sql IS NOT NULL ORDER BY type, name')
    .all(name) as { type: string; sql: string }[];
  const sqlOf = (kind: string) => statements.filter((each) => each.type === kind).map(({ sql }) => sql);
  const schema: SqliteSchema = {
    kind: type === 'view' ? 'view' : 'table',
    sql: sqlOf(type)[0] ?? '',
    indexes: sqlOf('index'),
    triggers: sqlOf('trigger'),
    sequence: readSequence(db, name),
  };
  if (type === 'view') return { name, columns: [], key: [], schema };
  // Generated columns (2 and 3) are not stored: the table's statement makes them again.
  const columns = db
    .prepare('SELECT name, pk FROM pragma_table_xinfo(?) WHERE hidden = 0 ORDER BY cid')
    .all(name) as unknown as { name: string; pk: number }[];
  const names = columns.map((column) => column.name);
  const keyNames = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  if (wr === 1) return { name, columns: names, key: keyNames.map((column) => column.name), schema };
  // A table with a rowid is ordered by it; an INTEGER PRIMARY KEY is its other name, and then needs no index.
  const hasKeyIndex = db.prepare("SELECT 1 FROM pragma_index_list(?) WHERE origin = 'pk'").get(name) !== undefined;
  const alias = keyNames.length === 1 && !hasKeyIndex ? keyNames[0]?.name : undefined;
  if (alias !== undefined) return { name, columns: names, key: [alias], schema };
  const taken = new Set(names.map((column) => column.toLowerCase()));
  const rowid = ['rowid', '_rowid_', 'oid'].find((each) => !taken.has(each));
  return rowid === undefined
    ? { name, columns: names, key: [], schema }
    : { name, columns: [rowid, ...names], key: [rowid], schema };
}

function readSequence(db: DatabaseSync, name: string): string | null {
  if (!db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'").get()) return null;
  const row = db.prepare('SELECT CAST(seq AS TEXT) AS seq FROM sqlite_sequence WHERE name = ?').get(name);
  return (row?.seq as string | undefined) ?? null;
}
