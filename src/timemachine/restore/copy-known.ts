import { closeSync, constants, fstatSync, lstatSync, openSync, realpathSync, type Stats } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { type AnchoredFolder, anchorIfThere } from '../archive/anchored-folder.ts';
import type { EntryState, FileState, FolderState } from '../archive/file-state.ts';
import { holeBytesOf, piecesOf } from '../holes.ts';
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
        if (!(await copyFile(`${anchor.path}/${name}`, entry, `${to}/${below}`, operations, progress))) continue;
        copied.add(below);
        progress.add({ files: 1 });
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

/** What is larger is told of while it is copied, and others get their turn. */
const LARGE_BYTES = 16 * 1024 * 1024;
const BLOCK_BYTES = 4096;

async function copyFile(
  from: string,
  known: FileState,
  to: string,
  operations: FileOperations,
  progress: ProgressReport,
): Promise<boolean> {
  const file = openPlainFile(from);
  if (file === undefined) return false;
  try {
    const stat = fstatSync(file);
    if (!isAsKnown(known, stat)) return false;
    const attributes = { mode: known.mode & KEPT_MODE, modifiedUs: Math.round(known.modifiedMs * 1000) };
    if (stat.size < LARGE_BYTES && holeBytesOf(stat) < BLOCK_BYTES) {
      operations.copyNew(file, to, attributes);
      progress.add({ bytes: stat.size });
    } else await copyInPieces(file, stat, to, attributes, operations, progress);
    if (isAsKnown(known, fstatSync(file))) return true;
    operations.unlinkNow(to);
    return false;
  } finally {
    closeSync(file);
  }
}

/** Holes stay holes: the system's own way to copy a file fills them where two files can not share what they hold. */
async function copyInPieces(
  file: number,
  stat: Stats,
  to: string,
  { mode, modifiedUs }: { mode: number; modifiedUs: number },
  operations: FileOperations,
  progress: ProgressReport,
): Promise<void> {
  try {
    operations.copyNew(file, to, { mode, modifiedUs, mustShare: true });
    progress.add({ bytes: stat.size });
    return;
  } catch (error) {
    if (!CAN_NOT_SHARE.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
  const pieces = async function* () {
    for (const piece of piecesOf(file, stat)) {
      yield piece;
      progress.add({ bytes: piece.length });
    }
  };
  await operations.writeNew(to, pieces(), { mode: 0o600, durable: false });
  await operations.chmod(to, mode);
  await operations.setModified(to, modifiedUs);
}

const CAN_NOT_SHARE = new Set(['ENOTSUP', 'EOPNOTSUPP', 'ENOTTY', 'EXDEV', 'EINVAL', 'ENOSYS', 'EPERM']);

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
