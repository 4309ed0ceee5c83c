import { type ObjectReader, type Ref, readContent } from '../content.ts';
import type { Skipped } from '../snapshot.ts';
import { decodeRows, keyToJson, type Row, splitRows } from './row-codec.ts';
import { type BoundRange, readDifferingRanges, readRanges, readTableOutline, type TableOutline } from './table-root.ts';
import type { TableDescription } from './table-source.ts';

/** What it takes to make the tables of now those of the point. */
export interface TablePlan {
  /** The tables of the point. */
  wanted: Record<string, Ref>;
  changed: TableChange[];
  dropped: string[];
  unchanged: string[];
  /** Tables that were there at the point but could not be stored: they do not come back, and stay if they are there. */
  failed: Skipped[];
  rowsRemoved: number;
  rowsAdded: number;
}

export type TableChange =
  /** Few rows differ: they are here. */
  | { how: 'rows'; table: TableDescription; removed: Row[]; added: Row[]; verify: BoundRange[] }
  /** It is new, made differently, or differs in much: all rows are loaded aside. */
  | { how: 'replace'; table: TableDescription; ranges: BoundRange[]; rowsBefore: number };

/** Beyond both of these a table is loaded anew: that costs the visitors less than a long transaction. */
const REPLACE_FROM_BYTES = 4 * 1024 * 1024;
const REPLACE_FROM_SHARE = 0.25;
/** What is held in memory at once stays below this in any case. */
const MOST_BYTES = 64 * 1024 * 1024;

export async function planTables(
  reader: ObjectReader,
  now: Record<string, Ref>,
  point: Record<string, Ref>,
  failed: Skipped[] = [],
): Promise<TablePlan> {
  const plan: TablePlan = {
    wanted: point,
    changed: [],
    dropped: [],
    unchanged: [],
    failed,
    rowsRemoved: 0,
    rowsAdded: 0,
  };
  for (const [name, ref] of Object.entries(point)) {
    // A table may be called constructor.
    const before = Object.hasOwn(now, name) ? now[name] : undefined;
    if (before === ref) {
      plan.unchanged.push(name);
      continue;
    }
    const from = before === undefined ? undefined : await readTableOutline(reader, before);
    const change = await planTable(reader, from, await readTableOutline(reader, ref));
    // The same rows may be cut into other ranges, by what was there before them.
    if (from && isNothing(change) && JSON.stringify(from.description) === JSON.stringify(change.table)) {
      plan.unchanged.push(name);
      continue;
    }
    plan.changed.push(change);
    if (change.how === 'rows') {
      plan.rowsRemoved += change.removed.length;
      plan.rowsAdded += change.added.length;
    } else {
      plan.rowsRemoved += change.rowsBefore;
      plan.rowsAdded += change.ranges.reduce((sum, range) => sum + range.rows, 0);
    }
  }
  // A table that was there at the point but could not be stored is not one that came later.
  const kept = new Set(failed.map(({ name }) => name));
  plan.dropped = Object.keys(now).filter((name) => !Object.hasOwn(point, name) && !kept.has(name));
  return plan;
}

function isNothing(change: TableChange): boolean {
  return change.how === 'rows' && change.removed.length === 0 && change.added.length === 0;
}

async function planTable(
  reader: ObjectReader,
  now: TableOutline | undefined,
  point: TableOutline,
): Promise<TableChange> {
  const table = point.description;
  const replace = async (): Promise<TableChange> => {
    return { how: 'replace', table, ranges: await readRanges(reader, point.nodes), rowsBefore: now?.rows ?? 0 };
  };
  if (!now || table.key.length === 0 || !isMadeAlike(now.description, table)) return replace();
  const [missing, extra] = await readDifferingRanges(reader, point, now);
  const bytes = sumBytes(missing) + sumBytes(extra);
  const share = missing.reduce((sum, range) => sum + range.rows, 0) / Math.max(1, point.rows);
  if (bytes > MOST_BYTES || (bytes > REPLACE_FROM_BYTES && share > REPLACE_FROM_SHARE)) return replace();
  return { how: 'rows', table, ...(await compareRows(reader, table, extra, missing)), verify: missing };
}

/** Where a range kept its bounds, the rows before and after the first and last difference need no look. */
async function compareRows(reader: ObjectReader, table: TableDescription, extra: BoundRange[], missing: BoundRange[]) {
  const boundsOf = ({ low, high }: BoundRange) => JSON.stringify([keyToJson(low), keyToJson(high)]);
  const partners = new Map(extra.map((range) => [boundsOf(range), range]));
  const before: Buffer[] = [];
  const after: Buffer[] = [];
  for (const range of missing) {
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
  return {
    removed: [...was].filter(([key, row]) => !willBe.get(key)?.bytes.equals(row.bytes)).map(([, row]) => row),
    added: [...willBe].filter(([key, row]) => !was.get(key)?.bytes.equals(row.bytes)).map(([, row]) => row),
  };
}

function isMadeAlike(a: TableDescription, b: TableDescription): boolean {
  const statement = ({ columns, key, schema }: TableDescription) =>
    JSON.stringify([columns, key, (schema as { sql?: string }).sql]);
  return statement(a) === statement(b);
}

function byKey(table: TableDescription, rows: readonly Buffer[]): Map<string, Row> {
  return keysOf(
    table,
    rows.flatMap((bytes) => decodeRows(bytes, table.columns.length)),
  );
}

/** The rows by a text that two rows share exactly when they have the same key. */
export function keysOf(table: TableDescription, rows: readonly Row[]): Map<string, Row> {
  const places = table.key.map((name) => table.columns.indexOf(name));
  return new Map(rows.map((row) => [places.map((place) => keyText(row.values[place])).join(), row]));
}

function keyText(value: Row['values'][number] | undefined): string {
  if (value instanceof Uint8Array) return `b${Buffer.from(value).toString('hex')}`;
  if (value !== null && typeof value === 'object') return `t${value.bytes.toString('hex')}`;
  return typeof value === 'string' ? `t${Buffer.from(value).toString('hex')}` : `${typeof value}${value}`;
}

function sumBytes(ranges: readonly BoundRange[]): number {
  return ranges.reduce((sum, range) => sum + range.bytes, 0);
}
