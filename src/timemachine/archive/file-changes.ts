import { failedBy } from '../failure.ts';
import type { SiteRepository } from '../repository.ts';
import { planFiles } from '../restore/file-plan.ts';
import type { Snapshot } from '../snapshot.ts';
import { restoreOf } from '../three-way.ts';
import { type EntryState, type FolderState, treeEntryOf } from './file-state.ts';

/** What a snapshot changed against the one before it; links count as files. */
export interface FileChanges {
  filesAdded: number;
  filesChanged: number;
  filesRemoved: number;
  /** The sizes of files that are new or have another content. */
  bytes: number;
}

export const noFileChanges = (): FileChanges => ({ filesAdded: 0, filesChanged: 0, filesRemoved: 0, bytes: 0 });

/** Against the snapshot before; the first one adds everything. */
export async function changesSince(
  repository: SiteRepository,
  before: { last: { snapshot: Snapshot } | undefined; files: FolderState | undefined } | undefined,
  files: FolderState | undefined,
): Promise<FileChanges> {
  if (!before?.last) return compareStates(undefined, files);
  if (before.files?.ref === before.last.snapshot.files) return compareStates(before.files, files);
  // After a restart, and where a copy took the site's place, only the trees tell what was there before.
  try {
    const trees = restoreOf(before.last.snapshot.files, files?.ref ?? null);
    const plan = await planFiles(repository, trees, { deleteExtra: true });
    const { filesAdded, filesRestored: filesChanged, filesDeleted: filesRemoved, bytes } = plan;
    return { filesAdded, filesChanged, filesRemoved, bytes };
  } catch (error) {
    if (!failedBy(error, 'corrupt_object')) throw error;
    return compareStates(undefined, files);
  }
}

/** Folders that both walks share are not looked into, so it costs what changed. */
function compareStates(before: FolderState | undefined, after: FolderState | undefined): FileChanges {
  const changes = noFileChanges();
  compare(before, after, changes);
  return changes;
}

function compare(before: EntryState | undefined, after: EntryState | undefined, changes: FileChanges): void {
  if (before === after || (before?.kind === 'folder' && after?.kind === 'folder' && before.ref === after.ref)) return;
  const [was, is] = [entriesOf(before), entriesOf(after)];
  for (const [name, entry] of is) compare(was.get(name), entry, changes);
  for (const [name, entry] of was) if (!is.has(name)) compare(entry, undefined, changes);
  const [old, now] = [storedEntry(before), storedEntry(after)];
  if (!old && !now) return;
  if (!now) changes.filesRemoved++;
  else if (!old) changes.filesAdded++;
  else if (JSON.stringify(old) !== JSON.stringify(now)) changes.filesChanged++;
  if (now?.kind === 'file' && (old?.kind !== 'file' || old.ref !== now.ref)) changes.bytes += now.sizeBytes;
}

const NOTHING: ReadonlyMap<string, EntryState> = new Map();

function entriesOf(state: EntryState | undefined): ReadonlyMap<string, EntryState> {
  return state?.kind === 'folder' ? state.entries : NOTHING;
}

function storedEntry(state: EntryState | undefined) {
  return state && state.kind !== 'folder' ? treeEntryOf('', state) : undefined;
}
