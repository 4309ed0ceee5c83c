import {
  DUMP_BEGIN,
  DUMP_END,
  type DumpValue,
  NOTED_COLUMNS,
  NOTED_INDEXES,
  plainStatement,
  rowStatements,
  tableStatement,
} from '#runtimes/wordpress/dump/write-dump.ts';
import { type ObjectReader, readContent } from '../content.ts';
import type { Repository } from '../repository.ts';
import { namedColumnsOf } from '../sources/sqlite-shape.ts';
import { decodeRows, RawText, type Row } from '../tables/row-codec.ts';
import { type BoundRange, readRanges, readTableOutline, type TableOutline } from '../tables/table-root.ts';
import type { TableDescription } from '../tables/table-source.ts';
import { keepingBy } from './keep-rules.ts';
import type { Calls, DumpPlace } from './protocol.ts';

type Noted = Map<string, Record<string, DumpValue>[]>;

/** What was worked out for the part before is there for the next one. */
interface Dump {
  tables: { name: string; ref: string }[];
  columns: Noted;
  indexes: Noted;
  current: OpenTable | undefined;
}

interface OpenTable {
  table: number;
  outline: TableOutline;
  ranges: BoundRange[];
  /** What its rows are written with: not the row id of SQLite, which no other database has. */
  columns: readonly string[];
}

const OPEN_DUMPS = 8;
/** Of all tables together. A site can write there what it likes, and what is told of is all in memory. */
const MOST_NOTED = 100_000;

/** The tables of a snapshot as SQL, a range of rows at a time. */
export function dumpHandler(repository: Repository) {
  const opened = new Map<string, Promise<Dump>>();

  return async (
    _: unknown,
    ...[from, moment, place]: Parameters<Calls['dump']>
  ): Promise<ReturnType<Calls['dump']>> => {
    const { space, site, rules } = from;
    const reader = repository.site(space, site);
    const name = `${space} ${site} ${moment.hash}`;
    const known =
      opened.get(name) ??
      reader.readNamed(moment).then(({ tables }) => openDump(reader, tables, keepingBy(rules).isKnown));
    opened.delete(name);
    opened.set(name, known);
    const [oldest] = opened.keys();
    if (opened.size > OPEN_DUMPS && oldest !== undefined) opened.delete(oldest);
    known.catch(() => opened.delete(name));
    return partOf(reader, await known, place);
  };
}

async function openDump(
  reader: ObjectReader,
  tables: Record<string, string>,
  isKnown: (name: string) => boolean,
): Promise<Dump> {
  const noted = (name: string) => (tables[name] === undefined ? new Map() : readNoted(reader, tables[name]));
  const own = Object.keys(tables).filter(isKnown).sort();
  return {
    tables: own.map((name) => ({ name, ref: tables[name] as string })),
    columns: await noted(NOTED_COLUMNS),
    indexes: await noted(NOTED_INDEXES),
    current: undefined,
  };
}

/** By the names of the tables, which mean the same in any spelling. */
async function readNoted(reader: ObjectReader, ref: string): Promise<Noted> {
  const { description, nodes } = await readTableOutline(reader, ref);
  const noted: Noted = new Map();
  let count = 0;
  for (const range of await readRanges(reader, nodes))
    for (const row of decodeRows(await readContent(reader, range.ref), description.columns.length)) {
      const facts = Object.fromEntries(description.columns.map((name, place) => [name, dumpValue(row.values[place])]));
      const table = String(facts.TABLE_NAME).toLowerCase();
      const known = noted.get(table);
      if (known) known.push(facts);
      else noted.set(table, [facts]);
      if (++count >= MOST_NOTED) return noted;
    }
  return noted;
}

async function partOf(
  reader: ObjectReader,
  dump: Dump,
  { table, range }: DumpPlace,
): Promise<ReturnType<Calls['dump']>> {
  const at = dump.tables[table];
  if (!at) return { sql: Buffer.from(`${table === 0 ? DUMP_BEGIN : ''}${DUMP_END}`), next: null };
  if (dump.current?.table !== table) {
    const outline = await readTableOutline(reader, at.ref);
    const ranges = await readRanges(reader, outline.nodes);
    dump.current = { table, outline, ranges, columns: dumpedColumnsOf(outline.description) };
  }
  const { outline, ranges, columns } = dump.current;
  const stored = outline.description.columns;
  const begin = range === 0 ? `${table === 0 ? DUMP_BEGIN : ''}${made(dump, outline, columns)}` : '';
  // A view has none.
  const rows = ranges[range] ? await readContent(reader, ranges[range].ref) : undefined;
  const places = columns.map((column) => stored.indexOf(column));
  const values = rows ? decodeRows(rows, stored.length).map(valuesAt(places)) : [];
  const sql = Buffer.from(begin + rowStatements(at.name, columns, values));
  return { sql, next: range + 1 < ranges.length ? { table, range: range + 1 } : { table: table + 1, range: 0 } };
}

interface TableSchema {
  kind?: string;
  sql?: string;
  /** Only a table of MariaDB has it. */
  values?: unknown;
}

function dumpedColumnsOf(description: TableDescription): readonly string[] {
  const { values } = description.schema as TableSchema;
  return values === undefined ? namedColumnsOf(description) : description.columns;
}

function made({ columns, indexes }: Dump, { description }: TableOutline, dumped: readonly string[]): string {
  const { name, key } = description;
  const schema = description.schema as TableSchema;
  // What is seen through it is in its tables.
  if (schema.kind === 'view') return '';
  const noted = name.toLowerCase();
  // A table of MariaDB is described in words that it understands.
  const own = schema.values === undefined ? undefined : schema.sql;
  const statement =
    own ??
    tableStatement(name, columns.get(noted) ?? [], indexes.get(noted) ?? []) ??
    plainStatement(
      name,
      dumped,
      key.filter((column) => dumped.includes(column)),
      schema.sql ?? '',
    );
  return `\nDROP TABLE IF EXISTS \`${name.replaceAll('`', '``')}\`;\n${statement};\n`;
}

const valuesAt = (places: readonly number[]) => {
  return ({ values }: Row): DumpValue[] => places.map((place) => dumpValue(values[place]));
};

/** Bytes that are no text in a column of texts: nobody could read them back as such, so what is no letter is marked. */
const dumpValue = (value: Row['values'][number] | undefined): DumpValue =>
  value instanceof RawText ? value.bytes.toString() : (value ?? null);
