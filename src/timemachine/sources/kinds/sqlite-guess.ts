import type { SqliteSchema } from '../sqlite-schema.ts';
import type { MysqlColumn, MysqlIndex, MysqlTable } from './mysql-table.ts';

const TYPES: Record<string, string> = {
  INTEGER: 'bigint(20)',
  INT: 'bigint(20)',
  REAL: 'double',
  TEXT: 'longtext',
  BLOB: 'longblob',
};
/** As long as a text in a key may be on every server. */
const KEY_TEXT = 'varchar(191)';
const NAME = '[`"]((?:[^`"])+)[`"]';
const COLUMN = new RegExp(`^\\s*${NAME} (INTEGER|INT|REAL|TEXT|BLOB)\\b(.*?),?$`);
const KEY = /^\s*PRIMARY KEY \((.*)\),?$/;
const INDEX = new RegExp(`^CREATE (UNIQUE )?INDEX ${NAME} ON ${NAME} \\((.*)\\)$`);

/** A table of which nobody has kept what MySQL would make it of, read in its statements as WordPress' integration writes them. */
export function guessTable(name: string, { sql, indexes }: SqliteSchema): MysqlTable | undefined {
  const [first = '', ...lines] = sql.split('\n');
  if (!first.startsWith('CREATE TABLE ') || !/^\)/.test(lines.pop() ?? '')) return undefined;
  const columns: MysqlColumn[] = [];
  const keys: MysqlIndex[] = [];
  for (const line of lines) {
    const [, column, type, rest = ''] = COLUMN.exec(line) ?? [];
    const listed = KEY.exec(line)?.[1];
    if (column !== undefined && type !== undefined) columns.push(columnOf(column, TYPES[type] ?? 'longtext', rest));
    else if (listed !== undefined) keys.push({ name: 'PRIMARY', kind: 'primary', columns: partsOf(listed) });
    else return undefined;
    if (/ PRIMARY KEY AUTOINCREMENT/.test(rest))
      keys.push({ name: 'PRIMARY', kind: 'primary', columns: partsOf(`\`${column}\``) });
  }
  for (const each of indexes) {
    const [, unique, index = '', , listed = ''] = INDEX.exec(each) ?? [];
    if (index === '') return undefined;
    keys.push({ name: index.slice(-60), kind: unique ? 'unique' : 'plain', columns: partsOf(listed) });
  }
  const keyed = new Set(keys.flatMap((key) => key.columns.map((part) => part.name)));
  const fitting = columns.map((column) =>
    column.type === 'longtext' && keyed.has(column.name) ? { ...column, type: KEY_TEXT } : column,
  );
  return { name, collation: 'utf8mb4_unicode_520_ci', columns: fitting, indexes: keys };
}

function columnOf(name: string, type: string, rest: string): MysqlColumn {
  const given = / DEFAULT '((?:[^']|'')*)'/.exec(rest)?.[1];
  return {
    name,
    type,
    isNullable: !/ NOT NULL/.test(rest),
    default: given === undefined ? null : { text: given.replaceAll("''", "'") },
    isAutoIncrement: / AUTOINCREMENT/.test(rest),
    followsClock: false,
    collation: type === 'longtext' && !/ COLLATE NOCASE/.test(rest) ? 'utf8mb4_bin' : null,
  };
}

function partsOf(list: string): MysqlIndex['columns'] {
  return [...list.matchAll(new RegExp(`${NAME}( DESC)?`, 'g'))].map(([, name = '', descending]) => ({
    name,
    length: null,
    isDescending: descending !== undefined,
  }));
}
