import { constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath } from 'node:fs/promises';
import type { Place } from './static-path.ts';

export interface OpenedFile {
  handle: FileHandle;
  stat: FileStat;
}

export interface FileStat {
  sizeBytes: number;
  modifiedAtMs: number;
  /** Changes with the file, even where somebody sets its time back. */
  identity: string;
}

// O_NONBLOCK: a pipe that somebody left there must not hold a thread.
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const MISSING = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EISDIR', 'EACCES', 'EPERM', 'ENAMETOOLONG', 'ENXIO', 'EINVAL']);

/**
 * Opens a regular file below a root, and only if no symbolic link is on the way: sites can make links to anything on the
 * machine. Checking each folder before opening would leave a moment to swap one, so what was opened is asked where it is.
 */
export async function openFile({ root, path }: Place): Promise<OpenedFile | undefined> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(root + path, FLAGS);
    const [stat, realRoot, realFile] = await Promise.all([
      handle.stat({ bigint: false }),
      realpath(root),
      placeOf(handle, root + path),
    ]);
    if (stat.isFile() && realFile === realRoot + path) return { handle, stat: toFileStat(stat) };
  } catch (error) {
    if (!isMissing(error)) {
      await handle?.close();
      throw error;
    }
  }
  await handle?.close();
  return undefined;
}

/** Whether a folder is at this place, and no symbolic link on the way: what lies outside is nobody's business. */
export async function isFolder({ root, path }: Place): Promise<boolean> {
  const handle = await open(root + path, FLAGS | constants.O_DIRECTORY).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
  if (!handle) return false;
  try {
    const [realRoot, realFolder] = await Promise.all([realpath(root), placeOf(handle, root + path)]);
    return realFolder === realRoot + path;
  } finally {
    await handle.close();
  }
}

/** Linux tells where an open file really is; elsewhere its path is resolved, which is good enough to develop on. */
function placeOf(handle: FileHandle, file: string): Promise<string> {
  return process.platform === 'linux' ? readlink(`/proc/self/fd/${handle.fd}`) : realpath(file);
}

export function isMissing(error: unknown): boolean {
  return MISSING.has((error as NodeJS.ErrnoException).code ?? '');
}

export function toFileStat(stat: { size: number; mtimeMs: number; ctimeMs: number; ino: number }): FileStat {
  const { size, mtimeMs, ctimeMs, ino } = stat;
  return { sizeBytes: size, modifiedAtMs: mtimeMs, identity: `${ino} ${size} ${mtimeMs} ${ctimeMs}` };
}
