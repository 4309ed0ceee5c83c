import { failedBy } from '../failure.ts';
import type { SiteRepository } from '../repository.ts';
import { planRestore } from '../restore/restorer.ts';
import type { Snapshot } from '../snapshot.ts';
import { RawText, type Row, type RowValue } from '../tables/row-codec.ts';
import { keysOf } from '../tables/row-difference.ts';
import type { TableChange } from '../tables/table-change.ts';
import { type Keeping, type KeepRules, keepingBy } from './keep-rules.ts';
import { sameButForAddress } from './moved-rows.ts';
import type { SnapshotName } from './protocol.ts';
import { isTold, Labels, tellFolders } from './tell-folders.ts';
import type { TellRules, ToldChanges, ToldRows } from './tell-rules.ts';

/** A site names things as it likes and may have one for each row: beyond so many they are told as others are. */
const GROUPS = 300;
const TITLES = 5;
const TEXT_LENGTH = 120;
/** A list of plugins is longer than a name. */
const VALUE_LENGTH = 20_000;

/** Others wait for the process. */
const PAIRS_MS = 2_000;

/** See the protocol. */
export async function tellPairs(
  repository: SiteRepository,
  pairs: readonly (readonly [SnapshotName, SnapshotName])[],
  rules: TellRules,
  keep: KeepRules,
): Promise<(ToldChanges | null)[]> {
  const told: (ToldChanges | null)[] = [];
  const endsAtMs = performance.now() + PAIRS_MS;
  for (const [from, to] of pairs) {
    try {
      const [before, after] = [await repository.readNamed(from), await repository.readNamed(to)];
      told.push(await tellChanges(repository, before, after, rules, keep));
    } catch (error) {
      if (!failedBy(error, 'corrupt_object', 'missing_object')) throw error;
      told.push(null);
    }
    if (performance.now() > endsAtMs) break;
  }
  return told;
}

/** What became of a site from one snapshot to another, in facts that need no knowledge of the store. */
async function tellChanges(
  repository: SiteRepository,
  from: Snapshot,
  to: Snapshot,
  rules: TellRules,
  keep: KeepRules,
): Promise<ToldChanges> {
  const plan = await planRestore(repository, from, to, { deleteExtraFiles: true });
  const keeping = keepingBy(keep);
  const silent = rules.silentFiles.map((pattern) => new RegExp(pattern));
  const files = (plan.files?.changes ?? []).filter((change) => isTold(change, silent));
  const tables = plan.tables?.changed ?? [];
  const rows = tellRows(tables, rules, keeping);
  const isSilent = rules.silentTables.map((pattern) => new RegExp(pattern));
  const whole = [
    ...tables.filter(({ how }) => how === 'replace').map(({ table }) => table.name),
    ...(plan.tables?.dropped ?? []),
  ].filter((name) => keeping.isKnown(name) && !isSilent.some((pattern) => pattern.test(name)));
  const labels = new Labels(repository, { from, to }, rules.labels);
  return {
    rows,
    folders: await tellFolders(files, rules, labels),
    named: await tellNamed(rows, rules, labels),
    wholeTables: whole.slice(0, GROUPS).map((name) => name.slice(0, TEXT_LENGTH)),
  };
}

function tellRows(tables: readonly TableChange[], rules: TellRules, { isKnown }: Keeping): ToldRows[] {
  const groups = new Map<string, ToldRows>();
  const isSame = sameButForAddress(tables);
  for (const change of tables) {
    const { table } = change;
    const rule = rules.rows.find((each) => each.table === table.name);
    if (!rule || change.how === 'replace' || !isKnown(table.name)) continue;
    const silentRows = rules.silentRows.filter((each) => each.table === table.name);
    const patterns = silentRows.map(({ column, pattern }) => ({ column, pattern: new RegExp(pattern, 'i') }));
    const value = rule.value && { column: rule.value.column, pattern: new RegExp(rule.value.pattern) };
    const cell = (row: Row, column: string) => textOf(row.values[table.columns.indexOf(column)]);
    const isSilent = (row: Row) => patterns.some(({ column, pattern }) => pattern.test(cell(row, column)));
    const [before, after] = [keysOf(table, change.removed), keysOf(table, change.added)];
    const told = table.columns.flatMap((name, place) => (rule.silentColumns.includes(name) ? [] : [place]));
    const factsOf = (row: Row | undefined) => {
      if (!row) return null;
      const facts: Record<string, string> = {};
      for (const column of rule.facts) facts[column] = cell(row, column).slice(0, TEXT_LENGTH);
      if (value?.pattern.test(facts[rule.facts[0] ?? ''] ?? ''))
        facts[value.column] = cell(row, value.column).slice(0, VALUE_LENGTH);
      return facts;
    };
    for (const key of new Set([...before.keys(), ...after.keys()])) {
      const [was, is] = [before.get(key), after.get(key)];
      const row = is ?? was;
      if (!row || isSilent(row)) continue;
      if (was && is && (isSame?.(was, is) || told.every((place) => alike(was.values[place], is.values[place]))))
        continue;
      const title = rule.titles.map((column) => cell(row, column)).find((text) => text !== '');
      addTo(groups, { table: table.name, before: factsOf(was), after: factsOf(is) }, title);
    }
  }
  return [...groups.values()];
}

/** What came to a value that is told or went from it is called by its label, though nothing of it changed. */
async function tellNamed(rows: readonly ToldRows[], rules: TellRules, labels: Labels): Promise<ToldChanges['named']> {
  const told: ToldChanges['named'] = [];
  for (const { fact, pattern, folder } of rules.named)
    for (const { table, before, after } of rows) {
      const rule = rules.rows.find((each) => each.table === table);
      const [first = '', column] = [rule?.facts[0], rule?.value?.column];
      if (!column || (after ?? before)?.[first] !== fact) continue;
      const [was, is] = [before, after].map((facts) => {
        const found = (facts?.[column] ?? '').matchAll(new RegExp(pattern, 'g'));
        return new Set([...found].map(([, name = '']) => folder.replace('*', () => name)));
      }) as [Set<string>, Set<string>];
      for (const path of new Set([...was, ...is])) {
        if (was.has(path) && is.has(path)) continue;
        const label = (await labels.of(path, 'to')) ?? (await labels.of(path, 'from'));
        if (label) told.push({ folder: path, label });
      }
    }
  return told;
}

function addTo(groups: Map<string, ToldRows>, found: Omit<ToldRows, 'count' | 'titles'>, title: string | undefined) {
  const { table, before, after } = found;
  // Beyond so many, only how many there are of a table is told.
  const few = { table, before: before && {}, after: after && {} };
  const name = JSON.stringify(found);
  const group = groups.size < GROUPS || groups.has(name) ? found : few;
  const known: ToldRows = groups.get(JSON.stringify(group)) ?? { ...group, count: 0, titles: [] };
  known.count++;
  if (title && known.titles.length < TITLES) known.titles.push(title.slice(0, TEXT_LENGTH));
  groups.set(JSON.stringify(group), known);
}

function textOf(value: RowValue | undefined): string {
  if (value === null || value === undefined) return '';
  if (value instanceof RawText) return value.bytes.toString();
  return value instanceof Uint8Array ? '' : String(value);
}

function alike(a: RowValue | undefined, b: RowValue | undefined): boolean {
  if (a instanceof RawText && b instanceof RawText) return a.bytes.equals(b.bytes);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b) === 0;
  return a === b;
}
