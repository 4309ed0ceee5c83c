import { constants } from 'node:fs';
import { mkdir, open, opendir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * What the platform says is there must be there after a power cut. The operating system writes when it likes, names and
 * contents in any order, so that a folder which was only renamed into place can come back empty or not at all.
 */

/** Moves a folder to its place, with everything in it: when this resolves it lasts, and until then its place is empty. */
export async function placeDurably(draft: string, target: string): Promise<void> {
  await syncTree(draft);
  await moveDurably(draft, target);
}

/** Moves a folder whose content lasts already. */
export async function moveDurably(from: string, to: string): Promise<void> {
  await rename(from, to);
  await syncMove(from, to);
}

/** Makes a move durable that was done before. */
export async function syncMove(from: string, to: string): Promise<void> {
  for (const folder of new Set([dirname(to), dirname(from)])) await syncFolder(folder);
}

/** Makes a folder that lasts, and those above it where they are missing. */
export async function makeFolderDurably(folder: string, mode = 0o777): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made));
}

/** Makes what was made, renamed and removed in the folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  await sync(folder, constants.O_DIRECTORY);
}

const AT_ONCE = 16;

/** Makes a folder durable with all that is in it. Links are not followed. */
export async function syncTree(folder: string): Promise<void> {
  const paths = below(folder);
  // Together, because the disk then does many of them at once.
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for await (const { path, isFolder } of paths) await sync(path, isFolder ? constants.O_DIRECTORY : 0);
    }),
  );
}

async function* below(folder: string): AsyncGenerator<{ path: string; isFolder: boolean }> {
  for await (const entry of await opendir(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* below(path);
    else if (entry.isFile()) yield { path, isFolder: false };
  }
  yield { path: folder, isFolder: true };
}

async function sync(path: string, flags: number): Promise<void> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | flags);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
