import type { ObjectReader } from '../content.ts';
import type { SiteRepository, SiteWriter } from '../repository.ts';
import { countersOf, type RestorePlan } from '../restore/restorer.ts';
import type { Snapshot } from '../snapshot.ts';
import { refIn } from '../tables/table-plan.ts';
import { readTableOutline } from '../tables/table-root.ts';
import type { ShapeOf, WithNumbersOf } from '../tables/table-shape.ts';
import type { Addresses } from './addresses.ts';
import type { ComparedFile, ComparedRow, ComparedTable, Comparison } from './comparison.ts';
import { identityOf } from './identity.ts';
import { changedFiles, foldersOf, mergeFiles } from './merge-files.ts';
import type { Merging } from './merge-rules.ts';
import { mergeTables } from './merge-tables.ts';
import type { MergedTable, MergeTools } from './merge-tools.ts';
import { hiddenPlaces, UNNAMED } from './our-rows.ts';
import { fitsPattern, isNothing, rowChanges } from './row-changes.ts';

/** Two sides that went on from one state, each at its own address. */
export interface MergeStates {
  ours: { base: Snapshot; now: Snapshot };
  theirs: { base: Snapshot; now: Snapshot };
}

export interface MergeOptions {
  addresses: Addresses;
  rules: Merging;
  shapeOf: ShapeOf;
  withNumbersOf: WithNumbersOf;
  isReplaced: boolean;
  conflictsTo: 'ours' | 'theirs';
  keepTables: readonly string[];
  takeTables: readonly string[];
  /** Files, or folders with all they hold. */
  keepFiles: readonly string[];
}

export interface MergePlan extends RestorePlan {
  comparison: Comparison;
}

/**
 * What brings the changes of theirs to ours: what only theirs has changed comes in, what only ours has changed stays, and where
 * both have, it is as `conflictsTo` says. Each side is compared with its own base, so addresses never count. It changes nothing;
 * what it stores is in no snapshot until ours has it.
 */
export async function planMerge(
  repository: SiteRepository,
  states: MergeStates,
  options: MergeOptions,
): Promise<MergePlan> {
  await repository.refresh();
  const writer = repository.writer();
  const bring = (choice: MergeOptions) => bringTogether(repository, writer, states, choice);
  // What is compared does not depend on what somebody wants of it.
  const plain: MergeOptions = { ...options, ...NO_CHOICE };
  const isPlain = JSON.stringify(choiceOf(plain)) === JSON.stringify(choiceOf(options));
  const compared = await bring(plain);
  const { files, tables } = isPlain ? compared : await bring(options);
  await writer.flush();
  const conflicts = new Set(compared.files.conflicts.map(({ path }) => path));
  return {
    files,
    tables,
    counters: countersOf(files, tables),
    comparison: {
      files: await compareFiles(repository, states, conflicts, options.rules),
      tables: await compareTables(compared.tools, states, compared.merged),
    },
  };
}

const NO_CHOICE = { isReplaced: false, conflictsTo: 'theirs', keepTables: [], takeTables: [], keepFiles: [] } as const;

const choiceOf = ({ isReplaced, conflictsTo, keepTables, takeTables, keepFiles }: MergeOptions) => {
  return [isReplaced, conflictsTo, keepTables, takeTables, keepFiles];
};

async function bringTogether(
  reader: SiteRepository,
  writer: SiteWriter,
  { ours, theirs }: MergeStates,
  options: MergeOptions,
) {
  const { addresses, rules, shapeOf, withNumbersOf, isReplaced, conflictsTo } = options;
  const [keep, take] = [new Set(options.keepTables), new Set(options.takeTables)];
  const kind = { rules, shapeOf, withNumbersOf };
  const tools: MergeTools = { reader, writer, addresses, ...kind, isReplaced, keep, take, conflictsTo };
  const isKept = (path: string) =>
    rules.isOwnFile(path) || options.keepFiles.some((each) => path === each || path.startsWith(`${each}/`));
  const files = await mergeFiles(
    reader,
    { base: isReplaced ? ours.now.files : theirs.base.files, ours: ours.now.files, theirs: theirs.now.files },
    { isKept, conflictsTo, failed: theirs.now.filesSkipped },
  );
  const unread = [ours.now, theirs.base, theirs.now].flatMap(({ tablesSkipped }) =>
    tablesSkipped.filter(({ reason }) => reason !== 'unchanged'),
  );
  const { plan: tables, merged } = await mergeTables(
    tools,
    { base: theirs.base.tables, ours: ours.now.tables, theirs: theirs.now.tables },
    unread,
  );
  return { tools, files, tables, merged };
}

async function compareFiles(
  reader: ObjectReader,
  { ours, theirs }: MergeStates,
  conflicts: ReadonlySet<string>,
  rules: Merging,
): Promise<ComparedFile[]> {
  const own = await changedFiles(reader, ours.base.files, ours.now.files);
  const other = await changedFiles(reader, theirs.base.files, theirs.now.files);
  const paths = [...new Set([...other.keys(), ...own.keys()])].filter((path) => !rules.isOwnFile(path)).sort();
  return paths.map((path) => {
    const [mine, yours] = [own.get(path), other.get(path)];
    const isConflict = [path, ...foldersOf(path)].some((each) => conflicts.has(each));
    return { path, side: isConflict ? 'both' : yours ? 'theirs' : 'ours', ours: mine, theirs: yours };
  });
}

/** What theirs has changed is known from the merge; what ours has changed since is told beside it. */
async function compareTables(
  tools: MergeTools,
  { ours }: MergeStates,
  merged: readonly MergedTable[],
): Promise<ComparedTable[]> {
  const compared = new Map<string, ComparedTable>();
  for (const { name, table, problem, rows, does } of merged) {
    if (problem === 'unread') {
      compared.set(name, { name, table, problem, rows: [], ours: undefined, theirs: undefined });
      continue;
    }
    const shape = tools.shapeOf(table);
    const hidden = hiddenPlaces(table, shape, identityOf(table, shape, tools.rules.nameOf(name)));
    const told = rows
      .filter((row) => row.isConflict || !isNothing(row, hidden))
      .filter(({ before, after }) => before || after)
      .map(({ id, before, after, isConflict, ours: now, replaces }): ComparedRow => {
        const side = isConflict ? 'both' : 'theirs';
        return { id, side, ours: undefined, theirs: { before, after }, now, replaces };
      });
    const theirs =
      does === 'drop' ? 'removed' : refIn(ours.now.tables, name) === undefined && does ? 'added' : undefined;
    if (told.length > 0 || problem || theirs)
      compared.set(name, { name, table, problem, rows: told, ours: undefined, theirs });
  }
  const [before, now] = [ours.base.tables, ours.now.tables];
  for (const name of new Set([...Object.keys(before), ...Object.keys(now)])) {
    const [was, is] = [refIn(before, name), refIn(now, name)];
    if (was === is || tools.rules.isOwnTable(name)) continue;
    await addOurs(tools, compared, name, was, is);
  }
  return [...compared.values()];
}

async function addOurs(
  { reader, rules, shapeOf, addresses }: MergeTools,
  compared: Map<string, ComparedTable>,
  name: string,
  was: string | undefined,
  is: string | undefined,
): Promise<void> {
  const [before, after] = [was && (await readTableOutline(reader, was)), is && (await readTableOutline(reader, is))];
  const table = (after || before || undefined)?.description;
  if (!table) return;
  const whole = was === undefined ? ('added' as const) : is === undefined ? ('removed' as const) : undefined;
  const known = { name, table, problem: undefined, rows: [], theirs: undefined, ...compared.get(name), ours: whole };
  if (whole) return void compared.set(name, known);
  const shape = shapeOf(table);
  const identity = identityOf(table, shape, rules.nameOf(name));
  const naming = {
    table,
    identity,
    hidden: hiddenPlaces(table, shape, identity),
    isLeftOut: (cells: Parameters<typeof fitsPattern>[2]) =>
      fitsPattern(table, rules.ownRows(name), cells) || fitsPattern(table, rules.remadeRows(name), cells),
    neutral: { before: addresses.neutral.oursThen, after: addresses.neutral.ours },
  };
  const changes = after ? await rowChanges(reader, naming, before || undefined, after, false) : new Map();
  // It stays as it is; only what changed in it can not be told.
  if (typeof changes === 'string') return void compared.set(name, { ...known, ours: 'changed' });
  const rows = new Map(known.rows.map((row) => [row.id, row]));
  const replaced = new Set(known.rows.map((row) => row.replaces));
  for (const [each, change] of changes) {
    if (replaced.has(each)) continue;
    // Rows without a name are told apart by numbers, which each side has of its own.
    const id = each.startsWith(UNNAMED) ? `ours ${each}` : each;
    const both = rows.get(id);
    rows.set(
      id,
      both
        ? { ...both, ours: change }
        : { id, side: 'ours', ours: change, theirs: undefined, now: change.after, replaces: undefined },
    );
  }
  if (rows.size > 0 || known.theirs || known.problem) compared.set(name, { ...known, rows: [...rows.values()] });
}
