/**
 * What the time machine must know of a database: its tables, and their rows in the order of a key, all as of one instant.
 * Rows come in blocks, so that one question brings many of them: a database may be at the other end of a network. SQLite is
 * in sources/; other databases come in through the same door.
 */
export interface TableSource {
  /**
   * A text that is another one whenever anything in the database may have changed since, and may only be asked for
   * cheaply; undefined when the source can not tell.
   */
  version(): Promise<string | undefined>;
  /** Opens a reader: everything it reads is of one instant, whatever others write meanwhile. */
  open(): Promise<TableReader>;
  /** What the reader of that version saw, for the next process to go on from; anything that can be written down. */
  knowledge?(version: string | undefined): unknown;
  recall?(knowledge: unknown): void;
  /** Whether the failure only means that somebody else holds the database just now. */
  isBusy?(error: unknown): boolean;
  close(): Promise<void>;
}

export interface TableReader {
  /** The version that this reader sees. */
  readonly version: string | undefined;
  readonly tables: readonly TableDescription[];
  /** What is a table but can not be stored, with the reason. */
  readonly skipped: readonly { name: string; reason: string }[];
  /**
   * Where rows may have been added, changed or removed since the reader of that version, by table; nothing for a table, or
   * for all of them, where the source can not tell, and then all rows are read. Tables that are not in the map did not
   * change. A source may remember what it sees here until the next reader asks, so it is to be called for each, and before
   * anything is read, also when there is no version yet.
   */
  changedSince?(version: string | undefined): Promise<ChangedKeys | undefined>;
  /** The rows with `from` <= key < `to`, in the order of the key, as row-codec.ts writes them. */
  read(table: TableDescription, from: Key | null, to: Key | null): Promise<RowBlock>;
  /** The same rows in blocks of about the size; none of them is empty. */
  cut(table: TableDescription, from: Key | null, to: Key | null, size: BlockSize): AsyncIterable<CutBlock>;
  /** Why one table can not be read where the others can; undefined when the failure means more than that. */
  reasonToSkip?(error: unknown): string | undefined;
  close(): Promise<void>;
}

/** By table. */
type ChangedKeys = ReadonlyMap<string, readonly KeySpan[] | undefined>;

export interface TableDescription {
  name: string;
  /** What each row holds, in order. */
  columns: readonly string[];
  /** The columns that name and order the rows; empty when there is no key, and the table is then stored as one piece. */
  key: readonly string[];
  /** Everything else that makes the table, in words of its source; compared as a whole and given back to a restore. */
  schema: unknown;
}

export type SqlValue = null | bigint | number | string | Uint8Array;

export type Key = readonly SqlValue[];

/** The keys from the first to the last, with both of them. */
export interface KeySpan {
  first: Key;
  last: Key;
}

export interface RowBlock {
  bytes: Buffer;
  rows: number;
}

export interface BlockSize {
  bytes: number;
  /** How many rows that may be, where it is known better than by a guess. */
  rows: number | undefined;
}

export interface CutBlock extends RowBlock {
  /** The key of its first row, or where the first block begins. */
  low: Key | null;
}
