import {
  addContent,
  isRef,
  type ObjectReader,
  type ObjectWriter,
  parseJson,
  type Ref,
  readContent,
} from './content.ts';
import { corruptObject } from './hash.ts';

/**
 * A folder as an object: a JSON array of its entries, sorted by name. Equal folders are one object, so snapshots share all
 * that did not change, and two trees are compared without looking into what they share.
 */
export type TreeEntry = FileEntry | FolderEntry | LinkEntry;

/** What is kept of a mode. Whoever ran a file with more than that would be somebody else, and no site has a use for that. */
export const KEPT_MODE = 0o777;

export interface FileEntry {
  kind: 'file';
  name: string;
  mode: number;
  modifiedUs: number;
  sizeBytes: number;
  ref: Ref;
  /** Public files are in the pool that all owners share. */
  isShared: boolean;
}

export interface FolderEntry {
  kind: 'folder';
  name: string;
  mode: number;
  ref: Ref;
}

export interface LinkEntry {
  kind: 'link';
  name: string;
  target: string;
}

/** Folders with thousands of files are stored in chunks, so that one new file does not store all names again. */
const WHOLE_BELOW = 128 * 1024;

export function addTree(writer: ObjectWriter, entries: TreeEntry[]): Ref {
  const sorted = entries.sort((a, b) => (a.name < b.name ? -1 : 1)).map(encode);
  return addContent(writer, Buffer.from(`[${sorted.join(',\n')}]`), WHOLE_BELOW);
}

export async function readTree(reader: ObjectReader, ref: Ref): Promise<TreeEntry[]> {
  const rows = parseJson(await readContent(reader, ref), `folder ${ref}`);
  if (!Array.isArray(rows)) throw corruptObject(`folder ${ref} is no list`);
  return rows.map((row) => decode(row, ref));
}

function encode(entry: TreeEntry): string {
  switch (entry.kind) {
    case 'file': {
      const { name, mode, modifiedUs, sizeBytes, ref, isShared } = entry;
      return JSON.stringify([name, 'f', mode, modifiedUs, sizeBytes, ref, ...(isShared ? ['shared'] : [])]);
    }
    case 'folder':
      return JSON.stringify([entry.name, 'd', entry.mode, entry.ref]);
    case 'link':
      return JSON.stringify([entry.name, 'l', entry.target]);
  }
}

function decode(row: unknown, ref: Ref): TreeEntry {
  if (!Array.isArray(row) || !isName(row[0])) throw corruptObject(`folder ${ref} has a bad name`);
  const name = row[0];
  if (row[1] === 'f' && isRef(row[5])) {
    return {
      kind: 'file',
      name,
      mode: Number(row[2]) & KEPT_MODE,
      modifiedUs: Number(row[3]),
      sizeBytes: Number(row[4]),
      ref: row[5],
      isShared: row[6] === 'shared',
    };
  }
  if (row[1] === 'd' && isRef(row[3])) return { kind: 'folder', name, mode: Number(row[2]) & KEPT_MODE, ref: row[3] };
  if (row[1] === 'l' && typeof row[2] === 'string') return { kind: 'link', name, target: row[2] };
  throw corruptObject(`folder ${ref} has a bad entry ${name}`);
}

/** A name from a store becomes a path of a restore, so it must not lead out of its folder. */
function isName(name: unknown): name is string {
  return typeof name === 'string' && name !== '' && name !== '.' && name !== '..' && !/[/\0]/.test(name);
}
