import { readFile } from 'node:fs/promises';
import { deserialize, serialize } from 'node:v8';
import type { Ref } from '../content.ts';
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
