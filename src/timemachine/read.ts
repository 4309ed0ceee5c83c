import { setImmediate as otherWork } from 'node:timers/promises';
import { type ObjectReader, type Ref, readChunkList } from './content.ts';
import { failedBy } from './failure.ts';
import type { SiteRepository } from './repository.ts';
import type { Snapshot, SnapshotId } from './snapshot.ts';
import { type FileEntry, readTree, type TreeEntry } from './tree.ts';

/** Single files of a snapshot, without restoring it. Each call reads only the folders and chunks that it needs. */

export interface ListedFile {
  path: string;
  sizeBytes: number;
  modifiedUs: number;
  ref: Ref;
  mode: number;
}

/** What is listed of a snapshot at a time. */
export interface FilePage {
  files: ListedFile[];
  links: string[];
  /** There are more than were asked for. */
  isTruncated: boolean;
  /** Where it goes on, if this is not all: behind this path, which may be a folder's. */
  last?: string;
}

/** Which part of the files: those whose paths begin with the prefix, so many, behind the path `after`. */
export interface FilePart {
  prefix: string;
  limit: number;
  after?: string | undefined;
}

/** A page ends after so long, or so many folders: others wait, and most folders may have nothing of what is looked for. */
const PAGE_MS = 50;
const PAGE_FOLDERS = 500;

export async function listPage(
  reader: ObjectReader,
  { files }: Pick<Snapshot, 'files'>,
  { prefix, limit, after }: FilePart,
): Promise<FilePage> {
  const page: FilePage = { files: [], links: [], isTruncated: false };
  if (!files) return page;
  const endsAtMs = performance.now() + PAGE_MS;
  let [last, folders] = [after ?? '', 0];
  for await (const { path, entry } of entriesBelow(reader, files, '', prefix, after?.split('/') ?? [])) {
    const isFull = page.files.length + page.links.length >= limit;
    if (isFull && entry.kind !== 'folder') return { ...page, isTruncated: true, last };
    last = path;
    if (entry.kind === 'link') page.links.push(path);
    else if (entry.kind === 'file') page.files.push(listed(path, entry));
    else if (++folders >= PAGE_FOLDERS || performance.now() > endsAtMs) return { ...page, last };
  }
  return page;
}

/** All that a snapshot has of files. */
export async function* listEntries(reader: ObjectReader, { files }: Pick<Snapshot, 'files'>) {
  if (files) yield* entriesBelow(reader, files, '', '', []);
}

/**
 * What is below the prefix, sorted within each folder, behind `after` in that order. Each folder comes after all that is in it: behind its
 * path the next thing is the one beside it.
 */
async function* entriesBelow(
  reader: ObjectReader,
  folder: Ref,
  path: string,
  prefix: string,
  [first, ...rest]: readonly string[],
): AsyncGenerator<{ path: string; entry: TreeEntry }> {
  for (const entry of await readTree(reader, folder)) {
    if (first !== undefined && entry.name < first) continue;
    const isOnTheWay = entry.name === first;
    if (isOnTheWay && (entry.kind !== 'folder' || rest.length === 0)) continue;
    const below = `${path}${entry.name}`;
    if (entry.kind !== 'folder') {
      if (below.startsWith(prefix)) yield { path: below, entry };
      continue;
    }
    const inside = `${below}/`;
    if (!inside.startsWith(prefix) && !prefix.startsWith(inside)) continue;
    yield* entriesBelow(reader, entry.ref, inside, prefix, isOnTheWay ? rest : []);
    yield { path: below, entry };
  }
}

/** The file of that path; undefined when there was none, or something that is no file. */
export async function findFile(
  reader: ObjectReader,
  snapshot: Pick<Snapshot, 'files'>,
  path: string,
): Promise<ListedFile | undefined> {
  const entry = await findEntry(reader, snapshot, path);
  return entry?.kind === 'file' ? listed(path, entry) : undefined;
}

/** What a snapshot has under that path. */
export async function findEntry(
  reader: ObjectReader,
  snapshot: Pick<Snapshot, 'files'>,
  path: string,
): Promise<TreeEntry | undefined> {
  const names = path.split('/');
  const last = names.pop() ?? '';
  let folder = snapshot.files;
  for (const name of names) {
    const entry = await entryIn(reader, folder, name);
    if (entry?.kind !== 'folder') return undefined;
    folder = entry.ref;
  }
  return entryIn(reader, folder, last);
}

/** The file of that path in each of these snapshots. Those whose folders are the same, as most are, cost no second look. */
export async function findFileIn(
  repository: Pick<SiteRepository, 'read' | 'readNamed'>,
  moments: readonly Pick<SnapshotId, 'hash' | 'timeMs'>[],
  path: string,
): Promise<(ListedFile | null)[]> {
  const seen = new Map<Ref | null, ListedFile | null>();
  const found: (ListedFile | null)[] = [];
  for (let first = 0; first < moments.length; first += READ_AT_ONCE) {
    const some = moments.slice(first, first + READ_AT_ONCE);
    await otherWork();
    for (const snapshot of await Promise.all(some.map((moment) => repository.readNamed(moment).catch(notPruned)))) {
      if (snapshot && !seen.has(snapshot.files))
        seen.set(snapshot.files, (await findFile(repository, snapshot, path)) ?? null);
      found.push((snapshot && seen.get(snapshot.files)) ?? null);
    }
  }
  return found;
}

/** Most of the time goes by waiting for the store. */
const READ_AT_ONCE = 32;

/** A prune is faster than its own list. */
function notPruned(error: unknown): undefined {
  if (!failedBy(error, 'missing_object')) throw error;
}

async function entryIn(reader: ObjectReader, folder: Ref | null, name: string): Promise<TreeEntry | undefined> {
  return folder === null ? undefined : (await readTree(reader, folder)).find((entry) => entry.name === name);
}

function listed(path: string, { sizeBytes, modifiedUs, ref, mode }: FileEntry): ListedFile {
  return { path, sizeBytes, modifiedUs, ref, mode };
}

export interface OpenContent {
  sizeBytes: number;
  /** The bytes from `start` up to and without `end`, piece by piece; every piece is verified. */
  read(start?: number, end?: number): AsyncGenerator<Buffer>;
}

/** A content of which nothing but the name is known. Reading a part of a big one reads only the chunks that it needs. */
export async function openContent(reader: ObjectReader, ref: Ref): Promise<OpenContent> {
  if (!ref.startsWith('+')) {
    const whole = await reader.read(ref);
    return {
      sizeBytes: whole.length,
      async *read(start = 0, end = whole.length) {
        yield whole.subarray(start, end);
      },
    };
  }
  const chunks = await readChunkList(reader, ref);
  const sizeBytes = chunks.reduce((sum, [, length]) => sum + length, 0);
  return {
    sizeBytes,
    async *read(start = 0, end = sizeBytes) {
      let position = 0;
      for (const [hash, length] of chunks) {
        const [from, to] = [Math.max(start - position, 0), Math.min(end - position, length)];
        if (from < to) yield (await reader.read(hash)).subarray(from, to);
        position += length;
      }
    },
  };
}
