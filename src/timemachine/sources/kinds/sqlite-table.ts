import type { SqliteSchema } from '../sqlite-schema.ts';
import { baseTypeOf, isText, type MysqlColumn, type MysqlTable, quoteMysql } from './mysql-table.ts';

const STORED: Record<string, string> = {
  ...of('INTEGER', 'bit bool boolean tinyint smallint mediumint int integer bigint'),
  ...of('REAL', 'float double real decimal dec fixed numeric'),
  ...of('BLOB', 'binary varbinary tinyblob blob mediumblob longblob'),
};

function of(type: string, names: string): Record<string, string> {
  return Object.fromEntries(names.split(' ').map((name) => [name, type]));
}

/** The statements that WordPress' integration for SQLite makes such a table by, word by word. */
export function writeSqliteTable(
  { name, collation, columns, indexes }: MysqlTable,
  sequence: string | null,
): SqliteSchema {
  const primary = indexes.find(({ kind }) => kind === 'primary');
  const numbered = columns.some(({ isAutoIncrement }) => isAutoIncrement);
  const isSoleKey = (column: MysqlColumn) => primary?.columns.length === 1 && primary.columns[0]?.name === column.name;
  const lines = columns.map((column) => `  ${columnClause(column, isSoleKey(column), collation)}`);
  const listOf = (parts: MysqlTable['indexes'][number]['columns']) =>
    parts.map((part) => `${quoteMysql(part.name)}${part.isDescending ? ' DESC' : ''}`).join(', ');
  if (primary && !numbered) lines.push(`  PRIMARY KEY (${listOf(primary.columns)})`);
  const made = indexes
    .filter(({ kind }) => kind !== 'primary')
    .map(({ name: index, kind, columns: parts }) => {
      const unique = kind === 'unique' ? 'UNIQUE ' : '';
      return `CREATE ${unique}INDEX ${quoteMysql(`${name}__${index}`)} ON ${quoteMysql(name)} (${listOf(parts)})`;
    });
  if (primary && numbered && primary.columns.length > 1)
    made.unshift(
      `CREATE UNIQUE INDEX ${quoteMysql(`_wp_sqlite_${name}__primary`)} ON ${quoteMysql(name)} (${listOf(primary.columns)})`,
    );
  return {
    kind: 'table',
    sql: `CREATE TABLE ${quoteMysql(name)} (\n${lines.join(',\n')}\n) STRICT`,
    indexes: made,
    triggers: columns.filter(({ followsClock }) => followsClock).map((column) => clockTrigger(name, column.name)),
    sequence: numbered ? sequence : null,
  };
}

/** The integration compares all texts without their case. Two that MariaDB tells apart have to be two here as well. */
function isExact(column: MysqlColumn, collation: string): boolean {
  return isText(column.type) && /_(?:bin|cs)$/.test(column.collation ?? collation);
}

function columnClause(column: MysqlColumn, isSoleKey: boolean, collation: string): string {
  const stored = STORED[baseTypeOf(column.type)] ?? 'TEXT';
  // Only a number that is given by the database is another name of the row's own.
  const type = stored === 'INTEGER' && isSoleKey && !column.isAutoIncrement ? 'INT' : stored;
  return [
    quoteMysql(column.name),
    type,
    type === 'TEXT' && !isExact(column, collation) && 'COLLATE NOCASE',
    !column.isNullable && 'NOT NULL',
    column.isAutoIncrement && 'PRIMARY KEY AUTOINCREMENT',
    defaultClause(column),
  ]
    .filter(Boolean)
    .join(' ');
}

function defaultClause({ default: value, type }: MysqlColumn): string | undefined {
  if (value === null) return undefined;
  if (value === 'now') return 'DEFAULT CURRENT_TIMESTAMP';
  if (baseTypeOf(type) === 'bit') return `DEFAULT ${Number.parseInt(value.text.slice(2, -1), 2) || 0}`;
  return `DEFAULT '${value.text.replaceAll("'", "''")}'`;
}

function clockTrigger(table: string, column: string): string {
  return `CREATE TRIGGER ${quoteMysql(`_wp_sqlite_${table}_${column}_on_update`)}
				AFTER UPDATE ON ${quoteMysql(table)}
				FOR EACH ROW
				BEGIN
				  UPDATE ${quoteMysql(table)} SET ${quoteMysql(column)} = CURRENT_TIMESTAMP WHERE rowid = NEW.rowid;
				END`;
}
