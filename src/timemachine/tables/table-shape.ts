import type { Cell } from './row-codec.ts';
import type { TableDescription } from './table-source.ts';

/** What a table asks of its rows, as far as two sides that add rows to it must know. */
export interface TableShape {
  /** Its key is a number that the database gave and that nobody sees: it may be another one tomorrow. */
  isKeyHidden: boolean;
  /** Columns that no two rows have alike, its own key apart; the primary key first. */
  uniques: UniqueColumns[];
  /** What a column holds where nobody says anything; undefined where that has to be worked out. */
  defaults: ReadonlyMap<string, Cell | undefined>;
}

export interface UniqueColumns {
  columns: readonly string[];
  /** Those in which the case of letters does not count. */
  caseless: ReadonlySet<string>;
}

/** In words of the database that the table comes from. */
export type ShapeOf = (table: TableDescription) => TableShape;

/** A table that never again gives a number that the other one has given, likewise. */
export type WithNumbersOf = (table: TableDescription, other: TableDescription) => TableDescription;
