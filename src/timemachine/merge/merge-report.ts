import type { FailureCode } from '../failure.ts';
import { type JsonRow, jsonRow } from '../tables/describe-change.ts';
import { rowOfCells, textOfCell } from '../tables/row-codec.ts';
import type { TableDescription } from '../tables/table-source.ts';
import type { TreeEntry } from '../tree.ts';
import {
  type ComparedFile,
  type ComparedRow,
  type ComparedTable,
  type Comparison,
  type FileStep,
  idOfComparison,
  type Side,
} from './comparison.ts';
import type { Cells } from './identity.ts';
import type { TheirChange } from './merge-row.ts';
import type { Merging } from './merge-rules.ts';
import type { TableProblem } from './merge-tools.ts';

/** A comparison in words that need no knowledge of the store. */
export interface MergeReport {
  /** Why what is wished would not be done as things are. */
  refusal: { code: FailureCode; message: string } | null;
  /** Another one whenever something else would be compared. */
  id: string;
  counts: Record<Side, { files: number; rows: number }>;
  /** Tables that can not be merged row by row; one side's has to be taken. */
  problems: { table: string; reason: TableProblem }[];
  /** Rows of one kind and files of one folder, told as one. */
  groups: MergeGroup[];
  /** How many tables and files there are to list. */
  count: number;
  list: { tables: TableReport[]; files: FileReport[] };
}

type Change = 'added' | 'changed' | 'removed';

interface MergeGroup {
  side: Side;
  change: Change;
  /** One of these two. */
  table: string | null;
  folder: string | null;
  /** What the rules call the kind of the rows. */
  kind: string | null;
  count: number;
  /** Some of them. */
  titles: string[];
}

interface TableReport {
  name: string;
  problem: TableProblem | null;
  ours: 'added' | 'removed' | 'changed' | null;
  theirs: 'added' | 'removed' | null;
  counts: Record<Side, number>;
  /** Some of the rows; those that both have changed come first. */
  rows: { side: Side; base: JsonRow | null; ours: JsonRow | null; theirs: JsonRow | null }[];
}

interface FileReport {
  path: string;
  side: Side;
  ours: Change | null;
  theirs: Change | null;
  sizeBytes: number;
}

const SAMPLES = 20;
const SAMPLE_BYTES = 256 * 1024;
const TITLES = 5;
const TITLE_LENGTH = 100;
const GROUPS = 500;
const PROBLEMS = 1_000;
const SIDES = ['both', 'theirs', 'ours'] as const;

export function reportMerge(
  comparison: Comparison,
  rules: Merging,
  isKnown: (table: string) => boolean,
  { offset, limit }: { offset: number; limit: number },
): Omit<MergeReport, 'refusal'> {
  const tables = comparison.tables.filter(({ name }) => isKnown(name));
  const { files } = comparison;
  const count = (side: Side) => ({
    files: files.filter((file) => file.side === side).length,
    rows: tables.reduce((sum, { rows }) => sum + countOf(rows, side), 0),
  });
  const shownTables = tables.slice(offset, offset + limit);
  const start = Math.max(0, offset - tables.length);
  let left = SAMPLE_BYTES;
  const fits = (row: unknown) => {
    left -= JSON.stringify(row).length;
    return left >= 0;
  };
  return {
    id: idOfComparison(comparison),
    counts: { ours: count('ours'), theirs: count('theirs'), both: count('both') },
    problems: tables
      .flatMap(({ name, problem }) => (problem ? [{ table: name, reason: problem }] : []))
      .slice(0, PROBLEMS),
    groups: [...groupRows(tables, rules), ...groupFiles(files, rules)],
    count: tables.length + files.length,
    list: {
      tables: shownTables.map((table) => ({ ...tableReport(table), rows: sampleOf(table).filter(fits) })),
      files: files.slice(start, start + limit - shownTables.length).map(fileReport),
    },
  };
}

const countOf = (rows: readonly ComparedRow[], side: Side) => rows.filter((row) => row.side === side).length;

function tableReport({ name, problem, ours, theirs, rows }: ComparedTable) {
  const counts = { ours: countOf(rows, 'ours'), theirs: countOf(rows, 'theirs'), both: countOf(rows, 'both') };
  return { name, problem: problem ?? null, ours: ours ?? null, theirs: theirs ?? null, counts };
}

function sampleOf({ table, rows }: ComparedTable): TableReport['rows'] {
  const sorted = SIDES.flatMap((side) => rows.filter((row) => row.side === side).slice(0, SAMPLES));
  return sorted.slice(0, SAMPLES).map(({ side, ours, theirs, now }) => ({
    side,
    base: shown(table, (theirs ?? ours)?.before),
    ours: shown(table, now),
    theirs: shown(table, theirs ? theirs.after : ours?.before),
  }));
}

function shown(table: TableDescription, cells: Cells | undefined): JsonRow | null {
  return cells ? jsonRow(table, rowOfCells(cells.map((cell) => cell ?? Buffer.from('n')))) : null;
}

const changeOf = ({ before, after }: TheirChange | FileStep): Change =>
  before ? (after ? 'changed' : 'removed') : 'added';

function fileReport({ path, side, ours, theirs }: ComparedFile): FileReport {
  const entry = (theirs ?? ours)?.after ?? (theirs ?? ours)?.before;
  return {
    path,
    side,
    ours: ours ? changeOf(ours) : null,
    theirs: theirs ? changeOf(theirs) : null,
    sizeBytes: sizeOf(entry),
  };
}

const sizeOf = (entry: TreeEntry | undefined) => (entry?.kind === 'file' ? entry.sizeBytes : 0);

/** Counts things of one kind, and keeps the titles of some. */
class Groups {
  readonly #groups = new Map<string, MergeGroup>();

  add(found: Omit<MergeGroup, 'count' | 'titles'>, title: string | undefined): void {
    // A site names its kinds as it likes, and may have one for each row: beyond so many they are told as one.
    const kind = this.#groups.size < GROUPS ? (found.kind?.slice(0, TITLE_LENGTH) ?? null) : null;
    const group = { ...found, kind };
    const name = JSON.stringify(group);
    const known = this.#groups.get(name) ?? { ...group, count: 0, titles: [] };
    known.count++;
    if (title && known.titles.length < TITLES) known.titles.push(title.slice(0, TITLE_LENGTH));
    this.#groups.set(name, known);
  }

  get list(): MergeGroup[] {
    return [...this.#groups.values()];
  }
}

function groupRows(tables: readonly ComparedTable[], rules: Merging): MergeGroup[] {
  const groups = new Groups();
  for (const { name, table, rows } of tables) {
    const words = rules.wordsOf(name);
    const text = (cells: Cells | undefined, column: string | undefined) => {
      const cell = column === undefined ? undefined : cells?.[table.columns.indexOf(column)];
      return cell ? textOfCell(cell)?.toString() : undefined;
    };
    for (const { side, ours, theirs } of rows) {
      const change = (side === 'ours' ? ours : theirs) as TheirChange;
      const cells = change.after ?? change.before;
      const kind = text(cells, words?.kind) ?? null;
      const title = words?.titles.map((column) => text(cells, column)).find((each) => each);
      groups.add({ side, change: changeOf(change), table: name, folder: null, kind }, title);
      // What both have a hand in without being at odds is told of each.
      if (side === 'theirs' && ours)
        groups.add({ side: 'ours', change: changeOf(ours), table: name, folder: null, kind }, title);
    }
  }
  return groups.list;
}

function groupFiles(files: readonly ComparedFile[], rules: Merging): MergeGroup[] {
  const groups = new Groups();
  for (const { path, side, ours, theirs } of files) {
    const change = changeOf((side === 'ours' ? ours : theirs) as FileStep);
    groups.add({ side, change, table: null, folder: rules.folderOf(path) ?? '', kind: null }, path);
  }
  return groups.list;
}
