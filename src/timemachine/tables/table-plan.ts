import type { ObjectReader, Ref } from '../content.ts';
import type { Skipped } from '../snapshot.ts';
import { type Decide, oursStays, type RowConflict, type TableConflict, type ThreeStates } from '../three-way.ts';
import { differingRanges, differingRows, isMadeAlike, MOST_BYTES } from './row-difference.ts';
import type { TableChange } from './table-change.ts';
import { type MergeSchema, mergeTable, plainMerge } from './table-merge.ts';
import { type BoundRange, readRanges, readTableOutline, type TableOutline } from './table-root.ts';

/** What it takes to bring the changes of theirs to ours; for a restore, what makes the tables of now those of the point. */
export interface TablePlan {
  /** What tables are to be in the end, changed or not; without those that are a mixture, for these are stored nowhere. */
  wanted: Record<string, Ref>;
  changed: TableChange[];
  dropped: string[];
  unchanged: string[];
  /** Tables that theirs has but could not store: they do not come in, and stay if they are there. */
  failed: Skipped[];
  conflicts: (TableConflict | RowConflict)[];
  rowsRemoved: number;
  rowsAdded: number;
}

export interface TablePlanOptions {
  failed?: Skipped[];
  decide?: Decide;
  /** How two changes of what makes a table become one, in words of its source. */
  mergeSchema?: MergeSchema;
}

/** Beyond both of these a table is loaded anew: that costs the visitors less than a long transaction. */
const REPLACE_FROM_BYTES = 4 * 1024 * 1024;
const REPLACE_FROM_SHARE = 0.25;

export async function planTables(
  reader: ObjectReader,
  { base, ours, theirs }: ThreeStates<Record<string, Ref>>,
  { failed = [], decide = oursStays, mergeSchema = plainMerge }: TablePlanOptions = {},
): Promise<TablePlan> {
  const plan: TablePlan = {
    wanted: {},
    changed: [],
    dropped: [],
    unchanged: [],
    failed,
    conflicts: [],
    rowsRemoved: 0,
    rowsAdded: 0,
  };
  const wanted: [name: string, ref: Ref][] = [];
  // A table that theirs has but could not store is none that theirs dropped.
  const kept = new Set(failed.map(({ name }) => name));
  const extra = Object.keys(ours).filter((name) => !Object.hasOwn(theirs, name) && !kept.has(name));
  for (const name of [...Object.keys(theirs), ...extra]) {
    const states = { base: refIn(base, name), ours: refIn(ours, name), theirs: refIn(theirs, name) };
    const planned = await planOne(reader, name, states, decide, mergeSchema);
    for (const conflict of planned.conflicts) plan.conflicts.push(conflict);
    const ref = planned.takes === 'theirs' ? states.theirs : planned.takes === 'ours' ? states.ours : undefined;
    if (ref !== undefined) wanted.push([name, ref]);
    if (planned.change) {
      plan.changed.push(planned.change);
      plan.rowsRemoved += removedBy(planned.change);
      plan.rowsAdded += addedBy(planned.change);
    } else if (planned.takes === 'theirs' && states.theirs === undefined) plan.dropped.push(name);
    else if (states.ours !== undefined) plan.unchanged.push(name);
  }
  // A table may be called __proto__, which nothing can be assigned to.
  return { ...plan, wanted: Object.fromEntries(wanted) };
}

/** A table may be called constructor. */
function refIn(tables: Record<string, Ref>, name: string): Ref | undefined {
  return Object.hasOwn(tables, name) ? tables[name] : undefined;
}

interface PlannedTable {
  /** Whose table it is in the end. */
  takes: 'ours' | 'theirs' | 'both';
  /** What has to be done for that; nothing for a table that goes, or is as it should be. */
  change?: TableChange;
  conflicts: (TableConflict | RowConflict)[];
}

async function planOne(
  reader: ObjectReader,
  name: string,
  { base, ours, theirs }: ThreeStates<Ref | undefined>,
  decide: Decide,
  mergeSchema: MergeSchema,
): Promise<PlannedTable> {
  if (theirs === ours) return { takes: 'theirs', conflicts: [] };
  if (theirs === base) return { takes: 'ours', conflicts: [] };
  if (theirs === undefined && base === ours) return { takes: 'theirs', conflicts: [] };
  const [now, then] = [await outlineOf(reader, ours), await outlineOf(reader, theirs)];
  const change = then && (await planTable(reader, now, then));
  if (now && change && isNothing(now, change)) return { takes: 'theirs', conflicts: [] };
  const taken = (conflicts: PlannedTable['conflicts']): PlannedTable => {
    return { takes: 'theirs', ...(change && { change }), conflicts };
  };
  if (base === ours) return taken([]);
  const was = await outlineOf(reader, base);
  // What was changed and changed back may be stored in another way.
  const isStill = async (to: TableOutline | undefined) => was && to && isNothing(was, await planTable(reader, was, to));
  if (await isStill(now)) return taken([]);
  if (await isStill(then)) return { takes: 'ours', conflicts: [] };
  const merged = now && then && (await mergeTable(reader, was, now, then, decide, mergeSchema));
  if (merged && typeof merged === 'object') {
    const { change: mixture, conflicts } = merged;
    return mixture ? { takes: 'both', change: mixture, conflicts } : { takes: 'ours', conflicts };
  }
  const conflict = { kind: 'table', name, reason: merged ?? 'gone', base, ours, theirs } as const;
  const side = decide(conflict);
  const conflicts = [{ ...conflict, taken: side }];
  return side === 'theirs' ? taken(conflicts) : { takes: 'ours', conflicts };
}

async function outlineOf(reader: ObjectReader, ref: Ref | undefined): Promise<TableOutline | undefined> {
  return ref === undefined ? undefined : readTableOutline(reader, ref);
}

/** The same rows may be cut into other ranges, by what was there before them. */
function isNothing({ description }: TableOutline, change: TableChange): boolean {
  if (change.how !== 'rows' || change.removed.length > 0 || change.added.length > 0) return false;
  return JSON.stringify(description) === JSON.stringify(change.table);
}

function removedBy(change: TableChange): number {
  return change.how === 'replace' ? change.rowsBefore : change.removed.length;
}

function addedBy(change: TableChange): number {
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
