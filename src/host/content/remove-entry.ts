import { type FileHandle, rmdir, unlink } from 'node:fs/promises';
import { FileRefused } from '../file-refused.ts';
import type { ContentPlace } from './change-entry.ts';
import { inParent, lookAt, MAX_DEPTH, namesIn, openFolderIn, within } from './open-folder.ts';

/** Who has more than can be removed in this time asks again: what is left is still in its place. */
const MAX_MS = 30_000;
const NAMES_PER_ROUND = 1_000;

/** Removes a file, a link or a folder with all that is in it; a link is removed, and never what it leads to. */
export function removeEntry(place: ContentPlace, path: string): Promise<void> {
  return inParent(place.content, path, async (folder, name) => {
    if (!(await lookAt(folder, name))) throw new FileRefused('missing');
    await remove(folder, Buffer.from(name), performance.now() + MAX_MS, 1);
    await folder.sync();
  });
}

async function remove(folder: FileHandle, name: Buffer, deadlineMs: number, depth: number): Promise<void> {
  if (depth > MAX_DEPTH || performance.now() > deadlineMs) throw new FileRefused('too_much');
  // Whoever swaps it meanwhile makes a step fail, or has what they put there removed.
  if (await removes(unlink(within(folder, name)), 'EISDIR', 'EPERM')) return;
  const inside = await openFolderIn(folder, name);
  try {
    let names: Buffer[];
    do {
      names = await namesIn(inside, NAMES_PER_ROUND);
      for (const each of names) await remove(inside, each, deadlineMs, depth + 1);
    } while (names.length === NAMES_PER_ROUND);
  } finally {
    await inside.close();
  }
  // Somebody writes to it faster than it is emptied.
  if (!(await removes(rmdir(within(folder, name)), 'ENOTEMPTY'))) throw new FileRefused('too_much');
}

/** False where it failed in one of these ways. What is gone already is removed. */
async function removes(removing: Promise<void>, ...otherwise: string[]): Promise<boolean> {
  try {
    await removing;
    return true;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && !otherwise.includes(code)) throw error;
    return code === 'ENOENT';
  }
}
