import { createHash } from 'node:crypto';
import type { TableDescription } from '../tables/table-source.ts';
import type { TreeEntry } from '../tree.ts';
import type { Cells } from './identity.ts';
import type { TheirChange } from './merge-row.ts';
import type { TableProblem } from './merge-tools.ts';

/** Who has changed something since the base: `both` only where they did so in different ways. */
export type Side = 'ours' | 'theirs' | 'both';

export interface ComparedTable {
  name: string;
  table: TableDescription;
  problem: TableProblem | undefined;
  /** Where a side has made the table, or no longer has it, or has changed it in a way that is not told row by row. */
  ours: 'added' | 'removed' | 'changed' | undefined;
  theirs: 'added' | 'removed' | undefined;
  rows: ComparedRow[];
}

export interface ComparedRow {
  id: string;
  side: Side;
  ours: TheirChange | undefined;
  theirs: TheirChange | undefined;
  /** As ours has it now. */
  now: Cells | undefined;
  /** The row of ours, by its id, that goes because the two can not be there together. */
  replaces: string | undefined;
}

/** One file or link that a side has changed. */
export interface ComparedFile {
  path: string;
  side: Side;
  ours: FileStep | undefined;
  theirs: FileStep | undefined;
}

export interface FileStep {
  before: TreeEntry | undefined;
  after: TreeEntry | undefined;
}

/** What each side has changed, of all that counts. */
export interface Comparison {
  tables: ComparedTable[];
  files: ComparedFile[];
}

/** Another text whenever anything else would be compared. */
export function idOfComparison({ tables, files }: Comparison): string {
  const hash = createHash('sha256');
  const step = ({ before, after }: FileStep) => [before, after].map((entry) => entry && { ...entry, modifiedUs: 0 });
  for (const { path, side, ours, theirs } of files.toSorted((a, b) => (a.path < b.path ? -1 : 1)))
    hash.update(JSON.stringify([path, side, ours && step(ours), theirs && step(theirs)]));
  for (const { name, problem, rows, ours: own, theirs: other } of tables.toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  )) {
    hash.update(JSON.stringify([name, problem ?? null, own ?? null, other ?? null, rows.length]));
    for (const { id, side, ours, theirs } of rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
      hash.update(JSON.stringify([id, side]));
      for (const change of [ours, theirs])
        for (const cells of [change?.before, change?.after]) hash.update(cells ? bytesOf(cells) : 'nothing');
    }
  }
  return hash.digest('hex');
}

function bytesOf(cells: Cells): Buffer {
  return Buffer.concat(cells.map((cell) => cell ?? Buffer.from('-')));
}
