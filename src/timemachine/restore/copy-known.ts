import { closeSync, constants, fstatSync, lstatSync, openSync, realpathSync, type Stats } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { type AnchoredFolder, anchorIfThere } from '../archive/anchored-folder.ts';
import type { EntryState, FileState, FolderState } from '../archive/file-state.ts';
import type { ProgressReport } from '../progress.ts';
import type { FileOperations } from '../stores/file-operations.ts';
import { KEPT_MODE } from '../tree.ts';

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
/** How many files are copied before the process does its other work. */
const AT_ONCE = 50;

/** A folder of which it is known what it held, and by which times that can be told. */
export interface KnownFolder {
  folder: string;
  files: FolderState;
}

/**
 * Copies files out of a folder that somebody may be writing to. Only those are taken that are still what they were when the
 * state was recorded, before they are copied and after; the others are for the caller to get. A file system that can share
 * what two files hold does that.
 */
export async function copyKnown(
  { folder, files }: KnownFolder,
  to: string,
  operations: FileOperations,
  progress: ProgressReport,
): Promise<Set<string>> {
  const copied = new Set<string>();
  const root = realpathSync(folder);
  const visit = async (path: string, state: FolderState): Promise<void> => {
    const anchor = anchorIfReadable(root, path);
    if (!anchor) return;
    try {
      for (const [name, entry] of state.entries) {
        if (entry.kind !== 'file' || entry.isFresh || entry.reason) continue;
        const below = join(path, name);
        if (!copyFile(`${anchor.path}/${name}`, entry, `${to}/${below}`, operations)) continue;
        copied.add(below);
        progress.add({ files: 1, bytes: entry.sizeBytes });
        if (copied.size % AT_ONCE === 0) await setImmediate();
      }
    } finally {
      anchor.close();
    }
    for (const [name, entry] of state.entries) if (entry.kind === 'folder') await visit(join(path, name), entry);
  };
  await visit('', files);
  return copied;
}

function anchorIfReadable(root: string, path: string): AnchoredFolder | undefined {
  try {
    return anchorIfThere(root, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return undefined;
  }
}

function copyFile(from: string, known: FileState, to: string, operations: FileOperations): boolean {
  const file = openPlainFile(from);
  if (file === undefined) return false;
  try {
    if (!isAsKnown(known, fstatSync(file))) return false;
    operations.copyNew(file, to, { mode: known.mode & KEPT_MODE, modifiedUs: Math.round(known.modifiedMs * 1000) });
    if (isAsKnown(known, fstatSync(file))) return true;
    operations.unlinkNow(to);
    return false;
  } finally {
    closeSync(file);
  }
}

/** Undefined where there is none, or something else by now. */
export function openPlainFile(path: string): number | undefined {
  try {
    // Not blocking, for somebody may have put a named pipe in the file's place.
    const file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (fstatSync(file).isFile()) return file;
    closeSync(file);
    return undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return undefined;
  }
}

function isAsKnown(known: FileState, stat: Stats): boolean {
  return (
    stat.ino === known.inode &&
    stat.ctimeMs === known.changedMs &&
    stat.mtimeMs === known.modifiedMs &&
    stat.size === known.sizeBytes
  );
}

/** What is known of a copy that nobody has worked on yet: what was known of the original, by the times of the copy. */
export function stateOfCopy(original: FolderState, folder: string): FolderState {
  const entries = new Map<string, EntryState>();
  for (const [name, entry] of original.entries) {
    const at = `${folder}/${name}`;
    if (entry.kind === 'folder') entries.set(name, stateOfCopy(entry, at));
    else if (entry.kind !== 'ignored') {
      const { reason: _, ...state } = entry as FileState;
      const stat = lstatSync(at);
      // Where times are counted in whole seconds, they do not tell what comes in the same second.
      const isFresh = stat.ctimeMs % 1000 === 0;
      const times = { inode: stat.ino, modifiedMs: stat.mtimeMs, changedMs: stat.ctimeMs, sizeBytes: stat.size };
      entries.set(name, { ...state, ...times, isFresh });
    }
  }
  return { ...original, entries, reasonCount: 0 };
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}/${name}`;
}
