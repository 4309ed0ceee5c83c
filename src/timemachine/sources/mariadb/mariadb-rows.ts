import type { Connection } from 'mariadb';
import { quoteName } from '#runtimes/mariadb/server-access.ts';
import { decodeRows } from '../../tables/row-codec.ts';
import type { BlockSize, CutBlock, Key, RowBlock, SqlValue, TableDescription } from '../../tables/table-source.ts';
import type { MariadbSchema, ValueKind } from './mariadb-schema.ts';

/** In the first answer of a table of which nothing is known. */
const FIRST_ROWS = 16;
const MOST_ROWS = 5_000;
const ANSWER_BYTES = 1024 * 1024;

/** A row is more than the server gives in one piece. */
export class RowTooBig extends Error {}

/** Reads rows in the form of row-codec.ts, which the server itself writes: one text for each row. */
export class MariadbRows {
  readonly #connection: Connection;
  /** Of a wide table a statement is long, and it is asked for with every range. */
  readonly #texts = new WeakMap<TableDescription, string>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async read(table: TableDescription, from: Key | null, to: Key | null): Promise<RowBlock> {
    if (table.columns.length === 0) return { bytes: Buffer.alloc(0), rows: 0 };
    const rows = await this.#rows(table, from && { key: from, isIn: true }, to, undefined);
    return { bytes: Buffer.concat(rows), rows: rows.length };
  }

  /** Many rows come with one answer, and are cut here. */
  async *cut(
    table: TableDescription,
    low: Key | null,
    high: Key | null,
    size: BlockSize,
  ): AsyncGenerator<CutBlock, void> {
    let count = FIRST_ROWS;
    let from = low && { key: low, isIn: true };
    let block: { low: Key | null; rows: Buffer[]; bytes: number } = { low, rows: [], bytes: 0 };
    for (;;) {
      const rows = await this.#rows(table, from, high, count);
      let bytes = 0;
      for (const row of rows) {
        bytes += row.length;
        if (block.bytes > 0 && block.bytes + row.length > size.bytes) {
          yield { low: block.low, bytes: Buffer.concat(block.rows), rows: block.rows.length };
          block = { low: keyOf(table, row), rows: [], bytes: 0 };
        }
        block.rows.push(row);
        block.bytes += row.length;
      }
      const last = rows.at(-1);
      if (rows.length < count || !last) break;
      from = { key: keyOf(table, last), isIn: false };
      count = Math.min(MOST_ROWS, Math.max(1, Math.ceil((ANSWER_BYTES * rows.length) / bytes)));
    }
    if (block.bytes > 0) yield { low: block.low, bytes: Buffer.concat(block.rows), rows: block.rows.length };
  }

  async #rows(
    table: TableDescription,
    from: From | null,
    to: Key | null,
    count: number | undefined,
  ): Promise<Buffer[]> {
    const conditions: string[] = [];
    const values: SqlValue[] = [];
    if (from) conditions.push(beyond(table.key, from.key, '>', from.isIn, values));
    if (to) conditions.push(beyond(table.key, to, '<', false, values));
    // Without a key the rows have no order of their own, so they get that of what they hold.
    const order = table.key.length > 0 ? table.key.map(quoteName).join(', ') : 'line';
    const sql = `${this.#select(table)} ${conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''}
      ORDER BY ${order} ${count === undefined ? '' : `LIMIT ${count}`}`;
    const rows = (await this.#connection.query({ sql, rowsAsArray: true }, values)) as [Buffer | null][];
    return rows.map(([line]) => {
      if (line === null) throw new RowTooBig('it has a row that is more than the server gives in one piece');
      return line;
    });
  }

  #select(table: TableDescription): string {
    let text = this.#texts.get(table);
    if (text === undefined) {
      const { values } = table.schema as MariadbSchema;
      const parts = table.columns.map((column, index) => encodedValue(quoteName(column), values[index] ?? 't'));
      text = `SELECT CONCAT(${parts.join(', ')}, CAST('\\n' AS BINARY)) AS line FROM ${quoteName(table.name)}`;
      this.#texts.set(table, text);
    }
    return text;
  }
}

interface From {
  key: Key;
  /** Whether the row of that key is one of them. */
  isIn: boolean;
}

/** Written out, because the server finds no range in a comparison of rows. */
function beyond(columns: readonly string[], key: Key, sign: '<' | '>', isIn: boolean, values: SqlValue[]): string {
  const [first, ...others] = columns;
  const [value, ...rest] = key;
  const column = quoteName(first as string);
  if (others.length === 0) {
    values.push(value as SqlValue);
    return `${column} ${sign}${isIn ? '=' : ''} ?`;
  }
  values.push(value as SqlValue, value as SqlValue, value as SqlValue);
  const deeper = beyond(others, rest, sign, isIn, values);
  return `(${column} ${sign}= ? AND (${column} ${sign} ? OR (${column} = ? AND ${deeper})))`;
}

function keyOf(table: TableDescription, row: Buffer): Key {
  const [decoded] = decodeRows(row, table.columns.length);
  return table.key.map((name) => decoded?.values[table.columns.indexOf(name)] as SqlValue);
}

/** Numbers without the zeros in front that a column may show; every fraction to its last digit. */
function encodedValue(column: string, kind: ValueKind): string {
  switch (kind) {
    case 'i':
      return `IF(${column} IS NULL, 'n', CONCAT('i', ${column} + 0, ';'))`;
    case 'r':
      return `IF(${column} IS NULL, 'n', CONCAT('r', ${column} + 0e0, ';'))`;
    case 'b':
      return `IF(${column} IS NULL, 'n', CONCAT('b', OCTET_LENGTH(${column}), ':', ${column}))`;
    case 'u':
      return `IF(${column} IS NULL, 'n', CONCAT('t', OCTET_LENGTH(${column}), ':', CAST(${column} AS BINARY)))`;
    case 't': {
      const text = `CAST(CONVERT(${column} USING utf8mb4) AS BINARY)`;
      return `IF(${column} IS NULL, 'n', CONCAT('t', OCTET_LENGTH(${text}), ':', ${text}))`;
    }
  }
}
