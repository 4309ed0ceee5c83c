import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { FileRefused } from '../file-refused.ts';
import { readAtMost } from '../read-at-most.ts';
import type { ContentEntry, ReadEntry, ReadLimits } from '../site-host.ts';
import { inFolder, inParent, lookAt, namesIn, namesOf, openFileIn, openFolderIn } from './open-folder.ts';

const AT_ONCE = 16;

export function readEntry(root: string, path: string, limits: ReadLimits): Promise<ReadEntry> {
  if (namesOf(path).length === 0)
    return inFolder(root, [], async (folder) => ({
      entry: entryOf('', await folder.stat()),
      folder: await list(folder, limits.maxEntries),
    }));
  return inParent(root, path, (folder, name) => readIn(folder, name, limits));
}

async function readIn(parent: FileHandle, name: string, limits: ReadLimits): Promise<ReadEntry> {
  const stat = await lookAt(parent, name);
  if (!stat) throw new FileRefused('missing');
  const entry = entryOf(name, stat);
  if (entry.kind === 'folder') {
    const folder = await openFolderIn(parent, name);
    return list(folder, limits.maxEntries)
      .then((listed) => ({ entry, folder: listed }))
      .finally(() => folder.close());
  }
  return entry.kind === 'file' ? readFileIn(parent, name, limits.maxBytes) : { entry };
}

async function readFileIn(parent: FileHandle, name: string, maxBytes: number): Promise<ReadEntry> {
  const file = await openFileIn(parent, name);
  try {
    const stat = await file.stat();
    // It may be another one by now.
    const content = stat.isFile() ? await readAtMost(file, maxBytes) : undefined;
    if (!content) return { entry: entryOf(name, await file.stat()) };
    return { entry: { ...entryOf(name, stat), sizeBytes: content.length }, content, version: versionOf(content) };
  } finally {
    await file.close();
  }
}

export const VERSION_HASH = 'sha256';
/** The same for the same bytes: who writes what is there already has changed nothing that an editor minds. */
export const versionOf = (content: Buffer): string => createHash(VERSION_HASH).update(content).digest('base64url');

async function list(
  folder: FileHandle,
  maxEntries: number,
): Promise<{ entries: ContentEntry[]; isTruncated: boolean }> {
  const names = await namesIn(folder, maxEntries + 1);
  const isTruncated = names.length > maxEntries;
  const entries: ContentEntry[] = [];
  const waiting = names.slice(0, maxEntries).map(String).values();
  const look = async () => {
    for (const name of waiting) {
      // Gone by now, or of a name that is no text.
      const stat = await lookAt(folder, name);
      if (stat) entries.push(entryOf(name, stat));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, look));
  return { entries: entries.sort((a, b) => (a.name < b.name ? -1 : 1)), isTruncated };
}

export function entryOf(name: string, stat: Stats): ContentEntry {
  return { name, kind: kindOf(stat), sizeBytes: stat.isFile() ? stat.size : 0, modifiedAtMs: stat.mtimeMs };
}

function kindOf(stat: Stats): ContentEntry['kind'] {
  if (stat.isDirectory()) return 'folder';
  if (stat.isFile()) return 'file';
  return stat.isSymbolicLink() ? 'link' : 'other';
}
