import { failedBy } from '../failure.ts';
import { openContent } from '../read.ts';
import type { SiteRepository } from '../repository.ts';
import type { FileChange } from '../restore/file-plan.ts';
import { planRestore } from '../restore/restorer.ts';
import type { Snapshot } from '../snapshot.ts';
import { RawText, type Row, type RowValue } from '../tables/row-codec.ts';
import { keysOf } from '../tables/row-difference.ts';
import type { TableChange } from '../tables/table-change.ts';
import type { TreeEntry } from '../tree.ts';
import { type Keeping, type KeepRules, keepingBy } from './keep-rules.ts';
import { sameButForAddress } from './moved-rows.ts';
import type { SnapshotName } from './protocol.ts';
import type { TellRules, ToldChanges, ToldFolder, ToldRows } from './tell-rules.ts';

/** A site names things as it likes and may have one for each row: beyond so many they are told as others are. */
const GROUPS = 300;
const TITLES = 5;
const TEXT_LENGTH = 120;
/** A list of plugins is longer than a name. */
const VALUE_LENGTH = 20_000;
const LABELS = 30;
const LABEL_BYTES = 8192;

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
  return {
    rows,
    folders: await tellFolders(repository, files, rules),
    wholeTables: whole.slice(0, GROUPS).map((name) => name.slice(0, TEXT_LENGTH)),
  };
}

type OfFile = Exclude<FileChange, { kind: 'folder' | 'attributes' }>;

function isTold(change: FileChange, silent: readonly RegExp[]): change is OfFile {
  if (change.kind === 'folder' || change.kind === 'attributes') return false;
  if (change.kind === 'remove' && change.before.kind === 'folder') return false;
  return !silent.some((pattern) => pattern.test(change.path));
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

async function tellFolders(
  repository: SiteRepository,
  changes: readonly OfFile[],
  rules: TellRules,
): Promise<ToldFolder[]> {
  const folders = rules.folders.map((pattern) => new RegExp(pattern));
  const labels = rules.labels.map(({ pattern, fields }) => ({ pattern: new RegExp(pattern), fields }));
  const found = new Map<string, ToldFolder>();
  let left = LABELS;
  for (const change of changes) {
    const { path } = change;
    const named = folders.map((pattern) => pattern.exec(path)?.[1]).find((name) => name !== undefined) ?? '';
    const folder = found.size < GROUPS || found.has(named) ? named.slice(0, TEXT_LENGTH) : '';
    const known = found.get(folder) ?? emptyFolder(folder, path);
    found.set(folder, known);
    const [before, after] = change.kind === 'remove' ? [change.before, undefined] : [change.before, change.entry];
    known[before ? (after ? 'changed' : 'removed') : 'added']++;
    const label = labels.find(({ pattern }) => pattern.test(path));
    if (!label || folder === '' || known.before || known.after || left <= 0) continue;
    left--;
    known.before = await labelOf(repository, before, label.fields);
    known.after = await labelOf(repository, after, label.fields);
  }
  return [...found.values()];
}

function emptyFolder(folder: string, path: string): ToldFolder {
  return { folder, added: 0, changed: 0, removed: 0, example: path.slice(0, TEXT_LENGTH), before: null, after: null };
}

/** The fields of the label at the beginning of a file; null where it has none. */
async function labelOf(repository: SiteRepository, entry: TreeEntry | undefined, fields: readonly string[]) {
  if (entry?.kind !== 'file') return null;
  const text = await beginningOf(repository, entry.ref);
  const facts: Record<string, string> = {};
  for (const field of fields) {
    const line = text.split(/[\r\n]/).find((each) => each.replace(/^[\s/*#@]*/, '').startsWith(`${field}:`));
    const value = line
      ?.slice(line.indexOf(':') + 1)
      .replace(/\s*(?:\*\/|\?>).*/, '')
      .trim();
    if (value) facts[field] = value.slice(0, TEXT_LENGTH);
  }
  return fields[0] !== undefined && facts[fields[0]] !== undefined ? facts : null;
}

async function beginningOf(repository: SiteRepository, ref: string): Promise<string> {
  try {
    const content = await openContent(repository, ref);
    for await (const piece of content.read(0, LABEL_BYTES)) return piece.toString('utf8');
  } catch (error) {
    if (!failedBy(error, 'corrupt_object', 'missing_object')) throw error;
  }
  return '';
}
