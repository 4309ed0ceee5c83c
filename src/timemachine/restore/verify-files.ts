import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, readSync, realpathSync } from 'node:fs';
import { anchorIfThere, splitPath } from '../archive/anchored-folder.ts';
import { readChunkList } from '../content.ts';
import { corruptObject, hashOf } from '../hash.ts';
import { dataOf, ZEROS_HASH } from '../holes.ts';
import type { ProgressReport } from '../progress.ts';
import type { SiteRepository } from '../repository.ts';
import type { FileEntry } from '../tree.ts';
import type { FileChange } from './file-plan.ts';

/** Reads back what a restore has brought in. Costs what was restored, not what exists. */
export async function verifyFiles(
  repository: SiteRepository,
  folder: string,
  changes: readonly FileChange[],
  progress: ProgressReport,
): Promise<void> {
  progress.begin('verifying', { filesTotal: changes.length });
  const root = realpathSync(folder);
  for (const change of changes) {
    if (!(await isAsWanted(repository, root, change, progress))) {
      throw corruptObject(`${change.path} is not what was restored`);
    }
    progress.add({ files: 1 });
  }
  progress.end();
}

async function isAsWanted(
  repository: SiteRepository,
  root: string,
  change: FileChange,
  progress: ProgressReport,
): Promise<boolean> {
  const { parent, name } = splitPath(change.path);
  // Not by the plain path: a link may now be where a folder of it was, and lead to something of the same name.
  const anchor = anchorIfThere(root, parent);
  if (!anchor) return change.kind === 'remove';
  try {
    return await isInFolderAsWanted(repository, `${anchor.path}/${name}`, change, progress);
  } finally {
    anchor.close();
  }
}

async function isInFolderAsWanted(
  repository: SiteRepository,
  path: string,
  change: FileChange,
  progress: ProgressReport,
): Promise<boolean> {
  // A folder that still holds what no snapshot knows of stays, so only files must be gone.
  if (change.kind === 'remove') {
    return change.before.kind === 'folder' || change.isInTheWay === true || !lstatSync(path, { throwIfNoEntry: false });
  }
  const stat = lstatSync(path, { throwIfNoEntry: false });
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
        (await holds(repository, path, change.entry, progress))
      );
  }
}

async function holds(
  repository: SiteRepository,
  path: string,
  { ref, sizeBytes }: FileEntry,
  progress: ProgressReport,
): Promise<boolean> {
  const chunks = ref.startsWith('+') ? await readChunkList(repository, ref) : [[ref, sizeBytes] as const];
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const stat = fstatSync(file);
    if (stat.size !== sizeBytes) return false;
    const data = dataOf(file, stat);
    let position = 0;
    for (const [hash, length] of chunks) {
      const isHole = hash === ZEROS_HASH && data.nextData(position) >= position + length;
      if (!isHole && !holdsPiece(file, position, length, hash)) return false;
      position += length;
      progress.add({ bytes: length });
    }
    return position === sizeBytes;
  } finally {
    closeSync(file);
  }
}

function holdsPiece(file: number, position: number, length: number, hash: string): boolean {
  const bytes = Buffer.allocUnsafe(length);
  return readSync(file, bytes, 0, length, position) === length && hashOf(bytes) === hash;
}
