import { chmodSync, constants, copyFileSync, unlinkSync, utimesSync } from 'node:fs';
import {
  chmod,
  type FileHandle,
  lchown,
  lstat,
  mkdir,
  open,
  rename,
  rmdir,
  symlink,
  unlink,
  utimes,
} from 'node:fs/promises';
import { removeFolder } from '#core/remove-folder.ts';
import { filledIn } from '../holes.ts';

/**
 * Every way in which the time machine changes a disk. Tests replace it to stop, fail or tear the n-th change, so nothing
 * in this folder writes past it.
 */
export interface FileOperations {
  /** Makes a new file, whole and durable when this resolves. Fails where there is one already. */
  writeNew(path: string, parts: Parts, options?: { mode?: number; durable?: boolean }): Promise<void>;
  /** Makes a new file of what an open one holds; with `mustShare` only where the file system lets both share it. Of many small files waiting would be the bigger part, so this does not. */
  copyNew(file: number, to: string, options: { mode: number; modifiedUs: number; mustShare?: boolean }): void;
  unlinkNow(path: string): void;
  rename(from: string, to: string): Promise<void>;
  makeFolder(path: string, mode?: number): Promise<void>;
  link(target: string, path: string): Promise<void>;
  chmod(path: string, mode: number): Promise<void>;
  setModified(path: string, modifiedUs: number): Promise<void>;
  /** A link itself, not what it leads to. */
  giveTo(path: string, owner: { uid: number; gid: number }): Promise<void>;
  /** What is not there is fine. */
  unlink(path: string): Promise<void>;
  /** Unless there is something in it. What is not there is fine. */
  removeEmptyFolder(path: string): Promise<void>;
  /** With everything below it; links are removed, not followed. What is not there is fine. */
  remove(path: string): Promise<void>;
  /** Makes renames, new and removed names in the folder durable. */
  syncFolder(path: string): Promise<void>;
}

/** All at once, or one after the other where they would be too much at once. */
type Parts = readonly Uint8Array[] | AsyncIterable<Uint8Array>;

export const diskOperations: FileOperations = {
  async writeNew(path, parts, options = {}) {
    const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW } = constants;
    const file = await open(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, options.mode ?? 0o600);
    try {
      if ('length' in parts) await writeAll(file, path, parts);
      else await writeParts(file, path, parts);
      if (options.durable !== false) await file.datasync();
    } finally {
      await file.close();
    }
  },
  copyNew(file, to, { mode, modifiedUs, mustShare = false }) {
    const share = mustShare ? constants.COPYFILE_FICLONE_FORCE : constants.COPYFILE_FICLONE;
    copyFileSync(`/proc/self/fd/${file}`, to, share | constants.COPYFILE_EXCL);
    chmodSync(to, mode);
    utimesSync(to, secondsOf(modifiedUs), secondsOf(modifiedUs));
  },
  unlinkNow: unlinkSync,
  rename,
  async makeFolder(path, mode) {
    await mkdir(path, { recursive: true, ...(mode === undefined ? {} : { mode }) });
  },
  link: symlink,
  chmod,
  async setModified(path, modifiedUs) {
    const seconds = secondsOf(modifiedUs);
    await utimes(path, seconds, seconds);
  },
  giveTo: (path, { uid, gid }) => lchown(path, uid, gid),
  unlink: (path) => unlink(path).catch(unless('ENOENT')),
  removeEmptyFolder: (path) => rmdir(path).catch(unless('ENOENT', 'ENOTEMPTY', 'EEXIST')),
  async remove(path) {
    await removeFolder(path);
  },
  async syncFolder(path) {
    const folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  },
};

/** The same for what is thrown away in the end: nothing waits for the disk. */
export const fleetingOperations: FileOperations = {
  ...diskOperations,
  writeNew: (path, parts, options) => diskOperations.writeNew(path, parts, { ...options, durable: false }),
  async syncFolder() {},
};

/** A time for utimes. It loses at most 120 ns, so that reading it back rounds to the same microsecond. */
export function secondsOf(modifiedUs: number): number {
  return modifiedUs / 1e6;
}

function unless(...codes: string[]): (error: NodeJS.ErrnoException) => void {
  return (error) => {
    if (!codes.includes(error.code ?? '')) throw error;
  };
}

/** What is nothing but zeros is left out, and is a hole then. */
async function writeParts(file: FileHandle, path: string, parts: AsyncIterable<Uint8Array>): Promise<void> {
  let position = 0;
  let writtenTo = 0;
  for await (const part of parts) {
    for (const [start, end] of filledIn(part)) {
      const { bytesWritten } = await file.write(part, start, end - start, position + start);
      if (bytesWritten !== end - start) throw shortWrite(path);
      writtenTo = position + end;
    }
    position += part.length;
  }
  if (writtenTo < position) await file.truncate(position);
}

/** A full disk may take a part of a write and say so only by its count. */
function shortWrite(path: string): Error {
  return Object.assign(new Error(`Short write to ${path}`), { code: 'ENOSPC' });
}

async function writeAll(file: FileHandle, path: string, parts: readonly Uint8Array[]): Promise<void> {
  const total = parts.reduce((sum, part) => sum + part.byteLength, 0);
  if (total === 0) return;
  const { bytesWritten } = await file.writev(parts as Uint8Array[]);
  if (bytesWritten !== total) throw shortWrite(path);
}

/** Whether there is anything of that name; a link counts as itself. */
export async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
