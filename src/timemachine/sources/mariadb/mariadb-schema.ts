import type { Connection } from 'mariadb';
import { quoteName } from '#runtimes/mariadb/server-access.ts';
import type { WithNumbersOf } from '../../tables/table-shape.ts';
import type { TableDescription } from '../../tables/table-source.ts';

/** What `schema` of a table of MariaDB holds. */
export interface MariadbSchema {
  kind: 'table' | 'view';
  /** The statement that makes it, without the next number and without what refers to other tables. */
  sql: string;
  /** How the values of each column are written, by row-codec.ts. */
  values: ValueKind[];
  /** The clauses that make sure that other tables have a row. */
  references: string[];
  /** The next number that AUTO_INCREMENT gives, where it is used. */
  sequence: string | null;
}

/** A whole number, a number with a fraction, a text, a text in UTF-8 already, bytes. */
export type ValueKind = 'i' | 'r' | 't' | 'u' | 'b';

export interface Described {
  tables: TableDescription[];
  skipped: { name: string; reason: string }[];
}

const INTEGERS = new Set(['tinyint', 'smallint', 'mediumint', 'int', 'bigint', 'bit', 'year']);
const REALS = new Set(['float', 'double']);
const BYTES = new Set(['binary', 'varbinary', 'tinyblob', 'blob', 'mediumblob', 'longblob']);
const SHAPES = /^(geometry|point|linestring|polygon|multipoint|multilinestring|multipolygon|geometrycollection)$/;
/** Their order and their likeness are the same in a condition and in the index. */
const KEY_TYPES = /^(tinyint|smallint|mediumint|int|bigint|char|varchar|binary|varbinary)$/;

interface Column {
  owner: string;
  name: string;
  type: string;
  charset: string | null;
}

/** The tables and views of a database, and those that can not be stored, with the reason. */
export async function readSchema(
  connection: Connection,
  database: string,
  isTracked: (name: string) => boolean,
): Promise<Described> {
  const listed = (await connection.query(
    'SELECT TABLE_NAME AS name, TABLE_TYPE AS type, CAST(AUTO_INCREMENT AS CHAR) AS next FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? ORDER BY TABLE_NAME',
    [database],
  )) as { name: string; type: string; next: string | null }[];
  const columns = (await connection.query(
    `SELECT TABLE_NAME AS owner, COLUMN_NAME AS name, DATA_TYPE AS type, CHARACTER_SET_NAME AS charset FROM information_schema.COLUMNS
     WHERE TABLE_SCHEMA = ? AND IS_GENERATED = 'NEVER' ORDER BY TABLE_NAME, ORDINAL_POSITION`,
    [database],
  )) as Column[];
  const keys = (await connection.query(
    `SELECT TABLE_NAME AS owner, COLUMN_NAME AS name, SUB_PART AS part FROM information_schema.STATISTICS
     WHERE TABLE_SCHEMA = ? AND INDEX_NAME = 'PRIMARY' ORDER BY TABLE_NAME, SEQ_IN_INDEX`,
    [database],
  )) as { owner: string; name: string; part: unknown }[];
  const columnsOf = Map.groupBy(columns, ({ owner }) => owner);
  const keysOf = Map.groupBy(keys, ({ owner }) => owner);
  const described: Described = { tables: [], skipped: [] };
  for (const { name, type, next } of listed) {
    if (!isTracked(name)) continue;
    const own = columnsOf.get(name) ?? [];
    if (type !== 'BASE TABLE' && type !== 'VIEW')
      described.skipped.push({ name, reason: `it is a ${type.toLowerCase()}` });
    else if (type === 'BASE TABLE' && own.some((column) => SHAPES.test(column.type)))
      described.skipped.push({ name, reason: 'it has a column of places and shapes' });
    else {
      const [made] = (await connection.query(`SHOW CREATE TABLE ${quoteName(name)}`)) as Record<string, string>[];
      if (type === 'VIEW') described.tables.push(viewOf(name, made?.['Create View'] ?? ''));
      else described.tables.push(tableOf(name, made?.['Create Table'] ?? '', own, keysOf.get(name) ?? [], next));
    }
  }
  return described;
}

/** Who made it is not told: whoever brings it back has the same rights, in this database alone. */
function viewOf(name: string, sql: string): TableDescription {
  const schema: MariadbSchema = {
    kind: 'view',
    sql: sql.replace(/ DEFINER=`(?:[^`]|``)*`@`(?:[^`]|``)*`/, ''),
    values: [],
    references: [],
    sequence: null,
  };
  return { name, columns: [], key: [], schema };
}

function tableOf(
  name: string,
  sql: string,
  columns: readonly Column[],
  keys: readonly { name: string; part: unknown }[],
  next: string | null,
): TableDescription {
  const isOrdered = keys.every(({ name: key, part }) => {
    const column = columns.find((each) => each.name === key);
    return part === null && column !== undefined && KEY_TYPES.test(column.type);
  });
  const { statement, references } = split(sql);
  const schema: MariadbSchema = {
    kind: 'table',
    sql: statement,
    values: columns.map(valueKindOf),
    references,
    sequence: next,
  };
  return {
    name,
    columns: columns.map((column) => column.name),
    key: isOrdered ? keys.map((key) => key.name) : [],
    schema,
  };
}

function valueKindOf({ type, charset }: Column): ValueKind {
  if (INTEGERS.has(type)) return 'i';
  if (REALS.has(type)) return 'r';
  if (BYTES.has(type)) return 'b';
  return charset === 'utf8mb4' || charset === 'utf8mb3' ? 'u' : 't';
}

/** The server writes each clause on a line of its own; a line feed inside a name or a comment is written as it is. */
function split(sql: string): { statement: string; references: string[] } {
  const references: string[] = [];
  const lines = sql.split('\n').filter((line) => {
    const clause = /^ {2}(CONSTRAINT `(?:[^`]|``)*` FOREIGN KEY .*?),?$/.exec(line)?.[1];
    if (clause !== undefined) references.push(clause);
    return clause === undefined;
  });
  const last = lines.findLastIndex((line) => line.startsWith(') '));
  if (references.length > 0 && last > 0) lines[last - 1] = (lines[last - 1] as string).replace(/,$/, '');
  if (last >= 0) lines[last] = (lines[last] as string).replace(/ AUTO_INCREMENT=\d+/, '');
  return { statement: lines.join('\n'), references };
}

/** The numbers that tables give next, which move without anything else being made anew. */
export async function readSequences(
  connection: Connection,
  database: string,
  names: readonly string[],
): Promise<Map<string, string | null>> {
  if (names.length === 0) return new Map();
  const rows = (await connection.query(
    `SELECT TABLE_NAME AS name, CAST(AUTO_INCREMENT AS CHAR) AS next FROM information_schema.TABLES
     WHERE TABLE_SCHEMA = ? AND TABLE_NAME IN (${names.map(() => '?').join(', ')})`,
    [database, ...names],
  )) as { name: string; next: string | null }[];
  return new Map(rows.map(({ name, next }) => [name, next]));
}

/** The table, which never again gives a number that the other one has given. */
export const withNumbersOf: WithNumbersOf = (table, other) => {
  const [own, given] = [table.schema as MariadbSchema, other.schema as MariadbSchema];
  const isLater = BigInt(given.sequence ?? 0) > BigInt(own.sequence ?? 0);
  return isLater ? { ...table, schema: { ...own, sequence: given.sequence } } : table;
};
