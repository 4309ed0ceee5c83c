import type { MysqlColumn, MysqlIndex, MysqlTable } from './mysql-table.ts';

const NAME = '`((?:[^`]|``)*)`';
const TEXT = "'(?:[^'\\\\]|''|\\\\.)*'";
const TYPE = `(?:(?:enum|set)\\(${TEXT}(?:,${TEXT})*\\)|[a-z]+(?:\\(\\d+(?:,\\d+)?\\))?(?: unsigned)?(?: zerofill)?)`;
const COLUMN = new RegExp(`^  ${NAME} (${TYPE})(.*?),?$`, 's');
const INDEX = new RegExp(`^  (?:(UNIQUE|FULLTEXT) )?KEY ${NAME} \\((.*)\\).*?,?$|^  PRIMARY KEY \\((.*)\\).*?,?$`);
const ESCAPES: Record<string, string> = { n: '\n', r: '\r', t: '\t', '0': '\0', Z: '\x1a' };

/** Reads the statement of SHOW CREATE TABLE, which the server writes with each clause on a line; undefined where it is another one. */
export function readMariadbTable(name: string, sql: string): MysqlTable | undefined {
  const [, ...lines] = sql.split(/\n(?= {2}[`A-Z]|\))/);
  const last = lines.pop();
  if (last === undefined || !last.startsWith(')')) return undefined;
  const collation = / COLLATE=(\w+)/.exec(last)?.[1] ?? 'utf8mb4_unicode_520_ci';
  const table: MysqlTable = { name, collation, columns: [], indexes: [] };
  for (const line of lines) {
    const column = line.startsWith('  `') ? readColumn(line) : undefined;
    if (column) table.columns.push({ ...column, collation: column.collation ?? null });
    else if (line.startsWith('  `')) return undefined;
    else {
      const index = readIndex(line);
      if (index) table.indexes.push(index);
    }
  }
  return table;
}

function readColumn(line: string): MysqlColumn | undefined {
  const [, name = '', type = '', rest = ''] = COLUMN.exec(line) ?? [];
  if (type === '' || / GENERATED ALWAYS AS /.test(rest)) return undefined;
  const given = new RegExp(` DEFAULT (${TEXT}|b'[01]*'|NULL|current_timestamp\\(\\d?\\)|-?[\\d.]+)`, 's').exec(
    rest,
  )?.[1];
  return {
    name: name.replaceAll('``', '`'),
    // What MySQL has a type for is a text with a condition here.
    type: / CHECK \(json_valid\(/.test(rest) ? 'json' : type,
    isNullable: !/ NOT NULL/.test(rest),
    default:
      given === undefined || given === 'NULL'
        ? null
        : given.startsWith('current_timestamp')
          ? 'now'
          : { text: plain(given) },
    isAutoIncrement: / AUTO_INCREMENT/.test(rest),
    followsClock: / ON UPDATE current_timestamp/.test(rest),
    collation: / COLLATE (\w+)/.exec(rest)?.[1] ?? null,
  };
}

function readIndex(line: string): MysqlIndex | undefined {
  const [, kind, name, columns, primary] = INDEX.exec(line) ?? [];
  const list = columns ?? primary;
  if (list === undefined) return undefined;
  return {
    name: name?.replaceAll('``', '`') ?? 'PRIMARY',
    kind: primary !== undefined ? 'primary' : kind === 'UNIQUE' ? 'unique' : kind === 'FULLTEXT' ? 'fulltext' : 'plain',
    columns: [...list.matchAll(new RegExp(`${NAME}(?:\\((\\d+)\\))?( DESC)?`, 'g'))].map(
      ([, column = '', length, descending]) => ({
        name: column.replaceAll('``', '`'),
        length: length === undefined ? null : Number(length),
        isDescending: descending !== undefined,
      }),
    ),
  };
}

/** A text as it was before the server wrote it down. */
function plain(literal: string): string {
  if (!literal.startsWith("'")) return literal;
  return literal
    .slice(1, -1)
    .replaceAll(/''|\\(.)/gs, (found, escaped?: string) =>
      found === "''" ? "'" : (ESCAPES[escaped ?? ''] ?? escaped ?? ''),
    );
}
