import type { Ref } from '../content.ts';
import type { Skipped } from '../snapshot.ts';
import { refIn, rowsAddedBy, rowsRemovedBy, type TablePlan } from '../tables/table-plan.ts';
import type { ThreeStates } from '../three-way.ts';
import { mergeTable } from './merge-table.ts';
import type { MergedTable, MergeTools } from './merge-tools.ts';

export interface MergedTables {
  plan: TablePlan;
  /** Every table that theirs has changed. */
  merged: MergedTable[];
}

/** Brings what theirs has changed since the base into the tables of ours. */
export async function mergeTables(
  tools: MergeTools,
  { base, ours, theirs }: ThreeStates<Record<string, Ref>>,
  failed: readonly Skipped[],
): Promise<MergedTables> {
  const plan: TablePlan = {
    wanted: {},
    changed: [],
    dropped: [],
    unchanged: [],
    failed: [],
    rowsRemoved: 0,
    rowsAdded: 0,
  };
  const { keep, take } = tools;
  const merged: MergedTable[] = [];
  const unread = new Set(failed.map(({ name }) => name));
  const wanted: [name: string, ref: Ref][] = [];
  for (const name of new Set([...Object.keys(ours), ...Object.keys(theirs), ...Object.keys(base)])) {
    const refs = { base: refIn(base, name), ours: refIn(ours, name), theirs: refIn(theirs, name) };
    const stays = () => {
      if (refs.ours === undefined) return;
      plan.unchanged.push(name);
      wanted.push([name, refs.ours]);
    };
    const isTheirs = refs.theirs !== (tools.isReplaced ? refs.ours : refs.base);
    if (unread.has(name) && !keep.has(name))
      merged.push({ name, table: unreadTable(name), problem: 'unread', rows: [] });
    if (!isTheirs || keep.has(name) || unread.has(name) || tools.rules.isOwnTable(name)) {
      stays();
      continue;
    }
    const found = await mergeTable(tools, name, refs);
    const table =
      found.problem && take.has(name) ? await mergeTable({ ...tools, isReplaced: true }, name, refs) : found;
    merged.push(table);
    if (table.does === 'drop') plan.dropped.push(name);
    else if (table.does) {
      const { change, stored } = table.does;
      plan.changed.push(change);
      if (stored !== undefined) wanted.push([name, stored]);
      plan.rowsRemoved += rowsRemovedBy(change);
      plan.rowsAdded += rowsAddedBy(change);
    } else stays();
  }
  return { plan: { ...plan, wanted: Object.fromEntries(wanted) }, merged };
}

/** A backup could not store it, so nothing is known of it. */
const unreadTable = (name: string) => ({ name, columns: [], key: [], schema: null });
