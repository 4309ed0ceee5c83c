import { type ObjectReader, type Ref, readContent } from '../content.ts';
import { type Cell, cellsOf, decodeRows } from '../tables/row-codec.ts';
import { readRanges, type TableOutline } from '../tables/table-root.ts';
import type { SqlValue } from '../tables/table-source.ts';
import type { Cells } from './identity.ts';

/** All rows of a stored table. */
export async function* allRows(reader: ObjectReader, outline: TableOutline): AsyncGenerator<Cells> {
  const { columns } = outline.description;
  for (const { ref } of await readRanges(reader, outline.nodes)) yield* await rowsOfRange(reader, ref, columns.length);
}

export async function rowsOfRange(reader: ObjectReader, ref: Ref, columnCount: number): Promise<Cell[][]> {
  return decodeRows(await readContent(reader, ref), columnCount).map(cellsOf);
}

/** How many bytes all of it is. */
export async function bytesOf(reader: ObjectReader, outline: TableOutline): Promise<number> {
  return (await readRanges(reader, outline.nodes)).reduce((sum, { bytes }) => sum + bytes, 0);
}

/** The rows among which those with the numbers are, for a table whose key is a number. Ranges without any are not read. */
export async function* rowsAround(
  reader: ObjectReader,
  outline: TableOutline,
  numbers: readonly bigint[],
): AsyncGenerator<Cells> {
  const sorted = numbers.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const nodes = outline.nodes.filter((node) => holdsAny(sorted, node));
  for (const range of await readRanges(reader, nodes)) {
    if (!holdsAny(sorted, range)) continue;
    yield* await rowsOfRange(reader, range.ref, outline.description.columns.length);
  }
}

interface Bounds {
  low: readonly SqlValue[] | null;
  high: readonly SqlValue[] | null;
}

function holdsAny(sorted: readonly bigint[], { low, high }: Bounds): boolean {
  const [from, to] = [low?.[0], high?.[0]];
  const first = typeof from === 'bigint' ? firstFrom(sorted, from) : sorted[0];
  return first !== undefined && (typeof to !== 'bigint' || first < to);
}

/** The smallest that is not below the bound. */
function firstFrom(sorted: readonly bigint[], bound: bigint): bigint | undefined {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((sorted[middle] as bigint) < bound) from = middle + 1;
    else to = middle;
  }
  return sorted[from];
}
