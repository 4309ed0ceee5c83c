import { closeSync, constants, fchmodSync, fstatSync, lstatSync, openSync, readlinkSync, type Stats } from 'node:fs';
import type { ObjectWriter } from '../content.ts';
import type { ProgressReport } from '../progress.ts';
import type { SiteWriter } from '../repository.ts';
import { addTree, KEPT_MODE, type TreeEntry } from '../tree.ts';
import { type AnchoredFolder, anchorFolder } from './anchored-folder.ts';
import { type StoredFile, storeFile, TooEmpty } from './file-reader.ts';
import { type EntryState, type FolderState, treeEntryOf } from './file-state.ts';
import { FOLDER, KIND, lookAtFolder, NOT_UTF8, namesIn } from './folder-look.ts';
import type { Hints } from './hints.ts';

/** A change within this time of the scan may be followed by another one that leaves the same times behind. */
const FRESH_MS = 2_000;
/** How long a walk may keep the event loop from its other work. */
const SLICE_MS = 12;
const FILE = 0o100000;
const LINK = 0o120000;

export interface FolderRules {
  /** What is none of the snapshot's business, such as the folder of the database. */
  isExcluded?(path: string): boolean;
  /** Public files are stored once for all owners. */
  isPublic?(path: string): boolean;
}

/**
 * Walks a folder and stores what changed since the last walk. The walk is the truth: a file is unchanged when its inode,
 * size and both times are as before and it was not fresh then. Looking is done by plain paths, which costs the least and
 * records nothing; whatever is recorded is read again through an anchor (see AnchoredFolder).
 *
 * It is a generator: it yields whenever a pack is full or it has been at it for a while, and the caller decides what
 * happens meanwhile.
 */
export class FolderWalk {
  readonly #root: string;
  readonly #rules: FolderRules;
  readonly #writer: SiteWriter;
  readonly #progress: ProgressReport;
  readonly #startedAtMs = Date.now();
  #sliceEndsMs = performance.now() + SLICE_MS;
  /** Paths to look at again next time, whatever the hints say then. */
  readonly fresh: string[] = [];
  /** Paths that this walk found different from the state before; the first ones, for the record. */
  readonly changed: string[] = [];

  constructor(root: string, rules: FolderRules, writer: SiteWriter, progress: ProgressReport) {
    this.#root = root;
    this.#rules = rules;
    this.#writer = writer;
    this.#progress = progress;
  }

  /** With hints, only the paths they name are looked at. */
  *run(before: FolderState | undefined, hints?: Hints): Generator<void, FolderState> {
    const state = yield* this.#visit('', this.#root, before, before ? hints : undefined);
    if (!state) throw new Error(`The folder ${this.#root} is not there`);
    return state;
  }

  *#visit(
    path: string,
    fullPath: string,
    before: FolderState | undefined,
    hints: Hints | undefined,
  ): Generator<void, FolderState | undefined> {
    if (performance.now() > this.#sliceEndsMs) yield* this.#pause();
    const look = lookAtFolder(fullPath, before, hints);
    if (!look) return undefined;
    let entries = before?.entries;
    if (!entries || look.changed?.length !== 0 || look.gone.length > 0) {
      entries = new Map(entries);
      for (const name of look.gone) {
        entries.delete(name);
        this.#noteChange(path, name);
      }
      const recorded = yield* this.#record(path, look.changed, entries, look.folders);
      if (!recorded) return undefined;
    }
    for (const [name, below] of look.folders) {
      const child = entries.get(name);
      // It became something else since we saw its name.
      if (child?.kind !== 'folder') continue;
      const after = yield* this.#visitChild(join(path, name), `${fullPath}/${name}`, child, below);
      if (after === child) continue;
      if (entries === before?.entries) entries = new Map(entries);
      if (after) entries.set(name, after);
      else {
        entries.delete(name);
        this.#noteChange(path, name);
      }
    }
    if (before && entries === before.entries) return before;
    return this.#seal(entries, before);
  }

  *#visitChild(
    path: string,
    fullPath: string,
    child: FolderState,
    hints: Hints | undefined,
  ): Generator<void, EntryState | undefined> {
    try {
      const after = yield* this.#visit(path, fullPath, child.ref === '' ? undefined : child, hints);
      return after && after.mode !== child.mode ? { ...after, mode: child.mode } : after;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EACCES') throw error;
      return { kind: 'ignored', ...NOWHERE, isFresh: true, reason: `it can not be read (${code})` };
    }
  }

  /** Reads what changed in one folder. New folders are only named here; they are visited afterwards. */
  *#record(
    path: string,
    names: readonly string[] | undefined,
    entries: Map<string, EntryState>,
    folders: [string, Hints | undefined][],
  ): Generator<void, boolean> {
    let anchor: AnchoredFolder;
    try {
      anchor = anchorFolder(this.#root, path);
    } catch {
      return false;
    }
    try {
      for (const name of names ?? namesIn(anchor.path) ?? []) {
        const before = entries.get(name);
        const state = yield* this.#recordEntry(anchor, name, join(path, name), before);
        this.#noteChange(path, name, before, state);
        if (!state) entries.delete(name);
        else entries.set(name, state);
        if (state?.kind === 'folder' && before?.kind !== 'folder') folders.push([name, undefined]);
        if (this.#writer.isFull || performance.now() > this.#sliceEndsMs) yield* this.#pause();
      }
    } finally {
      anchor.close();
    }
    return true;
  }

  *#recordEntry(
    anchor: AnchoredFolder,
    name: string,
    path: string,
    before: EntryState | undefined,
  ): Generator<void, EntryState | undefined> {
    const at = `${anchor.path}/${name}`;
    const stat = lstatSync(at, { throwIfNoEntry: false });
    if (!stat) {
      if (!name.includes(NOT_UTF8)) return undefined;
      // Its bytes are no UTF-8, so the name that we have does not open it.
      return { kind: 'ignored', ...NOWHERE, isFresh: true, reason: 'its name is not UTF-8' };
    }
    const identity = identityOf(stat);
    const isFresh = Math.max(stat.mtimeMs, stat.ctimeMs) > this.#startedAtMs - FRESH_MS;
    if (isTooDeep(path)) return { kind: 'ignored', ...identity, isFresh, reason: 'it is too deep down to be kept' };
    if (this.#rules.isExcluded?.(path)) return { kind: 'ignored', ...identity, isFresh: false };
    if (isFresh && (stat.mode & KIND) !== FOLDER) this.fresh.push(path);
    switch (stat.mode & KIND) {
      case FOLDER: {
        const mode = stat.mode & KEPT_MODE;
        return before?.kind === 'folder' ? { ...before, mode } : { ...EMPTY_FOLDER, mode };
      }
      case LINK:
        return { kind: 'link', ...identity, target: readlinkSync(at), isFresh };
      case FILE:
        return yield* this.#recordFile(at, path, stat, before);
      default:
        return { kind: 'ignored', ...identity, isFresh, reason: 'it is no file, folder or link' };
    }
  }

  *#recordFile(
    at: string,
    path: string,
    stat: Stats,
    before: EntryState | undefined,
  ): Generator<void, EntryState | undefined> {
    const isShared = this.#rules.isPublic?.(path) ?? false;
    let reason = 'it changed while it was read';
    try {
      const stored = yield* this.#store(at, isShared ? this.#writer.shared : this.#writer.private);
      if (stored) {
        const isFresh = Math.max(stored.stat.mtimeMs, stored.stat.ctimeMs) > this.#startedAtMs - FRESH_MS;
        const mode = stored.stat.mode & KEPT_MODE;
        if (stored.stat.mode & SET_ID) dropSetId(at);
        return { kind: 'file', ...identityOf(stored.stat), mode, ref: stored.ref, isShared, isFresh };
      }
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return undefined;
      if (code === undefined && !(error instanceof TooEmpty)) throw error;
      reason = code === undefined ? message : `it can not be read (${code})`;
    }
    this.fresh.push(path);
    // What it held before is at least something that it once held.
    if (before?.kind === 'file') return { ...before, isFresh: true, reason: `kept as it was before: ${reason}` };
    return { kind: 'ignored', ...identityOf(stat), isFresh: true, reason };
  }

  /** Tells of a big file's pieces as they come: nobody can see otherwise that it goes on. */
  *#store(at: string, writer: ObjectWriter): Generator<void, StoredFile | undefined> {
    const storing = storeFile(at, writer);
    let bytes = 0;
    try {
      for (;;) {
        const step = storing.next();
        if (step.done) {
          if (step.value) this.#progress.add({ files: 1, bytes: Math.max(0, step.value.stat.size - bytes) });
          return step.value;
        }
        bytes += step.value;
        this.#progress.add({ bytes: step.value });
        yield* this.#pause();
      }
    } finally {
      storing.return(undefined);
    }
  }

  #seal(entries: Map<string, EntryState>, before: FolderState | undefined): FolderState {
    const tree: TreeEntry[] = [];
    const sealed = { kind: 'folder' as const, mode: before?.mode ?? 0o755, entries, fileCount: 0, fileBytes: 0 };
    let reasonCount = 0;
    for (const [name, state] of entries) {
      const entry = treeEntryOf(name, state);
      if (entry) tree.push(entry);
      if (state.kind === 'folder') {
        sealed.fileCount += state.fileCount;
        sealed.fileBytes += state.fileBytes;
        reasonCount += state.reasonCount;
      } else if (state.kind === 'file') {
        sealed.fileCount++;
        sealed.fileBytes += state.sizeBytes;
      }
      if ('reason' in state && state.reason) reasonCount++;
    }
    return { ...sealed, reasonCount, ref: addTree(this.#writer, tree) };
  }

  *#pause(): Generator<void, void> {
    yield;
    this.#sliceEndsMs = performance.now() + SLICE_MS;
  }

  #noteChange(path: string, name: string, before?: EntryState, after?: EntryState): void {
    if (before && after && before.kind === after.kind) {
      const [was, is] = [before, after].map((state) => JSON.stringify(treeEntryOf(name, state)));
      if (was === is) return;
    }
    this.changed.push(join(path, name));
  }
}

/** With room below what Linux takes (4,096) for where it is kept beside the site. */
const MAX_FOLDERS = 100;
const MAX_PATH_BYTES = 3_072;

function isTooDeep(path: string): boolean {
  // Nearly all are far from both.
  if (path.length < MAX_FOLDERS) return false;
  return Buffer.byteLength(path) > MAX_PATH_BYTES || path.split('/').length > MAX_FOLDERS;
}

const NOWHERE = { inode: 0, sizeBytes: 0, modifiedMs: 0, changedMs: 0 };
const EMPTY_FOLDER = {
  kind: 'folder' as const,
  entries: new Map(),
  // Not sealed yet: the visit that follows gives it its ref.
  ref: '',
  fileCount: 0,
  fileBytes: 0,
  reasonCount: 0,
};

function identityOf(stat: Stats) {
  return { inode: stat.ino, sizeBytes: stat.size, modifiedMs: stat.mtimeMs, changedMs: stat.ctimeMs };
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}/${name}`;
}

const SET_ID = 0o6000;

/** Where a site's files belong to the platform's own user, whoever of the machine ran such a file would be the platform. */
function dropSetId(path: string): void {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const { mode } = fstatSync(file);
      if (mode & SET_ID) fchmodSync(file, mode & KEPT_MODE);
    } finally {
      closeSync(file);
    }
  } catch {
    // It is gone by now, or not ours to change.
  }
}
