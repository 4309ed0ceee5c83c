import { lstatSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type AnchoredFolder, anchorIfThere, splitPath } from '../archive/anchored-folder.ts';
import type { ProgressReport } from '../progress.ts';
import type { SiteRepository } from '../repository.ts';
import { exists, type FileOperations } from '../stores/file-operations.ts';
import type { TreeEntry } from '../tree.ts';
import type { FileChange } from './file-plan.ts';
import { type FileToWrite, writeFiles } from './file-writer.ts';
import { ASIDE, type FileStep, STAGED } from './journal.ts';

/** Writes everything that the changes need beside the site, and says the steps that will bring it in. */
export async function stageFiles(
  repository: SiteRepository,
  folder: string,
  staging: string,
  changes: readonly FileChange[],
  operations: FileOperations,
  progress: ProgressReport,
): Promise<FileStep[]> {
  const steps: FileStep[] = [];
  const files: FileToWrite[] = [];
  const links: { path: string; target: string }[] = [];
  await operations.makeFolder(join(staging, STAGED));
  await operations.makeFolder(join(staging, ASIDE));
  for (const [index, change] of changes.entries()) {
    const { path } = change;
    const staged = `${STAGED}/${index}`;
    switch (change.kind) {
      case 'remove':
        if (change.isInTheWay) steps.push({ do: 'aside', path, staged: `${ASIDE}/${index}` });
        else steps.push({ do: 'remove', path, what: change.before.kind === 'folder' ? 'folder' : 'file' });
        break;
      case 'folder':
        steps.push({ do: 'folder', path, mode: change.entry.mode });
        break;
      case 'attributes':
        steps.push({ do: 'attributes', path, mode: change.entry.mode, modifiedUs: change.entry.modifiedUs });
        break;
      case 'link':
        links.push({ path: join(staging, staged), target: change.entry.target });
        steps.push({ do: 'place', path, staged });
        break;
      case 'file': {
        const { ref, sizeBytes, mode, modifiedUs } = change.entry;
        files.push({ path: join(staging, staged), ref, sizeBytes, mode, modifiedUs });
        steps.push({ do: 'place', path, staged });
      }
    }
  }
  await writeFiles(repository, files, operations, true, progress);
  for (const { path, target } of links) await operations.link(target, path);
  const owner = ownerOf(folder);
  if (owner) for (const { path } of [...files, ...links]) await operations.giveTo(path, owner);
  return steps;
}

/** Brings the staged files in. Each step may have been done before, by a process that died. */
export async function applySteps(
  folder: string,
  staging: string,
  steps: readonly FileStep[],
  operations: FileOperations,
  progress: ProgressReport,
): Promise<void> {
  progress.begin('placing', { filesTotal: steps.length });
  const root = realpathSync(folder);
  const owner = ownerOf(folder);
  const touched = new Set<string>();
  for (const step of steps) {
    const { parent, name } = splitPath(step.path);
    const anchor = anchorIfThere(root, parent);
    // The folder went with an earlier removal, before the process died that we go on for.
    if (!anchor && step.do === 'remove') continue;
    if (!anchor) throw new Error(`The folder ${parent} is not there`);
    try {
      await applyStep(step, anchor, name, staging, operations, owner);
    } finally {
      anchor.close();
    }
    touched.add(parent);
    progress.add({ files: 1 });
  }
  for (const path of touched) {
    const anchor = anchorIfThere(root, path);
    try {
      if (anchor) await operations.syncFolder(anchor.path);
    } finally {
      anchor?.close();
    }
  }
  progress.end();
}

async function applyStep(
  step: FileStep,
  anchor: AnchoredFolder,
  name: string,
  staging: string,
  operations: FileOperations,
  owner: Owner | undefined,
): Promise<void> {
  const target = `${anchor.path}/${name}`;
  switch (step.do) {
    case 'remove':
      if (step.what === 'file') return operations.unlink(target);
      return operations.removeEmptyFolder(target);
    case 'aside': {
      const aside = join(staging, step.staged);
      if (!(await exists(aside)) && (await exists(target))) await operations.rename(target, aside);
      return;
    }
    case 'folder':
      if (!lstatSync(target, { throwIfNoEntry: false })?.isDirectory()) await operations.makeFolder(target);
      if (owner) await operations.giveTo(target, owner);
      return operations.chmod(target, step.mode);
    case 'attributes':
      // Not through a link that somebody put in the file's place.
      if (!lstatSync(target, { throwIfNoEntry: false })?.isFile()) return;
      await operations.chmod(target, step.mode);
      return operations.setModified(target, step.modifiedUs);
    case 'place': {
      const staged = join(staging, step.staged);
      // What is no longer staged has been placed already.
      if (await exists(staged)) await operations.rename(staged, target);
    }
  }
}

/** The first path that is not as the plan believes: then the plan is of another state than that of the folder. */
export function firstSurprise(folder: string, changes: readonly FileChange[]): string | undefined {
  const root = realpathSync(folder);
  const removed = changes.filter((change) => change.kind === 'remove' && change.isInTheWay).map(({ path }) => path);
  return changes.find((change) => {
    const { path, before } = change;
    // What takes the place of something else comes twice, and is told by the first one.
    if (change.kind !== 'remove' && removed.some((each) => isBelow(path, each))) return false;
    return !isAsBefore(join(root, path), before);
  })?.path;
}

function isAsBefore(path: string, before: TreeEntry | undefined): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat || !before) return !stat === !before;
  if (before.kind === 'folder') return stat.isDirectory();
  if (before.kind === 'link') return stat.isSymbolicLink();
  return stat.isFile() && stat.size === before.sizeBytes && Math.round(stat.mtimeMs * 1000) === before.modifiedUs;
}

interface Owner {
  uid: number;
  gid: number;
}

/** Where we run as root for a site that does not, what we make must be the site's. */
function ownerOf(folder: string): Owner | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const { uid, gid } = statSync(folder);
  return uid === 0 && gid === 0 ? undefined : { uid, gid };
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
