import type { Row } from './row-codec.ts';
import type { Key, RowBlock, TableDescription } from './table-source.ts';

/** A database that a restore writes to. */
export interface TableTarget {
  /** Loads the rows of a table aside, in steps, where nobody sees them; `replace` then takes them. */
  stage(table: TableDescription): StagedTable;
  /** All of it happens or nothing. Others wait meanwhile, so everything slow is done before. */
  transaction<T>(work: (changes: TableChanges) => T): T;
  /** Throws away what was staged and never used. */
  discardStaged(): void;
}

export interface StagedTable {
  add(rows: readonly Row[]): void;
}

export interface TableChanges {
  drop(name: string): void;
  /** Makes the table what was staged, whatever was there. */
  replace(table: TableDescription): void;
  /** Removes rows by their keys, then adds rows; columns and key are those that the table has. */
  change(table: TableDescription, removed: readonly Row[], added: readonly Row[]): void;
  /** To be called last: what could not be there while rows moved, such as indexes, triggers and views. */
  finish(tables: readonly TableDescription[]): void;
  read(table: TableDescription, from: Key | null, to: Key | null): RowBlock;
}
