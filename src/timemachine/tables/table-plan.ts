import type { ObjectReader, Ref } from '../content.ts';
import type { Skipped } from '../snapshot.ts';
import { differingRanges, differingRows, isMadeAlike, MOST_BYTES } from './row-difference.ts';
import type { TableChange } from './table-change.ts';
import { type BoundRange, readRanges, readTableOutline, type TableOutline } from './table-root.ts';

/** What makes the tables of now those of a point. */
export interface TablePlan {
  /** What tables are to be in the end, changed or not; without those that are a mixture, for these are stored nowhere. */
  wanted: Record<string, Ref>;
  changed: TableChange[];
  dropped: string[];
  unchanged: string[];
  /** Tables that the point has but could not store: they do not come in, and stay if they are there. */
  failed: Skipped[];
  rowsRemoved: number;
  rowsAdded: number;
}

/** Beyond both of these a table is loaded anew: that costs the visitors less than a long transaction. */
const REPLACE_FROM_BYTES = 4 * 1024 * 1024;
const REPLACE_FROM_SHARE = 0.25;

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
    const before = refIn(now, name);
    const change = before === ref ? undefined : await changeOf(reader, before, ref);
    if (change) plan.changed.push(change);
    else plan.unchanged.push(name);
  }
  // A table that the point has but could not store is none that was not there.
  const kept = new Set([...Object.keys(point), ...failed.map(({ name }) => name)]);
  plan.dropped = Object.keys(now).filter((name) => !kept.has(name));
  for (const change of plan.changed) {
    plan.rowsRemoved += rowsRemovedBy(change);
    plan.rowsAdded += rowsAddedBy(change);
  }
  return plan;
}

/** A table may be called constructor. */
export function refIn(tables: Record<string, Ref>, name: string): Ref | undefined {
  return Object.hasOwn(tables, name) ? tables[name] : undefined;
}

async function changeOf(reader: ObjectReader, before: Ref | undefined, after: Ref): Promise<TableChange | undefined> {
  const now = before === undefined ? undefined : await readTableOutline(reader, before);
  const change = await planTable(reader, now, await readTableOutline(reader, after));
  return now && isNothing(now, change) ? undefined : change;
}

/** The same rows may be cut into other ranges, by what was there before them. */
function isNothing({ description }: TableOutline, change: TableChange): boolean {
  if (change.how !== 'rows' || change.removed.length > 0 || change.added.length > 0) return false;
  return JSON.stringify(description) === JSON.stringify(change.table);
}

export function rowsRemovedBy(change: TableChange): number {
  return change.how === 'replace' ? change.rowsBefore : change.removed.length;
}

export function rowsAddedBy(change: TableChange): number {
  return change.how === 'replace' ? sumRows(change.ranges) : change.added.length;
}

/** What makes a table another state of it. */
async function planTable(
  reader: ObjectReader,
  now: TableOutline | undefined,
  then: TableOutline,
): Promise<TableChange> {
  const table = then.description;
  const replace = async (): Promise<TableChange> => {
    return { how: 'replace', table, ranges: await readRanges(reader, then.nodes), rowsBefore: now?.rows ?? 0 };
  };
  if (!now || table.key.length === 0 || !isMadeAlike(now.description, table)) return replace();
  const ranges = await differingRanges(reader, now, then);
  const share = sumRows(ranges.after) / Math.max(1, then.rows);
  if (ranges.bytes > MOST_BYTES || (ranges.bytes > REPLACE_FROM_BYTES && share > REPLACE_FROM_SHARE)) return replace();
  const rows = [...(await differingRows(reader, table, ranges)).values()];
  return {
    how: 'rows',
    table,
    removed: rows.flatMap(({ before }) => before ?? []),
    added: rows.flatMap(({ after }) => after ?? []),
    verify: ranges.after,
  };
}

function sumRows(ranges: readonly BoundRange[]): number {
  return ranges.reduce((sum, range) => sum + range.rows, 0);
}
