import type { Stats } from 'node:fs';
import { type FileHandle, readdir } from 'node:fs/promises';
import { itself, lookAt, MAX_DEPTH, openFolderIn } from './open-folder.ts';

export interface WalkedEntry {
  /** The folder that it is in, open until the next one is asked for. */
  folder: FileHandle;
  name: string;
  /** Below where the walk began. */
  path: string;
  stat: Stats;
}

/** Everything below a folder, in the order of names, a folder before what is in it. Links are told and never followed. */
export async function* walkFolder(folder: FileHandle, above = '', depth = 1): AsyncGenerator<WalkedEntry> {
  for (const name of (await readdir(itself(folder))).sort()) {
    const stat = await lookAt(folder, name);
    if (!stat) continue;
    const path = above + name;
    yield { folder, name, path, stat };
    if (!stat.isDirectory() || depth >= MAX_DEPTH) continue;
    // Gone, or swapped for something else, by now.
    const inside = await openFolderIn(folder, name).catch(() => undefined);
    if (!inside) continue;
    try {
      yield* walkFolder(inside, `${path}/`, depth + 1);
    } finally {
      await inside.close();
    }
  }
}
