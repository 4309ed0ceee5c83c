import type { Ref } from '../content.ts';
import type { TreeEntry } from '../tree.ts';

/**
 * What the last walk saw, so that the next one reads only what changed. States are never modified: a walk makes new ones
 * for the folders that changed and shares the rest, and a snapshot that fails leaves the old state as it was.
 */
export type EntryState = FileState | FolderState | LinkState | IgnoredState;

interface Identity {
  inode: number;
  sizeBytes: number;
  modifiedMs: number;
  changedMs: number;
}

export interface FileState extends Identity {
  kind: 'file';
  mode: number;
  ref: Ref;
  isShared: boolean;
  /** It changed so shortly before it was read that a later change may not show in its times: read it again. */
  isFresh: boolean;
  /** Why this is not what the file held at the time of the snapshot. */
  reason?: string;
}

interface LinkState extends Identity {
  kind: 'link';
  target: string;
  isFresh: boolean;
}

/** Not stored: excluded by the caller (no reason), or something that can not be stored (with the reason). */
interface IgnoredState extends Identity {
  kind: 'ignored';
  reason?: string;
  isFresh: boolean;
}

export interface FolderState {
  kind: 'folder';
  mode: number;
  entries: Map<string, EntryState>;
  ref: Ref;
  /** Of everything below. */
  fileCount: number;
  fileBytes: number;
  /** How many entries below have a reason to tell. */
  reasonCount: number;
}

export function treeEntryOf(name: string, state: EntryState): TreeEntry | undefined {
  switch (state.kind) {
    case 'file': {
      const { mode, sizeBytes, ref, isShared } = state;
      return { kind: 'file', name, mode, modifiedUs: Math.round(state.modifiedMs * 1000), sizeBytes, ref, isShared };
    }
    case 'folder':
      return { kind: 'folder', name, mode: state.mode, ref: state.ref };
    case 'link':
      return { kind: 'link', name, target: state.target };
    case 'ignored':
      return undefined;
  }
}

export function* reasonsBelow(folder: FolderState, path = ''): Generator<{ name: string; reason: string }> {
  if (folder.reasonCount === 0) return;
  for (const [name, state] of folder.entries) {
    const below = path === '' ? name : `${path}/${name}`;
    if (state.kind === 'folder') yield* reasonsBelow(state, below);
    else if (state.kind !== 'link' && state.reason) yield { name: below, reason: state.reason };
  }
}
