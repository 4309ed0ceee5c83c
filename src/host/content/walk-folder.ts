import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { FileRefused } from '../file-refused.ts';
import { lookAt, MAX_DEPTH, namesIn, openFolderIn } from './open-folder.ts';

export interface WalkedEntry {
  /** The folder that it is in, open until the next one is asked for. */
  folder: FileHandle;
  name: string;
  /** Below where the walk began. */
  path: string;
  stat: Stats;
}

/** In one walk: the names of each folder on the way down are held at the same time. */
export const MAX_NAMES = 100_000;

/**
 * Everything below a folder, in the order of names, a folder before what is in it. Links are told and never followed. Where there are more
 * names than these, some of them are told, and then it fails.
 */
export function walkFolder(folder: FileHandle, above = '', maxNames = MAX_NAMES): AsyncGenerator<WalkedEntry> {
  return walk(folder, above, 1, { namesLeft: maxNames });
}

async function* walk(
  folder: FileHandle,
  above: string,
  depth: number,
  bound: { namesLeft: number },
): AsyncGenerator<WalkedEntry> {
  const most = bound.namesLeft;
  const names = (await namesIn(folder, most + 1)).map(String);
  bound.namesLeft -= Math.min(names.length, most);
  for (const name of names.slice(0, most).sort()) {
    const stat = await lookAt(folder, name);
    if (!stat) continue;
    const path = above + name;
    yield { folder, name, path, stat };
    if (!stat.isDirectory() || depth >= MAX_DEPTH) continue;
    // Gone, or swapped for something else, by now.
    const inside = await openFolderIn(folder, name).catch(() => undefined);
    if (!inside) continue;
    try {
      yield* walk(inside, `${path}/`, depth + 1, bound);
    } finally {
      await inside.close();
    }
  }
  if (names.length > most) throw new FileRefused('too_much');
}
