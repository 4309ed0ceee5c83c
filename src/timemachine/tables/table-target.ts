import type { Row } from './row-codec.ts';
import type { Key, RowBlock, TableDescription } from './table-source.ts';

/** A database that a restore writes to. Like a source it may be at the other end of a network. */
export interface TableTarget {
  /** Loads the rows of a table aside, batch by batch, where nobody sees them; `replace` then takes them. */
  stage(table: TableDescription, batches: AsyncIterable<readonly Row[]>): Promise<void>;
  /** All of it happens or nothing. Others wait meanwhile, so everything slow is done before. */
  transaction<T>(work: (changes: TableChanges) => Promise<T>): Promise<T>;
  /** Throws away what was staged and never used. */
  discardStaged(): Promise<void>;
  close(): Promise<void>;
}

export interface TableChanges {
  drop(name: string): Promise<void>;
  /** Makes the table what was staged, whatever was there. */
  replace(table: TableDescription): Promise<void>;
  /** Removes rows by their keys, then adds rows; columns and key are those that the table has. */
  change(table: TableDescription, removed: readonly Row[], added: readonly Row[]): Promise<void>;
  /** Whether the failure means that the table does not take a row. */
  isRefusal(error: unknown): boolean;
  /** To be called last: what could not be there while rows moved, such as indexes, triggers and views. */
  finish(tables: readonly TableDescription[]): Promise<void>;
  read(table: TableDescription, from: Key | null, to: Key | null): Promise<RowBlock>;
}
