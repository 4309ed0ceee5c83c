import { readFile } from 'node:fs/promises';
import { deserialize, serialize } from 'node:v8';
import type { Ref } from '../content.ts';
import type { SnapshotId } from '../snapshot.ts';
import type { FileOperations } from '../stores/file-operations.ts';
import type { FolderState } from './file-state.ts';

/**
 * What an archiver knows of a site, kept over a restart so that not all of it need be read again. It is a cache: when it
 * is missing, broken or of another snapshot, everything is read once.
 */
export interface KeptState {
  /** What the state belongs to: a snapshot of the site, or a copy, which has in common with its origin what is stored in that one's space. */
  of: { snapshot: string } | { space: string; tables: Record<string, Ref>; copiedAtMs: number };
  files: FolderState;
  fresh: readonly string[];
  tablesVersion: string | undefined;
  /** What of the store was known to be lost then; see Archiver. */
  lossName: string;
  /** Of the source of the tables, at that version. */
  knowledge: unknown;
}

const FORMAT = 3;
/** A pack that a copy relies on stays as long as one that a writer relies on (pause.ts), from which the first snapshot of it is made. */
const LONGEST_COPY_MS = 10 * 60_000;

export async function writeState(path: string, state: KeptState, operations: FileOperations): Promise<void> {
  await operations.remove(`${path}.new`);
  await operations.writeNew(`${path}.new`, [serialize({ format: FORMAT, state })], { mode: 0o600, durable: false });
  await operations.rename(`${path}.new`, path);
}

export async function readState(path: string): Promise<KeptState | undefined> {
  try {
    const { format, state } = deserialize(await readFile(path)) as { format: number; state: KeptState };
    return format === FORMAT ? state : undefined;
  } catch {
    return undefined;
  }
}

/** What a copy shares with its origin is stored because of that one: in its space, and later on it may be gone. */
export function isOf({ of }: KeptState, id: SnapshotId | undefined, space: string): boolean {
  if ('snapshot' in of) return of.snapshot === id?.hash;
  const ageMs = Date.now() - of.copiedAtMs;
  // A clock that was set back tells nothing.
  return of.space === space && ageMs >= 0 && ageMs < LONGEST_COPY_MS;
}
