import type { Connection } from 'mariadb';
import { quoteName } from '#runtimes/mariadb/server-access.ts';
import { RawText, type Row, type RowValue } from '../../tables/row-codec.ts';
import type { TableDescription } from '../../tables/table-source.ts';

/** Rows in one statement, and about how large it gets: far below what any server takes. */
const MOST_ROWS = 1_000;
const STATEMENT_BYTES = 1024 * 1024;
const DELETED_ROWS = 200;

export async function insertRows(
  connection: Connection,
  into: string,
  table: TableDescription,
  rows: readonly Row[],
): Promise<void> {
  // A table may have nothing but columns that are worked out.
  const columns = table.columns.map(quoteName).join(', ');
  for (const part of parts(rows)) {
    const places = part.map(({ values }) => `(${values.map(placeholder).join(', ')})`);
    const values = part.flatMap((row) => row.values.map(input));
    await connection.query(`INSERT INTO ${into} (${columns}) VALUES ${places.join(', ')}`, values);
  }
}

export async function deleteRows(connection: Connection, table: TableDescription, rows: readonly Row[]): Promise<void> {
  const places = table.key.map((name) => table.columns.indexOf(name));
  const condition = `(${table.key.map((name) => `${quoteName(name)} = ?`).join(' AND ')})`;
  for (let at = 0; at < rows.length; at += DELETED_ROWS) {
    const part = rows.slice(at, at + DELETED_ROWS);
    const values = part.flatMap((row) => places.map((place) => input(row.values[place] ?? null)));
    await connection.query(
      `DELETE FROM ${quoteName(table.name)} WHERE ${part.map(() => condition).join(' OR ')}`,
      values,
    );
  }
}

function* parts(rows: readonly Row[]): Generator<Row[]> {
  let part: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    part.push(row);
    bytes += row.bytes.length;
    if (part.length < MOST_ROWS && bytes < STATEMENT_BYTES) continue;
    yield part;
    part = [];
    bytes = 0;
  }
  if (part.length > 0) yield part;
}

function placeholder(value: RowValue): string {
  return value instanceof RawText ? 'CONVERT(? USING utf8mb4)' : '?';
}

function input(value: RowValue): unknown {
  if (value instanceof RawText) return value.bytes;
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value;
}
