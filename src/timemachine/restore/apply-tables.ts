import { addContent, readContent } from '../content.ts';
import { corruptObject, hashOf } from '../hash.ts';
import type { ProgressReport } from '../progress.ts';
import type { SiteRepository } from '../repository.ts';
import { decodeRows, type Row } from '../tables/row-codec.ts';
import type { TablePlan } from '../tables/table-plan.ts';
import { RANGE_WHOLE_BELOW } from '../tables/table-root.ts';
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
  target.discardStaged();
  for (const change of plan.changed) {
    if (change.how !== 'replace') continue;
    const staged = target.stage(change.table);
    let rows: Row[] = [];
    let bytes = 0;
    for (const range of change.ranges) {
      for (const row of decodeRows(await readContent(repository, range.ref), change.table.columns.length))
        rows.push(row);
      bytes += range.bytes;
      progress.add({ bytes: range.bytes });
      if (bytes < STEP_BYTES) continue;
      staged.add(rows);
      rows = [];
      bytes = 0;
    }
    if (rows.length > 0) staged.add(rows);
  }
}

/** One transaction for all tables. What it wrote is read back before it is committed. */
export function applyTables(
  plan: TablePlan,
  target: TableTarget,
  assertCurrent: () => void,
  progress: ProgressReport,
): void {
  if (plan.changed.length === 0 && plan.dropped.length === 0) return;
  target.transaction((changes) => {
    assertCurrent();
    for (const name of plan.dropped) changes.drop(name);
    for (const change of plan.changed) {
      if (change.how === 'replace') changes.replace(change.table);
      else changes.change(change.table, change.removed, change.added);
      progress.add({ tables: 1 });
    }
    for (const change of plan.changed) verify(changes, change);
    changes.finish(plan.changed.map(({ table }) => table));
  });
  progress.end();
}

function verify(changes: TableChanges, change: TablePlan['changed'][number]): void {
  const { table } = change;
  if (table.columns.length === 0) return;
  for (const { low, high, ref } of change.how === 'rows' ? change.verify : change.ranges) {
    const { bytes } = changes.read(table, low, high);
    if (addContent({ add: hashOf }, bytes, RANGE_WHOLE_BELOW) !== ref) {
      throw corruptObject(`table ${table.name} does not hold what was written`);
    }
  }
}
