/** Writes a database as MySQL and MariaDB read it, and as our own import does (dump-reader.ts). */

export type DumpValue = null | bigint | number | string | Uint8Array;
type Facts = Record<string, DumpValue>;

/** What WordPress' SQLite integration notes of each table, as MySQL would tell it: rows of `information_schema`. */
export const NOTED_COLUMNS = '_wp_sqlite_mysql_information_schema_columns';
export const NOTED_INDEXES = '_wp_sqlite_mysql_information_schema_statistics';

/** Without the strict modes: WordPress' own tables have dates of zeros as defaults. */
export const DUMP_BEGIN = [
  '-- A backup of a WordPress site. Import it with: wp db import database.sql',
  'SET NAMES utf8mb4;',
  "SET SQL_MODE='NO_AUTO_VALUE_ON_ZERO';",
  'SET FOREIGN_KEY_CHECKS=0;',
  '',
].join('\n');
export const DUMP_END = 'SET FOREIGN_KEY_CHECKS=1;\n';

const quote = (name: string) => `\`${name.replaceAll('`', '``')}\``;
const textOf = (value: DumpValue | undefined) => (value === null || value === undefined ? '' : String(value));

/** The columns and indexes of a table, each as a row of what was noted; undefined where nothing was. */
export function tableStatement(name: string, columns: readonly Facts[], indexes: readonly Facts[]): string | undefined {
  if (columns.length === 0) return undefined;
  const byPlace = columns.toSorted((a, b) => Number(a.ORDINAL_POSITION) - Number(b.ORDINAL_POSITION));
  const keys = Map.groupBy(indexes, ({ INDEX_NAME }) => textOf(INDEX_NAME));
  return statementOf(name, [...byPlace.map(columnLine), ...[...keys].flatMap(([key, parts]) => keyLine(key, parts))]);
}

/** Where nothing is known but the columns and what tells rows apart. */
export function plainStatement(name: string, columns: readonly string[], key: readonly string[], sql: string): string {
  const isInteger = (column: string) => {
    const name = column.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
    return new RegExp(`["\`]?${name}["\`]?\\s+INTEGER`, 'i').test(sql);
  };
  const lines = columns.map((column) => {
    const type = isInteger(column) ? 'bigint' : key.includes(column) ? 'varchar(191)' : 'longtext';
    const isNumber = key.length === 1 && key[0] === column && isInteger(column);
    return `${quote(column)} ${type}${isNumber ? ' NOT NULL AUTO_INCREMENT' : key.includes(column) ? ' NOT NULL' : ''}`;
  });
  return statementOf(name, key.length > 0 ? [...lines, `PRIMARY KEY (${key.map(quote).join(',')})`] : lines);
}

const statementOf = (name: string, lines: readonly string[]) =>
  `CREATE TABLE ${quote(name)} (\n  ${lines.join(',\n  ')}\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci`;

const TYPE = /^[a-z]+(?:\([\d,]+\)|\((?:'[^'\\]*',?)+\))?(?: unsigned)?(?: zerofill)?$/i;
const WITHOUT_DEFAULT = /text|blob|json|geometry/i;

function columnLine(facts: Facts): string {
  const given = textOf(facts.COLUMN_TYPE);
  const type = TYPE.test(given) ? given : 'longtext';
  const extra = textOf(facts.EXTRA).toLowerCase();
  const isNull = facts.IS_NULLABLE !== 'NO';
  const isNumbered = extra.includes('auto_increment');
  const parts = [quote(textOf(facts.COLUMN_NAME)), type, isNull ? '' : 'NOT NULL'];
  if (!isNumbered && !WITHOUT_DEFAULT.test(type)) parts.push(defaultOf(facts.COLUMN_DEFAULT, isNull));
  if (isNumbered) parts.push('AUTO_INCREMENT');
  if (extra.includes('on update current_timestamp')) parts.push('ON UPDATE CURRENT_TIMESTAMP');
  return parts.filter(Boolean).join(' ');
}

function defaultOf(value: DumpValue | undefined, isNull: boolean): string {
  if (value === null || value === undefined) return isNull ? 'DEFAULT NULL' : '';
  const text = textOf(value);
  return /^current_timestamp(?:\(\))?$/i.test(text) ? 'DEFAULT CURRENT_TIMESTAMP' : `DEFAULT ${literal(text)}`;
}

function keyLine(name: string, parts: readonly Facts[]): string[] {
  const [first] = parts;
  if (!first || first.INDEX_TYPE === 'SPATIAL') return [];
  const byPlace = parts.toSorted((a, b) => Number(a.SEQ_IN_INDEX) - Number(b.SEQ_IN_INDEX));
  const columns = byPlace.map(({ COLUMN_NAME, SUB_PART }) => {
    return `${quote(textOf(COLUMN_NAME))}${SUB_PART === null || SUB_PART === undefined ? '' : `(${Number(SUB_PART)})`}`;
  });
  if (name === 'PRIMARY') return [`PRIMARY KEY (${columns.join(',')})`];
  const kind = first.INDEX_TYPE === 'FULLTEXT' ? 'FULLTEXT KEY' : Number(first.NON_UNIQUE) === 0 ? 'UNIQUE KEY' : 'KEY';
  return [`${kind} ${quote(name)} (${columns.join(',')})`];
}

/** A server takes statements of a megabyte, whatever else it is told. */
const STATEMENT_LENGTH = 256 * 1024;

export function rowStatements(
  name: string,
  columns: readonly string[],
  rows: readonly (readonly DumpValue[])[],
): string {
  const begin = `INSERT INTO ${quote(name)} (${columns.map(quote).join(',')}) VALUES\n`;
  const written: string[] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    const values = `(${row.map(literal).join(',')})`;
    const isNew = length + values.length > STATEMENT_LENGTH;
    if (isNew && written.length > 0) written.push(';\n');
    written.push(isNew ? begin : ',\n', values);
    length = isNew ? values.length : length + values.length;
  }
  return written.length > 0 ? `${written.join('')};\n` : '';
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: MySQL writes these with a backslash
const SPECIAL = /[\0\n\r\\'"\x1a]/g;
const ESCAPES: Record<string, string> = { '\0': '\\0', '\n': '\\n', '\r': '\\r', '\x1a': '\\Z' };

function literal(value: DumpValue): string {
  if (value === null || (typeof value === 'number' && !Number.isFinite(value))) return 'NULL';
  if (typeof value === 'bigint' || typeof value === 'number') return String(value);
  if (typeof value === 'string') return `'${value.replaceAll(SPECIAL, (letter) => ESCAPES[letter] ?? `\\${letter}`)}'`;
  return value.length === 0 ? "''" : `0x${Buffer.from(value).toString('hex')}`;
}
