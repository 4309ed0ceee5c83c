/** A value as both SQLite and MariaDB know it. */
export type SqlValue = string | number | bigint | null | Uint8Array;
export type SqlRow = Record<string, SqlValue>;

/**
 * A site's database. Whatever is in there is the site's own, down to its schema, and may have been made to hurt whoever
 * reads it: a driver asks it in a process of its own, for a limited time.
 */
export interface SiteDatabase {
  tables(): Promise<string[]>;
  /** One statement in a transaction of its own. */
  query(sql: string, ...values: SqlValue[]): Promise<SqlRow[]>;
  /**
   * Gives the site another address: every URL of the one that the database names as its own is rewritten, in one
   * transaction. Doing it again changes nothing.
   */
  moveTo(url: string): Promise<void>;
  /** The highest number that each table has given to a row, of those that number their rows. */
  numbers(): Promise<Record<string, number>>;
  /**
   * Every table that numbers its rows goes on in a million of its own, above the numbers that another site has given by now: so rows
   * that the two add, which had the same ones before, never have the same number.
   */
  spreadNumbers(above: Record<string, number>): Promise<void>;
  close(): Promise<void> | void;
}
