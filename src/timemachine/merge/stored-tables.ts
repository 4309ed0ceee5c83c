import type { ObjectReader, ObjectWriter, Ref } from '../content.ts';
import { type Cell, integerOfCell, rowOfCells } from '../tables/row-codec.ts';
import { addRange, addTableRoot, type BoundRange, readRanges, type TableOutline } from '../tables/table-root.ts';
import type { Key, TableDescription } from '../tables/table-source.ts';
import type { Addresses } from './addresses.ts';
import { keyPlaceOf } from './our-rows.ts';
import { rowsOfRange } from './stored-rows.ts';

/** About as much as a backup puts into one. */
const RANGE_BYTES = 8 * 1024;

export interface StoredTable {
  ref: Ref;
  ranges: BoundRange[];
}

/** A table of theirs as ours would have it. The objects are in no snapshot until ours has the table. */
export async function storeTranslated(
  { reader, writer, addresses }: { reader: ObjectReader; writer: ObjectWriter; addresses: Addresses },
  { description, nodes }: TableOutline,
): Promise<StoredTable> {
  const ranges: BoundRange[] = [];
  for (const range of await readRanges(reader, nodes)) {
    const rows = await rowsOfRange(reader, range.ref, description.columns.length);
    const bytes = Buffer.concat(rows.map((cells) => rowOfCells(cells.map(addresses.toOurs)).bytes));
    ranges.push({ ...range, ref: addRange(writer, bytes), bytes: bytes.length });
  }
  const { ref } = addTableRoot(writer, description, [ranges]);
  return { ref, ranges };
}

/** A table of these rows; undefined where only the database knows their order. */
export function storeRows(
  writer: ObjectWriter,
  table: TableDescription,
  rows: readonly Cell[][],
): StoredTable | undefined {
  const place = keyPlaceOf(table);
  if (place === undefined) return undefined;
  const numbered = rows.map((cells) => ({ number: integerOfCell(cells[place]), cells }));
  if (numbered.some(({ number }) => number === undefined)) return undefined;
  numbered.sort((a, b) => ((a.number as bigint) < (b.number as bigint) ? -1 : 1));
  const ranges: BoundRange[] = [];
  let low: Key | null = null;
  let pending: Buffer[] = [];
  let size = 0;
  const close = (high: Key | null) => {
    const bytes = Buffer.concat(pending);
    ranges.push({ low, high, ref: addRange(writer, bytes), rows: pending.length, bytes: bytes.length });
    [low, pending, size] = [high, [], 0];
  };
  for (const { number, cells } of numbered) {
    if (size >= RANGE_BYTES) close([number as bigint]);
    const { bytes } = rowOfCells(cells);
    pending.push(bytes);
    size += bytes.length;
  }
  if (pending.length > 0) close(null);
  const { ref } = addTableRoot(writer, table, [ranges]);
  return { ref, ranges };
}
