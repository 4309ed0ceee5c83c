import { type Cell, cellOfInteger, integerOfCell } from '../tables/row-codec.ts';
import type { TableDescription } from '../tables/table-source.ts';
import type { Addresses } from './addresses.ts';
import type { Cells } from './identity.ts';

/** One row that theirs has changed: as both once had it, and as theirs has it; undefined where it is not there. */
export interface TheirChange {
  before: Cells | undefined;
  after: Cells | undefined;
}

export interface MergedRow {
  /** The row to have; undefined for none. */
  cells: Cells | undefined;
  /** Both have changed the same of it, in different ways. */
  isConflict: boolean;
}

export interface RowMerging {
  table: TableDescription;
  addresses: Addresses;
  isCount(column: string): boolean;
  /** Columns that may differ without a meaning. */
  hidden: ReadonlySet<number>;
}

/**
 * What a row of ours becomes by a change of theirs, column by column: what only one side changed is that side's. Where both changed
 * a column in different ways, theirs is taken, and it is said.
 */
export function mergeRow(how: RowMerging, ours: Cells | undefined, { before, after }: TheirChange): MergedRow {
  const { neutral, toOurs } = how.addresses;
  const translated = (cells: Cells): Cells => cells.map((cell) => cell && toOurs(cell));
  const isAs = (theirs: Cells) =>
    ours?.every((cell, at) => {
      const other = theirs[at];
      if (how.hidden.has(at) || cell === undefined || other === undefined) return true;
      return isSame(neutral.ours(cell), neutral.theirs(other));
    }) ?? false;
  if (!after) {
    if (!ours) return { cells: undefined, isConflict: false };
    return { cells: undefined, isConflict: !before || !isAs(before) };
  }
  if (!ours) return { cells: translated(after), isConflict: before !== undefined };
  if (isAs(after) && after.every((cell, at) => cell === undefined || ours[at] !== undefined))
    return { cells: ours, isConflict: false };
  let isConflict = false;
  const cells = how.table.columns.map((column, at): Cell | undefined => {
    const [own, was, other] = [ours[at], before?.[at], after[at]];
    if (own === undefined) return other && toOurs(other);
    if (other === undefined || how.hidden.has(at)) return own;
    const [neutralOwn, neutralOther] = [neutral.ours(own), neutral.theirs(other)];
    if (isSame(neutralOwn, neutralOther)) return own;
    if (was === undefined) {
      // Both came to it by themselves; where only the column is new, ours stays.
      if (before) return own;
      isConflict = true;
      return toOurs(other);
    }
    if (isSame(was, other)) return own;
    if (isSame(neutralOwn, neutral.theirs(was))) return toOurs(other);
    const sum = how.isCount(column) ? addedUp(own, was, other) : undefined;
    if (sum) return sum;
    isConflict = true;
    return toOurs(other);
  });
  return { cells, isConflict };
}

function addedUp(own: Cell, was: Cell, other: Cell): Cell | undefined {
  const [a, b, c] = [own, was, other].map(integerOfCell);
  return a === undefined || b === undefined || c === undefined ? undefined : cellOfInteger(a + c - b);
}

function isSame(a: Cell, b: Cell): boolean {
  return a === b || a.equals(b);
}

/** Whether two rows of one side are alike, but for what has no meaning. */
export function isSameRowOf(hidden: ReadonlySet<number>, a: Cells, b: Cells): boolean {
  return a.every((cell, at) => {
    const other = b[at];
    return hidden.has(at) || (cell && other ? isSame(cell, other) : cell === other);
  });
}
