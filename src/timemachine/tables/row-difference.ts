import { type ObjectReader, readContent } from '../content.ts';
import { decodeRows, keyToJson, type Row, splitRows } from './row-codec.ts';
import { type BoundRange, readDifferingRanges, type TableOutline } from './table-root.ts';
import type { TableDescription } from './table-source.ts';

/** What is held in memory at once stays below this. */
export const MOST_BYTES = 64 * 1024 * 1024;

/** One row that two states of a table do not have alike; undefined where it is not there. */
export interface RowChange {
  before: Row | undefined;
  after: Row | undefined;
}

/** Whether rows of the one can be put into the other. */
export function isMadeAlike(a: TableDescription, b: TableDescription): boolean {
  const statement = ({ columns, key, schema }: TableDescription) =>
    JSON.stringify([columns, key, (schema as { sql?: string }).sql]);
  return statement(a) === statement(b);
}

export interface RangeDifference {
  /** The ranges that only one of the two has. */
  before: BoundRange[];
  after: BoundRange[];
  bytes: number;
}

export async function differingRanges(
  reader: ObjectReader,
  from: TableOutline,
  to: TableOutline,
): Promise<RangeDifference> {
  const [after, before] = await readDifferingRanges(reader, to, from);
  return { before, after, bytes: sumBytes(before) + sumBytes(after) };
}

/**
 * The rows that differ, by their keys. Where a range kept its bounds, the rows before and after the first and last difference
 * need no look.
 */
export async function differingRows(
  reader: ObjectReader,
  table: TableDescription,
  ranges: RangeDifference,
): Promise<Map<string, RowChange>> {
  const boundsOf = ({ low, high }: BoundRange) => JSON.stringify([keyToJson(low), keyToJson(high)]);
  const partners = new Map(ranges.before.map((range) => [boundsOf(range), range]));
  const before: Buffer[] = [];
  const after: Buffer[] = [];
  for (const range of ranges.after) {
    const rows = splitRows(await readContent(reader, range.ref), table.columns.length);
    const partner = partners.get(boundsOf(range));
    partners.delete(boundsOf(range));
    const old = partner ? splitRows(await readContent(reader, partner.ref), table.columns.length) : [];
    let start = 0;
    while (start < rows.length && start < old.length && rows[start]?.equals(old[start] as Buffer)) start++;
    let same = 0;
    const most = Math.min(rows.length, old.length) - start;
    while (same < most && rows[rows.length - 1 - same]?.equals(old[old.length - 1 - same] as Buffer)) same++;
    after.push(...rows.slice(start, rows.length - same));
    before.push(...old.slice(start, old.length - same));
  }
  for (const { ref } of partners.values())
    before.push(...splitRows(await readContent(reader, ref), table.columns.length));
  const was = byKey(table, before);
  const willBe = byKey(table, after);
  const changes = new Map<string, RowChange>();
  for (const [key, row] of was) {
    const now = willBe.get(key);
    if (!isSameRow(row, now)) changes.set(key, { before: row, after: now });
  }
  for (const [key, row] of willBe) if (!was.has(key)) changes.set(key, { before: undefined, after: row });
  return changes;
}

export function isSameRow(a: Row | undefined, b: Row | undefined): boolean {
  return a && b ? a.bytes.equals(b.bytes) : a === b;
}

function byKey(table: TableDescription, rows: readonly Buffer[]): Map<string, Row> {
  return keysOf(
    table,
    rows.flatMap((bytes) => decodeRows(bytes, table.columns.length)),
  );
}

/** The rows by a text that two rows share exactly when they have the same key. */
export function keysOf(table: TableDescription, rows: readonly Row[]): Map<string, Row> {
  const places = placesOfKey(table);
  return new Map(rows.map((row) => [places.map((place) => keyText(row.values[place])).join(), row]));
}

function placesOfKey({ key, columns }: TableDescription): number[] {
  return key.map((name) => columns.indexOf(name));
}

function keyText(value: Row['values'][number] | undefined): string {
  if (value instanceof Uint8Array) return `b${Buffer.from(value).toString('hex')}`;
  if (value !== null && typeof value === 'object') return `t${value.bytes.toString('hex')}`;
  return typeof value === 'string' ? `t${Buffer.from(value).toString('hex')}` : `${typeof value}${value}`;
}

function sumBytes(ranges: readonly BoundRange[]): number {
  return ranges.reduce((sum, range) => sum + range.bytes, 0);
}
