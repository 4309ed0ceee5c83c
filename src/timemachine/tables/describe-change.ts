import { RawText, type Row, type RowValue } from './row-codec.ts';
import { keysOf } from './row-difference.ts';
import type { TableChange } from './table-change.ts';
import type { TableDescription } from './table-source.ts';

/** What a restore would do to a table, for people. */
export interface DescribedChange {
  rowsAdded: number;
  /** Rows that are there now and at the point, but differ. */
  rowsChanged: number;
  rowsRemoved: number;
  /** Some of them; `before` is now and `after` is as of the point. */
  sample: { key: JsonValue[]; before: JsonRow | null; after: JsonRow | null }[];
}

export type JsonRow = Record<string, JsonValue>;
/** Integers that JSON can not carry are texts, blobs only say how long they are, long texts are cut. */
type JsonValue = null | number | string | { bytes: number };

/** Whether a row of now and the one of then count as alike though they differ. */
export type IsSameRow = (now: Row, then: Row) => boolean;

const SAMPLES = 20;
const TEXT_LENGTH = 300;

/** Rows that are the same to `isSame` are no change. Where the table is loaded anew, the rows were not compared: all of now go and all of the point come. */
export function describeTableChange(change: TableChange, isSame: IsSameRow = () => false): DescribedChange {
  if (change.how === 'replace') {
    const rowsAdded = change.ranges.reduce((sum, range) => sum + range.rows, 0);
    return { rowsAdded, rowsChanged: 0, rowsRemoved: change.rowsBefore, sample: [] };
  }
  const { table } = change;
  const before = keysOf(table, change.removed);
  const after = keysOf(table, change.added);
  for (const [key, row] of before) {
    const then = after.get(key);
    if (!then || !isSame(row, then)) continue;
    before.delete(key);
    after.delete(key);
  }
  const keys = new Set([...before.keys(), ...after.keys()]);
  const rowsChanged = before.size + after.size - keys.size;
  return {
    rowsAdded: after.size - rowsChanged,
    rowsChanged,
    rowsRemoved: before.size - rowsChanged,
    sample: [...keys].slice(0, SAMPLES).map((key) => describeRow(table, before.get(key), after.get(key))),
  };
}

function describeRow(table: TableDescription, before: Row | undefined, after: Row | undefined) {
  const named = (after ?? before)?.values ?? [];
  const key = table.key.map((name) => jsonValue(named[table.columns.indexOf(name)] ?? null));
  return { key, before: jsonRow(table, before), after: jsonRow(table, after) };
}

export function jsonRow(table: TableDescription, row: Row | undefined): JsonRow | null {
  if (!row) return null;
  return Object.fromEntries(table.columns.map((name, index) => [name, jsonValue(row.values[index] ?? null)]));
}

function jsonValue(value: RowValue): JsonValue {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : `${value}`;
  // JSON has no infinity.
  if (typeof value === 'number') return Number.isFinite(value) ? value : `${value}`;
  if (value instanceof Uint8Array) return { bytes: value.length };
  const text = value instanceof RawText ? value.bytes.toString() : value;
  return text !== null && text.length > TEXT_LENGTH ? `${text.slice(0, TEXT_LENGTH)}…` : text;
}
