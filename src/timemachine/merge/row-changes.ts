import type { ObjectReader } from '../content.ts';
import { type Cell, cellsOf, textOfCell } from '../tables/row-codec.ts';
import { differingRanges, differingRows, isMadeAlike, MOST_BYTES } from '../tables/row-difference.ts';
import type { TableOutline } from '../tables/table-root.ts';
import type { TableDescription } from '../tables/table-source.ts';
import { aligner, type Cells, type Identity } from './identity.ts';
import { isSameRowOf, type TheirChange } from './merge-row.ts';
import { addTo, contentOf, UNNAMED } from './our-rows.ts';
import { allRows, bytesOf } from './stored-rows.ts';

export interface RowNaming {
  /** Whose columns the rows are told in. */
  table: TableDescription;
  identity: Identity | undefined;
  hidden: ReadonlySet<number>;
  isLeftOut(cells: Cells): boolean;
  /** How the side that the rows are of, then and now, names nobody's address. */
  neutral: { before(cell: Cell): Cell; after(cell: Cell): Cell };
}

/**
 * The rows that a side has changed, by what names them; rows without a name are told apart by numbers that mean nothing. With
 * `isWhole` also those that are the same, for a table that is made anew needs all of them.
 */
export async function rowChanges(
  reader: ObjectReader,
  naming: RowNaming,
  before: TableOutline | undefined,
  after: TableOutline,
  isWhole: boolean,
): Promise<Map<string, TheirChange> | 'made' | 'large'> {
  const changes = new Map<string, TheirChange>();
  const align = {
    before: before && aligner(before.description, naming.table),
    after: aligner(after.description, naming.table),
  };
  let unnamed = 0;
  const note = (side: 'before' | 'after', stored: Cells) => {
    const cells = align[side]?.(stored) ?? [];
    if (naming.isLeftOut(cells)) return;
    const id = naming.identity?.of(cells, naming.neutral[side]) ?? `${UNNAMED}${unnamed++}`;
    changes.set(id, { before: undefined, after: undefined, ...changes.get(id), [side]: cells });
  };
  if (before && isMadeAlike(before.description, after.description)) {
    const ranges = await differingRanges(reader, before, after);
    const rows = [...ranges.before, ...ranges.after].reduce((sum, range) => sum + range.rows, 0);
    if (ranges.bytes > MOST_BYTES || isTooMuch(rows, after)) return 'large';
    for (const row of (await differingRows(reader, after.description, ranges)).values()) {
      if (row.before) note('before', cellsOf(row.before));
      if (row.after) note('after', cellsOf(row.after));
    }
    pairUnnamed(changes, naming.hidden);
  } else {
    if (!naming.identity) return 'made';
    const bytes = (before ? await bytesOf(reader, before) : 0) + (await bytesOf(reader, after));
    if (bytes > MOST_BYTES || isTooMuch((before?.rows ?? 0) + after.rows, after)) return 'large';
    if (before) for await (const cells of allRows(reader, before)) note('before', cells);
    for await (const cells of allRows(reader, after)) note('after', cells);
  }
  if (isWhole) return changes;
  const moved = (cells: Cells | undefined, move: (cell: Cell) => Cell) => cells?.map((cell) => cell && move(cell));
  for (const [id, change] of changes) {
    const { before: was, after: is } = change;
    if (isNothing({ before: moved(was, naming.neutral.before), after: moved(is, naming.neutral.after) }, naming.hidden))
      changes.delete(id);
  }
  return changes;
}

/** Each value that is held takes some hundred bytes, however short it is. */
const MOST_VALUES = 3_000_000;

export function isTooMuch(rows: number, { description }: TableOutline): boolean {
  return rows * description.columns.length > MOST_VALUES;
}

/** The same row may only have got another number, or a column that one of the two does not have. */
export function isNothing({ before, after }: TheirChange, hidden: ReadonlySet<number>): boolean {
  if (!before || !after) return false;
  const isOfOne = (at: number) => before[at] === undefined || after[at] === undefined;
  return isSameRowOf(new Set([...hidden, ...[...before.keys()].filter(isOfOne)]), before, after);
}

/** Such rows that went and came with the same content have only got another number. */
function pairUnnamed(changes: Map<string, TheirChange>, hidden: ReadonlySet<number>): void {
  const gone = new Map<string, string[]>();
  for (const [id, { before }] of changes)
    if (before && id.startsWith(UNNAMED)) addTo(gone, contentOf(before, hidden), id);
  for (const [id, { after }] of changes) {
    const twin = after && id.startsWith(UNNAMED) ? gone.get(contentOf(after, hidden))?.pop() : undefined;
    if (twin === undefined) continue;
    changes.delete(id);
    changes.delete(twin);
  }
}

/** Whether a row is one of those that a rule names by one of its columns. */
export function fitsPattern(
  table: TableDescription,
  rule: { column: string; pattern: RegExp } | undefined,
  cells: Cells | undefined,
): boolean {
  const cell = rule && cells?.[table.columns.indexOf(rule.column)];
  const text = cell && textOfCell(cell)?.toString();
  return text !== undefined && (rule?.pattern.test(text) ?? false);
}
