/**
 * A table as MySQL would tell of it, which is what WordPress and its plugins made, whichever database it lies in. Both kinds can be read as this and made
 * of it: SQLite has it in tables that WordPress' integration keeps beside the others, MariaDB in the statement that makes the table.
 */
export interface MysqlTable {
  name: string;
  collation: string;
  columns: MysqlColumn[];
  indexes: MysqlIndex[];
}

export interface MysqlColumn {
  name: string;
  /** The whole of it: `varchar(20)`, `bigint(20) unsigned`. */
  type: string;
  isNullable: boolean;
  default: { text: string } | 'now' | null;
  isAutoIncrement: boolean;
  followsClock: boolean;
  collation: string | null;
}

export interface MysqlIndex {
  name: string;
  kind: 'primary' | 'unique' | 'plain' | 'fulltext';
  columns: { name: string; length: number | null; isDescending: boolean }[];
}

const TEXT = "'(?:[^'\\\\]|''|\\\\.)*'";
/** Whoever wrote it, nothing but a type goes into a statement. */
const TYPE = new RegExp(
  `^(?:[a-z]+(?: ?\\(\\d{1,5}(?:, ?\\d{1,2})?\\))?(?: unsigned)?(?: zerofill)?|(?:enum|set)\\(${TEXT}(?:, ?${TEXT})*\\))$`,
  's',
);
const NAME = /^\w+$/;
const DEFAULT_COLLATION = 'utf8mb4_unicode_520_ci';
const CLOCKS = /^(?:timestamp|datetime)\b/;

export const quoteMysql = (name: string) => `\`${name.replaceAll('`', '``')}\``;

/** The word in front of a type's brackets. */
export function baseTypeOf(type: string): string {
  return /^[a-z]+/.exec(type)?.[0] ?? '';
}

/** Texts have a collation, and nothing else has. */
export function isText(type: string): boolean {
  return /^(?:char|varchar|tinytext|text|mediumtext|longtext|enum|set)$/.test(baseTypeOf(type));
}

/** The statement, as MariaDB takes it; undefined where what is told of the table is no table of MySQL. */
export function writeMariadbTable({ name, collation, columns, indexes }: MysqlTable): string | undefined {
  if (columns.length === 0 || !columns.every(({ type }) => TYPE.test(type))) return undefined;
  const own = knownCollation(collation);
  const lines = [...columns.map((column) => columnLine(column, own)), ...indexes.map(indexLine)];
  return `CREATE TABLE ${quoteMysql(name)} (\n  ${lines.join(',\n  ')}\n) ENGINE=InnoDB DEFAULT CHARSET=${charsetOf(own)} COLLATE=${own}`;
}

function columnLine(column: MysqlColumn, tableCollation: string): string {
  const { name, type, isNullable, isAutoIncrement, followsClock } = column;
  const collation = isText(type) ? knownCollation(column.collation ?? tableCollation) : undefined;
  return [
    quoteMysql(name),
    type,
    collation !== undefined &&
      collation !== tableCollation &&
      `CHARACTER SET ${charsetOf(collation)} COLLATE ${collation}`,
    // Without a word about it, the first timestamp of a table would follow the clock.
    isNullable ? 'NULL' : 'NOT NULL',
    defaultOf(column),
    followsClock && CLOCKS.test(type) && 'ON UPDATE current_timestamp()',
    isAutoIncrement && 'AUTO_INCREMENT',
  ]
    .filter(Boolean)
    .join(' ');
}

function defaultOf({ default: value, type, isNullable, isAutoIncrement }: MysqlColumn): string | undefined {
  if (isAutoIncrement) return undefined;
  if (value === null) return isNullable ? 'DEFAULT NULL' : undefined;
  if (value === 'now') return CLOCKS.test(type) ? 'DEFAULT current_timestamp()' : undefined;
  if (baseTypeOf(type) === 'bit') return /^b'[01]{1,64}'$/.test(value.text) ? `DEFAULT ${value.text}` : undefined;
  return `DEFAULT ${literal(value.text)}`;
}

function indexLine({ name, kind, columns }: MysqlIndex): string {
  const parts = columns.map(
    ({ name: column, length, isDescending }) =>
      `${quoteMysql(column)}${length === null ? '' : `(${length})`}${isDescending ? ' DESC' : ''}`,
  );
  const word = { primary: 'PRIMARY KEY', unique: 'UNIQUE KEY', plain: 'KEY', fulltext: 'FULLTEXT KEY' }[kind];
  return `${word}${kind === 'primary' ? '' : ` ${quoteMysql(name)}`} (${parts.join(', ')})`;
}

/** Those of MySQL 8, which WordPress' integration tells of, are not there; the nearest is what WordPress itself asks MariaDB for. */
function knownCollation(collation: string): string {
  if (!NAME.test(collation) || collation === 'binary') return DEFAULT_COLLATION;
  if (/_0900_(?:bin|as_cs)$/.test(collation)) return 'utf8mb4_bin';
  return collation.includes('_0900_') ? DEFAULT_COLLATION : collation;
}

function charsetOf(collation: string): string {
  return collation.split('_')[0] ?? 'utf8mb4';
}

/** No mode of the server changes what this means: there is no backslash in it. */
function literal(text: string): string {
  return text.includes('\\') ? `_utf8mb4 x'${Buffer.from(text).toString('hex')}'` : `'${text.replaceAll("'", "''")}'`;
}
