import { addContent, readContent } from '../content.ts';
import { TimeMachineFailure } from '../failure.ts';
import { corruptObject, hashOf } from '../hash.ts';
import type { ProgressReport } from '../progress.ts';
import type { SiteRepository } from '../repository.ts';
import { decodeRows, type Row } from '../tables/row-codec.ts';
import { isSameRow, keysOf } from '../tables/row-difference.ts';
import type { TableChange } from '../tables/table-change.ts';
import type { TablePlan } from '../tables/table-plan.ts';
import { type BoundRange, RANGE_WHOLE_BELOW } from '../tables/table-root.ts';
import type { TableDescription } from '../tables/table-source.ts';
import type { TableChanges, TableTarget } from '../tables/table-target.ts';

/** Each step is a transaction of its own: long enough to be worth its fsync, short enough for others to get in between. */
const STEP_BYTES = 4 * 1024 * 1024;

/** Loads aside what will replace whole tables. Every row is read and verified here, before anything is decided. */
export async function stageTables(
  repository: SiteRepository,
  plan: TablePlan,
  target: TableTarget,
  progress: ProgressReport,
): Promise<void> {
  const ranges = plan.changed.flatMap((change) => (change.how === 'replace' ? change.ranges : []));
  const bytesTotal = ranges.reduce((sum, range) => sum + range.bytes, 0);
  progress.begin('tables', { tablesTotal: plan.changed.length, bytesTotal });
  await target.discardStaged();
  for (const change of plan.changed) {
    if (change.how === 'replace') await target.stage(change.table, readBatches(repository, change, progress));
  }
}

async function* readBatches(
  repository: SiteRepository,
  { table, ranges }: { table: TableDescription; ranges: readonly BoundRange[] },
  progress: ProgressReport,
): AsyncGenerator<Row[]> {
  let rows: Row[] = [];
  let bytes = 0;
  for (const range of ranges) {
    for (const row of decodeRows(await readContent(repository, range.ref), table.columns.length)) rows.push(row);
    bytes += range.bytes;
    progress.add({ bytes: range.bytes });
    if (bytes < STEP_BYTES) continue;
    yield rows;
    rows = [];
    bytes = 0;
  }
  if (rows.length > 0) yield rows;
}

/** One transaction for all tables. What it wrote is read back before it is committed. */
export async function applyTables(
  plan: TablePlan,
  target: TableTarget,
  assertCurrent: () => Promise<void>,
  progress: ProgressReport,
): Promise<void> {
  if (plan.changed.length === 0 && plan.dropped.length === 0) return;
  await target.transaction(async (changes) => {
    await assertCurrent();
    for (const name of plan.dropped) await changes.drop(name);
    for (const change of plan.changed) {
      await applyChange(changes, change);
      progress.add({ tables: 1 });
    }
    for (const change of plan.changed) await verify(changes, change);
    await changes.finish(plan.changed.map(({ table }) => table));
  });
  progress.end();
}

async function applyChange(changes: TableChanges, change: TableChange): Promise<void> {
  try {
    if (change.how === 'replace') await changes.replace(change.table);
    else await changes.change(change.table, change.removed, change.added);
  } catch (error) {
    // What a table asks of its rows may be more than we can tell from outside.
    if (change.how !== 'merge' || !changes.isRefusal(error)) throw error;
    throw new TimeMachineFailure('in_conflict', `The table ${change.table.name} does not take the rows of both sides`);
  }
}

async function verify(changes: TableChanges, change: TableChange): Promise<void> {
  const { table } = change;
  if (table.columns.length === 0) return;
  const isRight = change.how === 'merge' ? await holdsRows(changes, change) : await holdsRanges(changes, change);
  if (!isRight) throw corruptObject(`table ${table.name} does not hold what was written`);
}

async function holdsRanges(changes: TableChanges, change: Exclude<TableChange, { how: 'merge' }>): Promise<boolean> {
  for (const { low, high, ref } of change.how === 'rows' ? change.verify : change.ranges) {
    const { bytes } = await changes.read(change.table, low, high);
    if (addContent({ add: hashOf }, bytes, RANGE_WHOLE_BELOW) !== ref) return false;
  }
  return true;
}

/** A mixture is stored nowhere, but all rows that came are there, and those that went are not. */
async function holdsRows(changes: TableChanges, change: Extract<TableChange, { how: 'merge' }>): Promise<boolean> {
  const { table, spans } = change;
  const added = keysOf(table, change.added);
  const missing = new Set(added.keys());
  const removed = keysOf(table, change.removed);
  for (const { low, high } of spans) {
    const { bytes } = await changes.read(table, low, high);
    for (const [key, row] of keysOf(table, decodeRows(bytes, table.columns.length))) {
      const wanted = added.get(key);
      if (wanted ? !isSameRow(row, wanted) : removed.has(key)) return false;
      missing.delete(key);
    }
  }
  return missing.size === 0;
}
