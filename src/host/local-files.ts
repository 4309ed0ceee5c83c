import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { readAtMost } from './read-at-most.ts';
import type { FileRoot, FileStat, SiteFiles } from './site-host.ts';

/** A file on this machine's disk: a folder, and a path below it with a slash in front. */
interface LocalPath {
  root: string;
  path: string;
}

interface OpenedFile {
  handle: FileHandle;
  stat: FileStat;
}

// O_NONBLOCK: a pipe that somebody left there must not hold a thread.
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const MISSING = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EISDIR', 'EACCES', 'EPERM', 'ENAMETOOLONG', 'ENXIO', 'EINVAL']);
const PIECE_BYTES = 256 * 1024;

/** Files of this machine, wherever a root is. */
export function localFiles(folderOf: (at: FileRoot) => string): SiteFiles {
  return {
    fileIdentity: (at, path) => identityOfFile({ root: folderOf(at), path }),
    readFile: (at, path, maxBytes) => readSmallFile({ root: folderOf(at), path }, maxBytes),
    readFilePart: (at, path, part) => streamFilePart({ root: folderOf(at), path }, part),
    isFolder: (at, path) => isFolder({ root: folderOf(at), path }),
  };
}

async function identityOfFile({ root, path }: LocalPath): Promise<string | undefined> {
  try {
    return toFileStat(await lstat(root + path)).identity;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function readSmallFile(
  place: LocalPath,
  maxBytes: number,
): Promise<{ stat: FileStat; content?: Buffer } | undefined> {
  const opened = await openFile(place);
  if (!opened) return undefined;
  const { handle, stat } = opened;
  try {
    const content = await readAtMost(handle, maxBytes);
    if (!content) return { stat: toFileStat(await handle.stat()) };
    // It grew or shrank while it was read: what was read is one whole answer all the same.
    return { stat: { ...stat, sizeBytes: content.length }, content };
  } finally {
    await handle.close();
  }
}

/** Undefined where the file is not the one that was seen any more. */
async function streamFilePart(
  place: LocalPath,
  { identity, first, last }: { identity: string; first: number; last: number },
): Promise<Readable | undefined> {
  const opened = await openFile(place);
  if (opened?.stat.identity === identity && last >= first)
    return opened.handle.createReadStream({ start: first, end: last, highWaterMark: PIECE_BYTES });
  await opened?.handle.close();
  return opened?.stat.identity === identity ? Readable.from([]) : undefined;
}

/**
 * Opens a regular file below a root, and only if no symbolic link is on the way: sites can make links to anything on the
 * machine. Checking each folder before opening would leave a moment to swap one, so what was opened is asked where it is.
 */
async function openFile({ root, path }: LocalPath): Promise<OpenedFile | undefined> {
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
async function isFolder({ root, path }: LocalPath): Promise<boolean> {
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

function isMissing(error: unknown): boolean {
  return MISSING.has((error as NodeJS.ErrnoException).code ?? '');
}

function toFileStat(stat: { size: number; mtimeMs: number; ctimeMs: number; ino: number }): FileStat {
  const { size, mtimeMs, ctimeMs, ino } = stat;
  return { sizeBytes: size, modifiedAtMs: mtimeMs, identity: `${ino} ${size} ${mtimeMs} ${ctimeMs}` };
}
