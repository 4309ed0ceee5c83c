import { WHOLE_BELOW } from '../archive/file-reader.ts';
import { addContent, type Ref } from '../content.ts';
import type { SiteRepository, SiteWriter } from '../repository.ts';
import { addTree, readTree, type TreeEntry } from '../tree.ts';

/**
 * Files that come from elsewhere, such as those of a commit, laid over a site: what they are becomes a tree beside that of the
 * site, and the way from the one to the other is planned and applied like any restore.
 */
export interface Laying {
  files: LaidFile[];
  links: { path: string; target: string }[];
  /** Paths that came from there before and are not there any more. */
  gone: string[];
  /** What those of last time were, by path: the content, or the target of a link. Whatever differs from it the site has changed itself. */
  before: Record<string, string>;
}

interface LaidFile {
  path: string;
  isExecutable: boolean;
  /** The name by which the caller gives the content, and the content itself where it was stored once before. */
  name: string;
  ref: Ref | null;
  sizeBytes: number;
}

export interface Laid {
  tree: Ref | null;
  /** What was stored of each name that was asked for. */
  refs: Record<string, Ref>;
  /** What the site had changed, and has no longer. */
  overwritten: { count: number; paths: string[] };
}

/** Gives the contents of these names, in their order. */
type Want = (names: string[]) => Promise<Uint8Array[]>;

const BATCH_BYTES = 8 * 1024 * 1024;
const MAX_NAMED = 200;
const [FILE_MODE, PROGRAM_MODE, FOLDER_MODE] = [0o644, 0o755, 0o755];

export async function layFiles(
  repository: SiteRepository,
  now: Ref | null,
  laying: Laying,
  { isPublic, want, nowMs = Date.now() }: { isPublic(path: string): boolean; want: Want; nowMs?: number },
): Promise<Laid> {
  const there = await entriesAt(repository, now, laying);
  const writer = repository.writer();
  const refs = await store(writer, missing(laying, there), { isPublic, want });
  const wanted = new Map<string, TreeEntry | null>(laying.gone.map((path) => [path, null]));
  for (const file of laying.files) {
    const ref = refs[file.name] ?? (file.ref as Ref);
    const old = there.get(file.path);
    wanted.set(file.path, isSameFile(old, ref) ? old : entryOf(file, ref, isPublic(file.path), nowMs));
  }
  for (const { path, target } of laying.links) wanted.set(path, { kind: 'link', name: nameOf(path), target });
  const tree = await overlay(repository, writer, now, nest(wanted));
  await writer.flush();
  return { tree, refs, overwritten: overwrittenOf(laying, there, wanted) };
}

/** Files whose content is not known to be stored: those that the site has are, whatever becomes of its other backups. */
function missing({ files }: Laying, there: Map<string, TreeEntry>): LaidFile[] {
  const seen = new Set<string>();
  return files.filter(({ path, name, ref }) => {
    if (seen.has(name) || (ref !== null && isSameFile(there.get(path), ref))) return false;
    seen.add(name);
    return true;
  });
}

async function store(
  writer: SiteWriter,
  files: readonly LaidFile[],
  { isPublic, want }: { isPublic(path: string): boolean; want: Want },
): Promise<Record<string, Ref>> {
  const refs: Record<string, Ref> = {};
  for (let start = 0; start < files.length; ) {
    let end = start;
    for (let bytes = 0; end < files.length && (end === start || bytes < BATCH_BYTES); end++)
      bytes += (files[end] as LaidFile).sizeBytes;
    const batch = files.slice(start, end);
    const contents = await want(batch.map(({ name }) => name));
    for (const [at, { name, path }] of batch.entries()) {
      const pool = isPublic(path) ? writer.shared : writer.private;
      refs[name] = addContent(pool, contents[at] as Uint8Array, WHOLE_BELOW);
    }
    await writer.flushFull();
    start = end;
  }
  return refs;
}

function entryOf({ path, isExecutable, sizeBytes }: LaidFile, ref: Ref, isShared: boolean, nowMs: number): TreeEntry {
  const mode = isExecutable ? PROGRAM_MODE : FILE_MODE;
  return { kind: 'file', name: nameOf(path), mode, modifiedUs: nowMs * 1000, sizeBytes, ref, isShared };
}

const isSameFile = (entry: TreeEntry | undefined, ref: Ref): entry is TreeEntry =>
  entry?.kind === 'file' && entry.ref === ref;

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);

function overwrittenOf(
  { before }: Laying,
  there: Map<string, TreeEntry>,
  wanted: Map<string, TreeEntry | null>,
): Laid['overwritten'] {
  const paths = [...wanted].flatMap(([path, entry]) => {
    const old = there.get(path);
    const was = before[path];
    if (entry === null && old?.kind === 'folder') return [];
    // What the site itself has deleted comes back, and is told as well.
    if (contentOf(old) === contentOf(entry ?? undefined) || contentOf(old) === was) return [];
    return [path];
  });
  return { count: paths.length, paths: paths.sort().slice(0, MAX_NAMED) };
}

function contentOf(entry: TreeEntry | undefined): string | undefined {
  return entry && (entry.kind === 'link' ? entry.target : entry.ref);
}

/** The site's own entries at the paths that are about to change. */
async function entriesAt(
  repository: SiteRepository,
  root: Ref | null,
  { files, links, gone }: Laying,
): Promise<Map<string, TreeEntry>> {
  const found = new Map<string, TreeEntry>();
  const paths = new Map([...files, ...links].map(({ path }) => [path, null] as [string, null]));
  for (const path of gone) paths.set(path, null);
  await visit(repository, root, nest(paths), '', found);
  return found;
}

async function visit(
  repository: SiteRepository,
  folder: Ref | null,
  nested: Nested<null>,
  at: string,
  found: Map<string, TreeEntry>,
): Promise<void> {
  for (const entry of folder === null ? [] : await readTree(repository, folder)) {
    const below = nested.get(entry.name);
    if (below === undefined) continue;
    if (!(below instanceof Map)) found.set(`${at}${entry.name}`, entry);
    else if (entry.kind === 'folder') await visit(repository, entry.ref, below, `${at}${entry.name}/`, found);
  }
}

type Nested<Leaf> = Map<string, Nested<Leaf> | Leaf>;

/** Paths as folders in folders. */
function nest<Leaf>(paths: Map<string, Leaf>): Nested<Leaf> {
  const root: Nested<Leaf> = new Map();
  for (const [path, leaf] of paths) {
    const names = path.split('/');
    let folder = root;
    for (const name of names.slice(0, -1)) {
      const below = folder.get(name);
      const next: Nested<Leaf> = below instanceof Map ? below : new Map();
      folder.set(name, next);
      folder = next;
    }
    const last = names.at(-1) as string;
    // What is a folder by now was a file before: the folder counts.
    if (!(folder.get(last) instanceof Map)) folder.set(last, leaf);
  }
  return root;
}

/** The folder with the changes in it. One that loses its last file goes with it. */
async function overlay(
  repository: SiteRepository,
  writer: SiteWriter,
  folder: Ref | null,
  changes: Nested<TreeEntry | null>,
): Promise<Ref | null> {
  const entries = new Map((folder === null ? [] : await readTree(repository, folder)).map((each) => [each.name, each]));
  for (const [name, change] of changes) {
    const old = entries.get(name);
    if (change === null) {
      if (old && old.kind !== 'folder') entries.delete(name);
    } else if (!(change instanceof Map)) entries.set(name, change);
    else {
      const before = old?.kind === 'folder' ? old : undefined;
      const ref = await overlay(repository, writer, before?.ref ?? null, change);
      if (ref !== null) entries.set(name, { kind: 'folder', name, mode: before?.mode ?? FOLDER_MODE, ref });
      else if (before) entries.delete(name);
    }
  }
  return entries.size === 0 ? null : addTree(writer, [...entries.values()]);
}
