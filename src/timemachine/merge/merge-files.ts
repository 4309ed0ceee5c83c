import type { ObjectReader, Ref } from '../content.ts';
import { type FileChange, type FilePlan, planFiles } from '../restore/file-plan.ts';
import type { Skipped } from '../snapshot.ts';
import { restoreOf, type ThreeStates } from '../three-way.ts';
import type { FileStep } from './comparison.ts';

export interface FileMerging {
  /** Files that stay as ours has them. */
  isKept(path: string): boolean;
  conflictsTo: 'ours' | 'theirs';
  /** What theirs has but could not store. */
  failed: readonly Skipped[];
}

export async function mergeFiles(
  reader: ObjectReader,
  { base, ours, theirs }: ThreeStates<Ref | null>,
  { isKept, conflictsTo, failed }: FileMerging,
): Promise<FilePlan> {
  const kept = new Set(failed.map(({ name }) => name));
  const plan = await planFiles(reader, { base, ours, theirs }, { deleteExtra: true, kept, decide: () => conflictsTo });
  const changes = withoutKept(plan.changes, isKept);
  const conflicts = plan.conflicts.filter(({ path }) => !isKept(path));
  return changes.length === plan.changes.length
    ? { ...plan, conflicts }
    : { ...countersOf(changes), changes, conflicts };
}

/** A folder can not go, or become something else, while something in it stays. */
function withoutKept(changes: readonly FileChange[], isKept: (path: string) => boolean): FileChange[] {
  const held = new Set(changes.filter(({ path }) => isKept(path)).flatMap(({ path }) => foldersOf(path)));
  const blocked = new Set(
    changes.filter(({ kind, path }) => kind === 'remove' && held.has(path)).map(({ path }) => path),
  );
  return changes.filter(({ kind, path }) => {
    if (isKept(path) || blocked.has(path)) return false;
    return kind === 'remove' || !foldersOf(path).some((folder) => blocked.has(folder));
  });
}

/** Every folder that a path is in. */
export function foldersOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

function countersOf(changes: readonly FileChange[]) {
  const count = (fits: (change: FileChange) => boolean) => changes.filter(fits).length;
  const isFolder = (change: FileChange) =>
    change.kind === 'folder' || (change.kind === 'remove' && change.before.kind === 'folder');
  return {
    filesAdded: count((change) => !isFolder(change) && change.kind !== 'remove' && !change.before),
    filesRestored: count((change) => !isFolder(change) && change.kind !== 'remove' && change.before !== undefined),
    filesDeleted: count((change) => !isFolder(change) && change.kind === 'remove'),
    foldersAdded: count((change) => change.kind === 'folder' && !change.before),
    foldersDeleted: count((change) => change.kind === 'remove' && isFolder(change)),
    bytes: changes.reduce((sum, change) => sum + (change.kind === 'file' ? change.entry.sizeBytes : 0), 0),
  };
}

/** What a side has changed, by path; folders by themselves and times are nothing that anybody asks for. */
export async function changedFiles(
  reader: ObjectReader,
  before: Ref | null,
  after: Ref | null,
): Promise<Map<string, FileStep>> {
  const { changes } = await planFiles(reader, restoreOf(before, after), { deleteExtra: true });
  const steps = new Map<string, FileStep>();
  for (const change of changes) {
    if (change.kind === 'folder' || (change.kind === 'remove' && change.before.kind === 'folder')) continue;
    if (change.kind === 'attributes' && change.before.mode === change.entry.mode) continue;
    const step = { before: change.before, after: change.kind === 'remove' ? undefined : change.entry };
    // What takes the place of something else comes twice.
    const known = steps.get(change.path);
    steps.set(change.path, known ? { before: known.before ?? step.before, after: step.after ?? known.after } : step);
  }
  return steps;
}
