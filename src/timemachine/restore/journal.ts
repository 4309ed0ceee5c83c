import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ref } from '../content.ts';
import type { FileOperations } from '../stores/file-operations.ts';
import type { TableDescription } from '../tables/table-source.ts';

/**
 * What a restore has decided. Until the journal is there, nothing of the site was touched and the staging folder can be
 * thrown away; from then on the restore is finished, if need be by `recover`. Every step may be done twice.
 */
export interface Journal {
  format: 1;
  steps: FileStep[];
  /** The tables to have in the end, and those to drop; null when the restore is of files alone. */
  tables: { wanted: Record<string, Ref>; dropped: string[]; merged?: JournaledMerge[] } | null;
}

/** A table that becomes a mixture, which is stored nowhere: the rows are here, in base64 of row-codec.ts. */
export interface JournaledMerge {
  table: TableDescription;
  removed: string;
  added: string;
  spans: [low: unknown, high: unknown][];
}

export type FileStep =
  | { do: 'remove'; path: string; what: 'file' | 'folder' }
  /** What is in the way goes into the staging folder under this name. Something else comes in its place, so a removal could
   * not be told from one that was done before; this can. */
  | { do: 'aside'; path: string; staged: string }
  | { do: 'folder'; path: string; mode: number }
  /** A file or link waits in the staging folder under this name. */
  | { do: 'place'; path: string; staged: string }
  | { do: 'attributes'; path: string; mode: number; modifiedUs: number };

const NAME = 'journal.json';
const UNFINISHED = 'journal.new';
/** Where files wait, and where goes what was in the way, below the staging folder. */
export const STAGED = 'new';
export const ASIDE = 'old';

/** The one step that decides: everything staged is durable before it, the journal is durable after it. */
export async function writeJournal(folder: string, journal: Journal, operations: FileOperations): Promise<void> {
  await operations.syncFolder(join(folder, STAGED));
  await operations.writeNew(join(folder, UNFINISHED), [Buffer.from(JSON.stringify(journal))]);
  await operations.rename(join(folder, UNFINISHED), join(folder, NAME));
  await operations.syncFolder(folder);
}

export async function readJournal(folder: string): Promise<Journal | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, NAME), 'utf8')) as Journal;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The journal goes first: without it the rest is only rubbish, with it and without the rest it could not be finished. */
export async function removeJournal(folder: string, operations: FileOperations): Promise<void> {
  await operations.remove(join(folder, NAME));
  await operations.syncFolder(folder).catch((error) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await operations.remove(folder);
}
