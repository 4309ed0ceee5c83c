import type { DatabaseSync } from 'node:sqlite';
import type { WithNumbersOf } from '../tables/table-shape.ts';
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

/** The table, which never again gives a number that the other one has given. */
export const withNumbersOf: WithNumbersOf = (table, other) => {
  const [own, given] = [table.schema as SqliteSchema, other.schema as SqliteSchema];
  return { ...table, schema: { ...own, sequence: later(own.sequence, given.sequence) } };
};

/** A site may have written anything there. */
function later(a: string | null, b: string | null): string | null {
  const [first, second] = [a, b].map((sequence) => (/^\d+$/.test(sequence ?? '') ? BigInt(sequence ?? '') : -1n));
  return (first ?? -1n) > (second ?? -1n) ? a : b;
}

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** MySQL, which WordPress believes to talk to, has 64. SQLite has none, and names are told and written down with every snapshot. */
const NAME_LENGTH = 200;

/** Names of the row id, which a table without another short key is ordered by; a column of the table can have one of them. */
export const ROW_ID_NAMES = ['rowid', '_rowid_', 'oid'];

/** The tables and views of the main database, those that can not be stored, with the reason, and where rows by rowid are. */
export function readSchema(db: DatabaseSync, isTracked: (name: string) => boolean) {
  const tables: TableDescription[] = [];
  const skipped: { name: string; reason: string }[] = [];
  const roots = new Map<string, number>();
  const { encoding } = db.prepare('PRAGMA encoding').get() as { encoding: string };
  const parts = readParts(db);
  const listed = db.prepare("SELECT name, type, wr FROM pragma_table_list WHERE schema = 'main' ORDER BY name").all();
  for (const table of listed as unknown as ListedTable[]) {
    const { name, type } = table;
    if (name.startsWith('sqlite_')) continue;
    if (name.length > NAME_LENGTH) {
      skipped.push({ name: `${name.slice(0, NAME_LENGTH)}…`, reason: `its name has more than ${NAME_LENGTH} letters` });
      continue;
    }
    if (!isTracked(name)) continue;
    if (type === 'virtual' || type === 'shadow') skipped.push({ name, reason: 'it belongs to a virtual table' });
    else if (encoding !== 'UTF-8') skipped.push({ name, reason: `the database is encoded in ${encoding}` });
    else tables.push(describe(table, parts, roots));
  }
  return { tables, skipped, roots };
}

interface ListedTable {
  name: string;
  type: 'table' | 'view' | 'virtual' | 'shadow';
  /** 1 for WITHOUT ROWID. */
  wr: number;
}

/** What all tables are made of, by their names; few queries for all of them, for a site may have a hundred tables. */
interface Parts {
  statements: Map<string, { type: string; sql: string; rootpage: number }[]>;
  columns: Map<string, { name: string; pk: number }[]>;
  /** Tables whose primary key has an index of its own. */
  keyed: Set<string>;
  sequences: Map<string, string>;
}

function readParts(db: DatabaseSync): Parts {
  const statements = db
    .prepare(
      'SELECT tbl_name AS owner, type, sql, rootpage FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name',
    )
    .all() as unknown as { owner: string; type: string; sql: string; rootpage: number }[];
  // Generated columns (2 and 3) are not stored: the table's statement makes them again. Virtual tables have no root.
  const columns = db
    .prepare(
      `SELECT made.name AS owner, part.name, part.pk FROM sqlite_schema AS made, pragma_table_xinfo(made.name) AS part
       WHERE made.type = 'table' AND made.rootpage > 0 AND part.hidden = 0 ORDER BY made.name, part.cid`,
    )
    .all() as unknown as { owner: string; name: string; pk: number }[];
  const keyed = db
    .prepare(
      `SELECT made.name FROM sqlite_schema AS made, pragma_index_list(made.name) AS part
       WHERE made.type = 'table' AND made.rootpage > 0 AND part.origin = 'pk'`,
    )
    .all() as unknown as { name: string }[];
  const hasSequences = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'").get() !== undefined;
  const sequences = (hasSequences
    ? db.prepare('SELECT name, CAST(seq AS TEXT) AS seq FROM sqlite_sequence').all()
    : []) as unknown as { name: string; seq: string }[];
  return {
    // A trigger is listed under the table's name as its own statement writes it.
    statements: Map.groupBy(statements, ({ owner }) => lowered(owner)),
    columns: Map.groupBy(columns, ({ owner }) => owner),
    keyed: new Set(keyed.map(({ name }) => name)),
    sequences: new Map(sequences.map(({ name, seq }) => [name, seq])),
  };
}

function describe({ name, type, wr }: ListedTable, parts: Parts, roots: Map<string, number>): TableDescription {
  const statements = parts.statements.get(lowered(name)) ?? [];
  const sqlOf = (kind: string) => statements.filter((each) => each.type === kind).map(({ sql }) => sql);
  const schema: SqliteSchema = {
    kind: type === 'view' ? 'view' : 'table',
    sql: sqlOf(type)[0] ?? '',
    indexes: sqlOf('index'),
    triggers: sqlOf('trigger'),
    sequence: parts.sequences.get(name) ?? null,
  };
  if (type === 'view') return { name, columns: [], key: [], schema };
  const columns = parts.columns.get(name) ?? [];
  const names = columns.map((column) => column.name);
  const keyNames = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  if (wr === 1) return { name, columns: names, key: keyNames.map((column) => column.name), schema };
  roots.set(name, statements.find((each) => each.type === 'table')?.rootpage ?? 0);
  // A table with a rowid is ordered by it; an INTEGER PRIMARY KEY is its other name, and then needs no index.
  const alias = keyNames.length === 1 && !parts.keyed.has(name) ? keyNames[0]?.name : undefined;
  if (alias !== undefined) return { name, columns: names, key: [alias], schema };
  const taken = new Set(names.map((column) => column.toLowerCase()));
  const rowid = ROW_ID_NAMES.find((each) => !taken.has(each));
  return rowid === undefined
    ? { name, columns: names, key: [], schema }
    : { name, columns: [rowid, ...names], key: [rowid], schema };
}

/** Names are the same to SQLite when they differ only in the case of these letters. */
function lowered(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
