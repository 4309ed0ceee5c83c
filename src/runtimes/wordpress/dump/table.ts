/** A table as a dump describes it, taken apart. */
export interface Column {
  name: string;
  type: string;
  /** What stands in brackets behind the type. */
  args: string[];
  isUnsigned: boolean;
  isNullable: boolean;
  /** A literal, or the clock. */
  default?: { text: string } | { number: string } | 'null' | 'now';
  isAutoIncrement: boolean;
  followsClock: boolean;
  /** Compared byte by byte. */
  isBinary: boolean;
}

export interface Key {
  kind: 'primary' | 'unique' | 'plain' | 'fulltext';
  name: string;
  columns: { name: string; length?: number }[];
}

export interface Table {
  name: string;
  columns: Column[];
  keys: Key[];
}

export type Affinity = 'text' | 'integer' | 'real' | 'blob';

const TYPES: Record<string, Affinity> = {
  tinyint: 'integer',
  smallint: 'integer',
  mediumint: 'integer',
  int: 'integer',
  integer: 'integer',
  bigint: 'integer',
  bit: 'integer',
  bool: 'integer',
  boolean: 'integer',
  year: 'text',
  decimal: 'real',
  numeric: 'real',
  dec: 'real',
  float: 'real',
  double: 'real',
  real: 'real',
  char: 'text',
  varchar: 'text',
  tinytext: 'text',
  text: 'text',
  mediumtext: 'text',
  longtext: 'text',
  enum: 'text',
  set: 'text',
  json: 'text',
  date: 'text',
  datetime: 'text',
  timestamp: 'text',
  time: 'text',
  binary: 'blob',
  varbinary: 'blob',
  tinyblob: 'blob',
  blob: 'blob',
  mediumblob: 'blob',
  longblob: 'blob',
};

export const affinityOf = (type: string): Affinity | undefined =>
  Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;

/** The statement that makes the table, written by us from what was read: nothing of the dump's own words is in it. */
export function writeTable({ name, columns, keys }: Table): string {
  const lines = [...columns.map(writeColumn), ...keys.map(writeKey)];
  return `CREATE TABLE ${quote(name)} (\n${lines.join(',\n')}\n) DEFAULT CHARACTER SET utf8mb4`;
}

export function writeColumn(column: Column): string {
  const args = column.args.length > 0 ? `(${column.args.join(', ')})` : '';
  return [
    quote(column.name),
    column.type + args,
    column.isUnsigned && 'unsigned',
    column.isBinary && 'COLLATE utf8mb4_bin',
    !column.isNullable && 'NOT NULL',
    writeDefault(column),
    column.followsClock && 'ON UPDATE CURRENT_TIMESTAMP',
    column.isAutoIncrement && 'AUTO_INCREMENT',
  ]
    .filter(Boolean)
    .join(' ');
}

function writeDefault({ default: value }: Column): string | undefined {
  if (value === undefined) return undefined;
  if (value === 'null') return 'DEFAULT NULL';
  if (value === 'now') return 'DEFAULT CURRENT_TIMESTAMP';
  return `DEFAULT ${'text' in value ? text(value.text) : value.number}`;
}

function writeKey({ kind, name, columns }: Key): string {
  const parts = columns.map(({ name: column, length }) => quote(column) + (length === undefined ? '' : `(${length})`));
  const word = { primary: 'PRIMARY KEY', unique: 'UNIQUE KEY', plain: 'KEY', fulltext: 'FULLTEXT KEY' }[kind];
  return `${word}${kind === 'primary' ? '' : ` ${quote(name)}`} (${parts.join(', ')})`;
}

export const quote = (name: string) => `\`${name.replaceAll('`', '``')}\``;

/** A text as MySQL reads it. */
export const text = (value: string) => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
