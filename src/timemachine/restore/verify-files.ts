import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
} from 'node:fs';
import { join } from 'node:path';
import { readChunkList } from '../content.ts';
import { CorruptObject, hashOf } from '../hash.ts';
import type { SiteRepository } from '../repository.ts';
import type { FileEntry } from '../tree.ts';
import type { FileChange } from './file-plan.ts';

/** Reads back what a restore has brought in. Costs what was restored, not what exists. */
export async function verifyFiles(
  repository: SiteRepository,
  folder: string,
  changes: readonly FileChange[],
): Promise<void> {
  const root = realpathSync(folder);
  for (const change of changes) {
    const path = join(root, change.path);
    if (!(await isAsWanted(repository, path, change))) {
      throw new CorruptObject(`${change.path} is not what was restored`);
    }
  }
}

async function isAsWanted(repository: SiteRepository, path: string, change: FileChange): Promise<boolean> {
  // A folder that still holds what no snapshot knows of stays, so only files must be gone.
  if (change.kind === 'remove') {
    return change.before.kind === 'folder' || change.isInTheWay === true || !lookAt(path);
  }
  const stat = lookAt(path);
  if (!stat) return false;
  switch (change.kind) {
    case 'folder':
      return stat.isDirectory() && (stat.mode & 0o7777) === change.entry.mode;
    case 'link':
      return stat.isSymbolicLink() && readlinkSync(path) === change.entry.target;
    default:
      return (
        stat.isFile() &&
        (stat.mode & 0o7777) === change.entry.mode &&
        Math.round(stat.mtimeMs * 1000) === change.entry.modifiedUs &&
        (await holds(repository, path, change.entry))
      );
  }
}

function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A file may now be where a folder of its path was.
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

async function holds(repository: SiteRepository, path: string, { ref, sizeBytes }: FileEntry): Promise<boolean> {
  const chunks = ref.startsWith('+') ? await readChunkList(repository, ref) : [[ref, sizeBytes] as const];
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    if (fstatSync(file).size !== sizeBytes) return false;
    let position = 0;
    for (const [hash, length] of chunks) {
      const bytes = Buffer.allocUnsafe(length);
      if (readSync(file, bytes, 0, length, position) !== length || hashOf(bytes) !== hash) return false;
      position += length;
    }
    return position === sizeBytes;
  } finally {
    closeSync(file);
  }
}
