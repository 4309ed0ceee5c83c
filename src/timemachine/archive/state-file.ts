import { readFile } from 'node:fs/promises';
import type { FileOperations } from '../stores/file-operations.ts';
import type { EntryState, FolderState } from './file-state.ts';

/**
 * What an archiver knows of the files, kept over a restart so that they need not all be read again. It is a cache: when it
 * is missing, broken or of another snapshot, everything is read once.
 */
export interface KeptState {
  /** The snapshot that the state belongs to. */
  snapshot: string;
  files: FolderState;
  fresh: readonly string[];
}

export async function writeState(path: string, state: KeptState, operations: FileOperations): Promise<void> {
  const json = JSON.stringify(state, (_, value) => (value instanceof Map ? { entries: [...value] } : value));
  await operations.remove(`${path}.new`);
  await operations.writeNew(`${path}.new`, [Buffer.from(json)], { durable: false });
  await operations.rename(`${path}.new`, path);
}

export async function readState(path: string): Promise<KeptState | undefined> {
  try {
    const kept = JSON.parse(await readFile(path, 'utf8')) as KeptState;
    return { ...kept, files: revive(kept.files) as FolderState };
  } catch {
    return undefined;
  }
}

function revive(state: EntryState): EntryState {
  if (state.kind !== 'folder') return state;
  const { entries } = state.entries as unknown as { entries: [string, EntryState][] };
  return { ...state, entries: new Map(entries.map(([name, below]) => [name, revive(below)])) };
}
