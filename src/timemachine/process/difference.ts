import type { FileChange } from '../restore/file-plan.ts';
import type { RestorePlan } from '../restore/restorer.ts';
import { type DescribedChange, describeTableChange } from '../tables/describe-change.ts';
import type { TableChange } from '../tables/table-change.ts';
import type { TreeEntry } from '../tree.ts';
import type { Keeping } from './keep-rules.ts';
import { sameButForAddress } from './moved-rows.ts';
import type { Difference, DifferenceList, FileDifference, TableDifference, Window } from './protocol.ts';

/** Rows are as wide as a site makes them. */
const SAMPLE_BYTES = 256 * 1024;

/** A plan in words that need no knowledge of the store; what it lists is put into words when it is asked for. */
export interface DescribedPlan {
  difference: Difference;
  list(window: Window): DifferenceList;
}

export function describePlan(
  { files, tables, counters }: RestorePlan,
  { isKnown }: Pick<Keeping, 'isKnown'>,
): DescribedPlan {
  const touched = (files?.changes ?? []).filter(isOfFile);
  const { listed, onlyMoved } = listTables(tables);
  const differing = listed.filter(({ name }) => isKnown(name));
  const count = (change: TableDifference['change']) => differing.filter((table) => table.change === change).length;
  const difference: Difference = {
    counters: {
      filesAdded: counters.filesAdded,
      filesDeleted: counters.filesDeleted,
      filesRestored: counters.filesRestored,
      foldersAdded: counters.foldersAdded,
      tablesRestored: count('restored'),
      tablesDeleted: count('deleted'),
      tablesSkipped: [...(tables?.unchanged ?? []), ...onlyMoved].filter(isKnown).length,
      tablesFailed: count('failed'),
    },
    count: differing.length + touched.length,
  };
  return {
    difference,
    list({ offset, limit }) {
      const listed = differing.slice(offset, offset + limit);
      const start = Math.max(0, offset - differing.length);
      return {
        tables: withinBudget(listed.map(({ rows, ...table }) => ({ ...table, ...rows() }))),
        files: touched.slice(start, start + limit - listed.length).map(describeFile),
      };
    },
  };
}

/** As many of the rows as fit, table by table. */
function withinBudget(tables: TableDifference[]): TableDifference[] {
  let left = SAMPLE_BYTES;
  return tables.map((table) => {
    const sample = table.sample.filter((row) => {
      left -= JSON.stringify(row).length;
      return left >= 0;
    });
    return { ...table, sample };
  });
}

type OfFile = Exclude<FileChange, { kind: 'folder' }>;

function isOfFile(change: FileChange): change is OfFile {
  return change.kind !== 'folder' && !(change.kind === 'remove' && change.before.kind === 'folder');
}

function describeFile(change: OfFile): FileDifference {
  const { path } = change;
  if (change.kind === 'remove')
    return { path, change: 'deleted', sizeBytes: sizeOf(change.before), before: refOf(change.before), after: null };
  return {
    path,
    change: change.before ? 'restored' : 'added',
    sizeBytes: sizeOf(change.entry),
    before: change.before ? refOf(change.before) : null,
    after: refOf(change.entry),
  };
}

const sizeOf = (entry: TreeEntry) => (entry.kind === 'file' ? entry.sizeBytes : 0);
const refOf = (entry: TreeEntry) => (entry.kind === 'file' ? entry.ref : null);

/** A table that differs; its rows are looked through when it is listed. */
type TableInPlan = Pick<TableDifference, 'name' | 'change' | 'reason'> & { rows(): DescribedChange };

/** `onlyMoved` are those in which nothing but the site's address differs. */
function listTables(plan: RestorePlan['tables']): { listed: TableInPlan[]; onlyMoved: string[] } {
  if (!plan) return { listed: [], onlyMoved: [] };
  const isSame = sameButForAddress(plan.changed);
  const isMoved = (change: TableChange) => isSame !== undefined && isNothing(describeTableChange(change, isSame));
  const [moved, changed] = [plan.changed.filter(isMoved), plan.changed.filter((change) => !isMoved(change))];
  const listed = [
    ...changed.map((change): TableInPlan => {
      const rows = () => describeTableChange(change, isSame);
      return { name: change.table.name, change: 'restored', reason: null, rows };
    }),
    ...plan.dropped.map((name): TableInPlan => ({ name, change: 'deleted', reason: null, rows: noRows })),
    ...plan.failed.map(({ name, reason }): TableInPlan => ({ name, change: 'failed', reason, rows: noRows })),
  ];
  return { listed, onlyMoved: moved.map(({ table }) => table.name) };
}

function isNothing({ rowsAdded, rowsChanged, rowsRemoved }: DescribedChange): boolean {
  return rowsAdded + rowsChanged + rowsRemoved === 0;
}

const noRows = (): DescribedChange => ({ rowsAdded: 0, rowsChanged: 0, rowsRemoved: 0, sample: [] });
