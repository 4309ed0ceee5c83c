import { type Cell, cellOfInteger, cellOfText } from '../../tables/row-codec.ts';
import type { TableShape, UniqueColumns } from '../../tables/table-shape.ts';
import type { TableDescription } from '../../tables/table-source.ts';
import type { MariadbSchema } from './mariadb-schema.ts';

const NAME = '`((?:[^`]|``)*)`';

/** Read in the statement that makes the table, which the server has written, each clause on a line. */
export function shapeOf({ key, columns, schema }: TableDescription): TableShape {
  const { kind, sql, values } = schema as MariadbSchema;
  if (kind === 'view') return { isKeyHidden: false, uniques: [], defaults: new Map() };
  const lines = sql.split('\n');
  const caseless = new Set(columns.filter((name) => isCaseless(lineOf(lines, name), sql)));
  const uniques = lines.flatMap((line): UniqueColumns[] => {
    const list = new RegExp(`^  (?:UNIQUE KEY ${NAME}|PRIMARY KEY) \\((.*?)\\)(?: USING .*)?,?$`).exec(line)?.[2];
    if (list === undefined) return [];
    const names = [...list.matchAll(new RegExp(`${NAME}(\\(\\d+\\))?`, 'g'))];
    // Of only the beginning of a column nothing can be looked up.
    if (names.some(([, , part]) => part !== undefined)) return [];
    const unique = names.map(([, name]) => (name as string).replaceAll('``', '`'));
    return [{ columns: unique, caseless: new Set(unique.filter((name) => caseless.has(name))) }];
  });
  return {
    isKeyHidden: false,
    uniques: uniques.filter((unique) => unique.columns.join('\0') !== key.join('\0')),
    defaults: new Map(columns.map((name, index) => [name, defaultOf(lineOf(lines, name), values[index] ?? 't')])),
  };
}

function lineOf(lines: readonly string[], column: string): string {
  return lines.find((line) => line.startsWith(`  \`${column.replaceAll('`', '``')}\` `)) ?? '';
}

function isCaseless(line: string, sql: string): boolean {
  if (!/^ {2}`.*?` (?:char|varchar|tinytext|text|mediumtext|longtext|enum|set)/.test(line)) return false;
  const collation = / COLLATE (\w+)/.exec(line)?.[1] ?? / COLLATE=(\w+)/.exec(sql)?.[1];
  return collation === undefined || !/_(bin|cs)$/.test(collation);
}

/** Only what is written out. */
function defaultOf(line: string, kind: string): Cell | undefined {
  const text = / DEFAULT (NULL|'(?:[^']|'')*'|-?\d+)/.exec(line)?.[1];
  if (text === undefined) return undefined;
  if (text === 'NULL') return Buffer.from('n');
  const plain = text.startsWith("'") ? text.slice(1, -1).replaceAll("''", "'") : text;
  if (kind === 'i') return /^-?\d{1,18}$/.test(plain) ? cellOfInteger(BigInt(plain)) : undefined;
  return (kind === 't' || kind === 'u') && text.startsWith("'") ? cellOfText(Buffer.from(plain)) : undefined;
}
