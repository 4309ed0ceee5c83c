import { type Cell, textOfCell } from '../tables/row-codec.ts';
import type { TableShape, UniqueColumns } from '../tables/table-shape.ts';
import type { TableDescription } from '../tables/table-source.ts';

/** A row in cells, in the order of its table's columns. Two sides may not have all columns alike. */
export type Cells = readonly (Cell | undefined)[];

/** What makes a row of one side the same row as one of the other. */
export interface Identity {
  columns: readonly string[];
  /** It is the key that the table is ordered by. */
  isKey: boolean;
  /** The same for two rows exactly when they are the same row, as `move` has their cells; undefined where it has none. */
  of(cells: Cells, move?: (cell: Cell) => Cell): string | undefined;
}

/**
 * By name where the rules have one, otherwise by the key, and where that is hidden by what the table itself calls unique.
 * Undefined where there is nothing of it: then rows can only come and go.
 */
export function identityOf(
  table: TableDescription,
  shape: TableShape,
  named: readonly string[] | undefined,
): Identity | undefined {
  const known = named?.every((column) => table.columns.includes(column)) ? named : undefined;
  if (known) return identityBy(table, { columns: known, caseless: new Set(known) }, false);
  if (!shape.isKeyHidden && table.key.length > 0)
    return identityBy(table, { columns: table.key, caseless: new Set() }, true);
  const [unique] = shape.uniques;
  return unique && identityBy(table, unique, false);
}

export function identityBy({ columns }: TableDescription, unique: UniqueColumns, isKey: boolean): Identity {
  const places = unique.columns.map((column) => ({
    at: columns.indexOf(column),
    caseless: unique.caseless.has(column),
  }));
  return {
    columns: unique.columns,
    isKey,
    of(cells, move = (cell) => cell) {
      const parts: string[] = [];
      for (const { at, caseless } of places) {
        const found = cells[at];
        const cell = found && move(found);
        const text = cell?.toString('latin1');
        // Nothing is the same as nothing to no database.
        if (cell === undefined || text === undefined || text === 'n') return undefined;
        parts.push(caseless && textOfCell(cell) ? text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()) : text);
      }
      return parts.join('|');
    },
  };
}

/** Rows of one table in the order of another one's columns. */
export function aligner(from: TableDescription, to: TableDescription): (cells: Cells) => Cells {
  if (from.columns.join('\0') === to.columns.join('\0')) return (cells) => cells;
  const places = to.columns.map((column) => from.columns.indexOf(column));
  return (cells) => places.map((place) => (place < 0 ? undefined : cells[place]));
}
