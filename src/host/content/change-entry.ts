import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, link, lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FileRefused } from '../file-refused.ts';
import { readAtMost } from '../read-at-most.ts';
import type { ByteSource, ContentEntry, SeenVersion, WrittenFile } from '../site-host.ts';
import { inParent, lookAt, namesOf, openFileIn, openFolderIn, within } from './open-folder.ts';
import { entryOf, VERSION_HASH, versionOf } from './read-entry.ts';

/** Where a site's content is, and a folder beside it for files that are not whole yet: nobody sees those, and no kill leaves one there. */
export interface ContentPlace {
  content: string;
  incoming: string;
}

const PIECE_BYTES = 1024 * 1024;
const FILE_MODE = 0o644;
const FOLDER_MODE = 0o755;
const FORGOTTEN_MS = 3_600_000;

/** Puts a whole file in its place in one step, to stay. */
export async function writeFile(
  place: ContentPlace,
  path: string,
  content: ByteSource,
  seen: SeenVersion,
): Promise<WrittenFile> {
  return inParent(place.content, path, async (folder, name) => {
    await requireSeen(folder, name, seen);
    const draft = await openDraft(place.incoming);
    try {
      const version = await fill(draft.file, content);
      await belongTo(draft.file, folder, (await lookAt(folder, name))?.mode);
      await draft.file.sync();
      // Somebody may have been here while the bytes came.
      await requireSeen(folder, name, seen);
      if (seen === null) await link(draft.path, within(folder, name));
      else await rename(draft.path, within(folder, name));
      await folder.sync();
      return { ...entryOf(name, await draft.file.stat()), version };
    } finally {
      await draft.file.close();
      await rm(draft.path, { force: true });
    }
  });
}

/** Fails where something else is there than the writer has seen. Only a file is ever replaced. */
async function requireSeen(folder: FileHandle, name: string, seen: SeenVersion): Promise<void> {
  const stat = await lookAt(folder, name);
  if (stat && !stat.isFile()) throw new FileRefused('not_a_file');
  if (seen === 'any') return;
  if (seen === null) {
    if (stat) throw new FileRefused('exists');
    return;
  }
  if (!stat) throw new FileRefused('changed');
  const file = await openFileIn(folder, name);
  try {
    // It may be another one by now. What is larger was never shown with a version.
    const content = (await file.stat()).isFile() ? await readAtMost(file, seen.maxBytes) : undefined;
    if (!content || versionOf(content) !== seen.version) throw new FileRefused('changed');
  } finally {
    await file.close();
  }
}

async function openDraft(incoming: string): Promise<{ file: FileHandle; path: string }> {
  await mkdir(incoming, { recursive: true, mode: 0o700 });
  for (const name of await readdir(incoming)) {
    const old = await lstat(join(incoming, name)).catch(() => undefined);
    if (old && Date.now() - old.mtimeMs > FORGOTTEN_MS) await rm(join(incoming, name), { force: true });
  }
  const path = join(incoming, randomUUID());
  return { path, file: await open(path, constants.O_CREAT | constants.O_EXCL | constants.O_RDWR, 0o600) };
}

/** Returns what `versionOf` makes of it. */
async function fill(file: FileHandle, { sizeBytes, read }: ByteSource): Promise<string> {
  const hash = createHash(VERSION_HASH);
  for (let offset = 0; offset < sizeBytes; ) {
    const piece = await read(offset, Math.min(PIECE_BYTES, sizeBytes - offset));
    if (piece.length === 0) throw new Error('what was to be written ended too soon');
    await file.appendFile(piece);
    hash.update(piece);
    offset += piece.length;
  }
  return hash.digest('base64url');
}

/** As if whoever has the folder had made it: a site may have a user of its own. */
async function belongTo(file: FileHandle, folder: FileHandle, mode = FILE_MODE): Promise<void> {
  await takeOwner(file, folder);
  await file.chmod(mode & 0o777);
}

async function takeOwner(made: FileHandle, folder: FileHandle): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await folder.stat();
  await made.chown(uid, gid);
}

export function makeFolder(place: ContentPlace, path: string): Promise<ContentEntry> {
  return inParent(place.content, path, async (folder, name) => {
    await mkdir(within(folder, name), { mode: FOLDER_MODE });
    const made = await openFolderIn(folder, name);
    try {
      await takeOwner(made, folder);
      await folder.sync();
      return entryOf(name, await made.stat());
    } finally {
      await made.close();
    }
  });
}

/** A link moves as what it is. Nothing is ever replaced. */
export function moveEntry(place: ContentPlace, from: string, to: string): Promise<ContentEntry> {
  if (`${to}/`.startsWith(`${from}/`) && to !== from && namesOf(to).length > 0) throw new FileRefused('into_itself');
  return inParent(place.content, from, (source, name) =>
    inParent(place.content, to, async (target, newName) => {
      if (!(await lookAt(source, name))) throw new FileRefused('missing');
      if (await lookAt(target, newName)) throw new FileRefused('exists');
      await rename(within(source, name), within(target, newName));
      await target.sync();
      await source.sync();
      const stat = await lookAt(target, newName);
      if (!stat) throw new FileRefused('missing');
      return entryOf(newName, stat);
    }),
  );
}
