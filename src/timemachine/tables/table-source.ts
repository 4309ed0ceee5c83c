/**
 * What the time machine must know of a database: its tables, and their rows in the order of a key, all as of one instant.
 * SQLite is in sources/; other databases come in through the same door.
 */
export interface TableSource {
  /**
   * A text that is another one whenever anything in the database may have changed since, and may only be asked for
   * cheaply; undefined when the source can not tell.
   */
  version(): string | undefined;
  /** Opens a reader: everything it reads is of one instant, whatever others write meanwhile. */
  open(): TableReader;
  /** Whether the failure only means that somebody else holds the database just now. */
  isBusy?(error: unknown): boolean;
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
  changedSince?(version: string | undefined): ReadonlyMap<string, readonly KeySpan[] | undefined> | undefined;
  /** The rows with `from` <= key < `to`, in the order of the key, as row-codec.ts writes them. */
  read(table: TableDescription, from: Key | null, to: Key | null): RowBlock;
  /** Of the rows that `read` would give, the key of the one after the first `count`; null when there are not so many. */
  keyAfter(table: TableDescription, from: Key | null, to: Key | null, count: number): Key | null;
  /** Why one table can not be read where the others can; undefined when the failure means more than that. */
  reasonToSkip?(error: unknown): string | undefined;
  close(): void;
}

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
