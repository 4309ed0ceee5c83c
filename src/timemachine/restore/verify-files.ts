import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, readSync, realpathSync } from 'node:fs';
import { anchorIfThere, splitPath } from '../archive/anchored-folder.ts';
import { readChunkList } from '../content.ts';
import { corruptObject, hashOf } from '../hash.ts';
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
    if (!(await isAsWanted(repository, root, change))) {
      throw corruptObject(`${change.path} is not what was restored`);
    }
    progress.add({ files: 1, bytes: change.kind === 'file' ? change.entry.sizeBytes : 0 });
  }
  progress.end();
}

async function isAsWanted(repository: SiteRepository, root: string, change: FileChange): Promise<boolean> {
  const { parent, name } = splitPath(change.path);
  // Not by the plain path: a link may now be where a folder of it was, and lead to something of the same name.
  const anchor = anchorIfThere(root, parent);
  if (!anchor) return change.kind === 'remove';
  try {
    return await isInFolderAsWanted(repository, `${anchor.path}/${name}`, change);
  } finally {
    anchor.close();
  }
}

async function isInFolderAsWanted(repository: SiteRepository, path: string, change: FileChange): Promise<boolean> {
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
        (await holds(repository, path, change.entry))
      );
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
