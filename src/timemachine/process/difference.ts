import type { FileChange } from '../restore/file-plan.ts';
import type { RestorePlan } from '../restore/restorer.ts';
import { describeTableChange } from '../tables/describe-change.ts';
import type { TreeEntry } from '../tree.ts';
import { isOfSite } from './kept-site.ts';
import type { Difference, FileDifference, TableDifference } from './protocol.ts';

/** Lists beyond these are nothing that anybody reads, and the counters still tell it all. */
const LISTED_FILES = 20_000;
const LISTED_TABLES = 500;
/** Rows are as wide as a site makes them. */
const SAMPLE_BYTES = 256 * 1024;

/** What a restore would do, in words that need no knowledge of the store. */
export function describePlan({ files, tables, counters }: RestorePlan): Difference {
  const touched = (files?.changes ?? []).flatMap(describeFile);
  const differing = tables ? describeTables(tables).filter(({ name }) => isOfSite(name)) : [];
  const count = (change: TableDifference['change']) => differing.filter((table) => table.change === change).length;
  return {
    counters: {
      filesAdded: counters.filesAdded,
      filesDeleted: counters.filesDeleted,
      filesRestored: counters.filesRestored,
      foldersAdded: counters.foldersAdded,
      tablesRestored: count('restored'),
      tablesDeleted: count('deleted'),
      tablesSkipped: (tables?.unchanged ?? []).filter(isOfSite).length,
      tablesFailed: count('failed'),
    },
    files: touched.slice(0, LISTED_FILES),
    tables: withinBudget(differing.slice(0, LISTED_TABLES)),
    isTruncated: touched.length > LISTED_FILES || differing.length > LISTED_TABLES,
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

function describeFile(change: FileChange): FileDifference[] {
  if (change.kind === 'folder' || (change.kind === 'remove' && change.before.kind === 'folder')) return [];
  const { path } = change;
  if (change.kind === 'remove') {
    return [{ path, change: 'deleted', sizeBytes: sizeOf(change.before), before: refOf(change.before), after: null }];
  }
  const before = change.before ? refOf(change.before) : null;
  return [
    {
      path,
      change: change.before ? 'restored' : 'added',
      sizeBytes: sizeOf(change.entry),
      before,
      after: refOf(change.entry),
    },
  ];
}

const sizeOf = (entry: TreeEntry) => (entry.kind === 'file' ? entry.sizeBytes : 0);
const refOf = (entry: TreeEntry) => (entry.kind === 'file' ? entry.ref : null);

function describeTables(plan: NonNullable<RestorePlan['tables']>): TableDifference[] {
  const nothing = { rowsAdded: 0, rowsChanged: 0, rowsRemoved: 0, sample: [] };
  return [
    ...plan.changed.map((change) => ({
      name: change.table.name,
      change: 'restored' as const,
      reason: null,
      ...describeTableChange(change),
    })),
    ...plan.dropped.map((name) => ({ name, change: 'deleted' as const, reason: null, ...nothing })),
    ...plan.failed.map(({ name, reason }) => ({ name, change: 'failed' as const, reason, ...nothing })),
  ];
}
