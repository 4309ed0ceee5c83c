import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { KEPT_MODE } from '../tree.ts';
import type { EntryState, FolderState } from './file-state.ts';
import type { Hints } from './hints.ts';

/** The bits of a mode that say what it is. */
export const KIND = 0o170000;
export const FOLDER = 0o040000;
/** What a name's bytes become that are no UTF-8. */
export const NOT_UTF8 = '\ufffd';

export interface Look {
  /** Names to record; undefined for a new folder, of which everything is recorded by the names that its anchor shows. */
  changed: string[] | undefined;
  gone: string[];
  /** The folders in it, which are to be visited, with the hints for each. */
  folders: [string, Hints | undefined][];
}

/** What differs in one folder from what is known, by names and times alone. */
export function lookAtFolder(
  fullPath: string,
  before: FolderState | undefined,
  hints: Hints | undefined,
): Look | undefined {
  const changed: string[] = [];
  const gone: string[] = [];
  const folders: [string, Hints | undefined][] = [];
  if (!before) return { changed: undefined, gone, folders };
  const partial = hints !== undefined && !hints.isWhole;
  const names = partial ? hints.below.keys() : namesIn(fullPath);
  if (!names) return undefined;
  let known = 0;
  for (const name of names) {
    const state = before.entries.get(name);
    if (state) known++;
    const stat = statOf(`${fullPath}/${name}`);
    if (!stat && name.includes(NOT_UTF8)) {
      if (!state) changed.push(name);
      continue;
    }
    if (!stat) {
      if (state && partial) gone.push(name);
      else if (state) known--;
      continue;
    }
    if (state && state.kind !== 'folder' && isExcluded(state)) continue;
    if (state?.kind === 'folder' && (stat.mode & KIND) === FOLDER) {
      folders.push([name, partial ? hints.below.get(name) : undefined]);
      if ((stat.mode & KEPT_MODE) !== state.mode) changed.push(name);
    } else if (!state || !isUnchanged(state, stat)) changed.push(name);
  }
  if (!partial && known !== before.entries.size) {
    const present = new Set(names);
    for (const name of before.entries.keys()) {
      if (present.has(name) && name.includes(NOT_UTF8)) continue;
      if (!present.has(name) || !statOf(`${fullPath}/${name}`)) gone.push(name);
    }
  }
  return { changed, gone, folders };
}

/** Undefined when the folder is not there. */
export function namesIn(folder: string): string[] | undefined {
  try {
    return readdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    // The folder itself became something else just now.
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined;
    throw error;
  }
}

function isExcluded(state: EntryState): boolean {
  return state.kind === 'ignored' && state.reason === undefined;
}

function isUnchanged(state: EntryState, stat: Stats): boolean {
  return (
    state.kind !== 'folder' &&
    !state.isFresh &&
    state.inode === stat.ino &&
    state.changedMs === stat.ctimeMs &&
    state.modifiedMs === stat.mtimeMs &&
    state.sizeBytes === stat.size
  );
}
