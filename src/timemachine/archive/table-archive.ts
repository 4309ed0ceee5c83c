import type { Ref } from '../content.ts';
import { hashOf } from '../hash.ts';
import type { SiteWriter } from '../repository.ts';
import { addRange, addTableRoot, type Range, type TableNode, type TableRoot } from '../tables/table-root.ts';
import type { Key, KeySpan, SqlValue, TableDescription, TableReader } from '../tables/table-source.ts';

/** A changed row stores about this much; smaller ranges would make the lists of ranges the bigger part. */
const RANGE_BYTES = 8 * 1024;
const FIRST_ROWS = 32;

export interface TableState {
  ref: Ref;
  root: TableRoot;
}

/**
 * Stores one table. The ranges of the snapshot before are kept, so that rows which did not change are in ranges which did
 * not change; those that grew are cut. Yields after every node, so that packs can be written meanwhile.
 */
export function* storeTable(
  reader: TableReader,
  description: TableDescription,
  before: TableState | undefined,
  changed: readonly KeySpan[] | undefined,
  writer: SiteWriter,
): Generator<void, TableState> {
  const isSameShape =
    before && JSON.stringify(shapeOf(before.root.description)) === JSON.stringify(shapeOf(description));
  if (description.key.length === 0) {
    const { bytes, rows } = reader.read(description, null, null);
    const range = { low: null, ref: addRange(writer, bytes), rows, bytes: bytes.length };
    return addTableRoot(writer, description, [[range]]);
  }
  const nodes = isSameShape && !isFragmented(before.root) ? before.root.nodes : [];
  if (nodes.length === 0) {
    const ranges: Range[] = [];
    for (const range of cutRange(reader, description, null, null, writer)) {
      ranges.push(range);
      if (writer.isFull) yield;
    }
    return addTableRoot(writer, description, [ranges]);
  }
  const suspects = changed && suspectRanges(nodes, changed);
  const groups: (Range[] | TableNode)[] = [];
  let isEmptySoFar = true;
  for (const [index, node] of nodes.entries()) {
    const after = nodes[index + 1]?.ranges[0]?.low ?? null;
    const ranges: Range[] = [];
    let isChanged = false;
    for (const [place, range] of node.ranges.entries()) {
      if (suspects && !suspects.has(range)) {
        ranges.push(range);
        continue;
      }
      const high = node.ranges[place + 1]?.low ?? after;
      const block = reader.read(description, range.low, high);
      if (isSameBlock(range, block.bytes)) ranges.push(range);
      else {
        isChanged = true;
        ranges.push(...cutRange(reader, description, range.low, high, writer, block));
      }
    }
    // The first range reaches down to the smallest key there can be, whichever range that is now.
    const first = ranges[0];
    if (isEmptySoFar && first && first.low !== null) {
      ranges[0] = { ...first, low: null };
      isChanged = true;
    }
    if (ranges.length > 0) {
      isEmptySoFar = false;
      groups.push(isChanged ? ranges : node);
    }
    yield;
  }
  const stored = addTableRoot(writer, description, groups);
  return stored.ref === before?.ref ? before : stored;
}

function isSameBlock(range: Range, bytes: Buffer): boolean {
  // What is stored in chunks is simply cut again, which finds the same chunks.
  return range.bytes === bytes.length && !range.ref.startsWith('+') && hashOf(bytes) === range.ref;
}

/** Cuts the rows between two keys into ranges of about the right size; rows that are gone leave no range. */
function* cutRange(
  reader: TableReader,
  table: TableDescription,
  low: Key | null,
  high: Key | null,
  writer: SiteWriter,
  known?: { bytes: Buffer; rows: number },
): Generator<Range> {
  if (known && known.rows === 0) return;
  if (known && (known.bytes.length <= 2 * RANGE_BYTES || known.rows === 1)) {
    yield { low, ref: addRange(writer, known.bytes), rows: known.rows, bytes: known.bytes.length };
    return;
  }
  let count = known ? Math.max(1, Math.floor((RANGE_BYTES * known.rows) / known.bytes.length)) : FIRST_ROWS;
  for (let from = low; ; ) {
    const next = reader.keyAfter(table, from, high, count);
    const block = reader.read(table, from, next ?? high);
    if (block.bytes.length > 4 * RANGE_BYTES && block.rows > 1 && count > 1) {
      count = Math.max(1, Math.floor((RANGE_BYTES * block.rows) / block.bytes.length));
      continue;
    }
    if (block.rows > 0) {
      yield { low: from, ref: addRange(writer, block.bytes), rows: block.rows, bytes: block.bytes.length };
      count = Math.max(1, Math.floor((RANGE_BYTES * block.rows) / block.bytes.length));
    }
    if (next === null) return;
    from = next;
  }
}

/** The ranges that hold changed rows; undefined when only the database could tell, for its order of keys is its own. */
function suspectRanges(nodes: readonly TableNode[], changed: readonly KeySpan[]): Set<Range> | undefined {
  const ranges = nodes.flatMap((node) => node.ranges);
  const lows = ranges.map(({ low }) => low?.[0]);
  const suspects = new Set<Range>();
  for (const { first, last } of changed) {
    const [from, to] = [placeOf(first, lows), placeOf(last, lows)];
    if (from === undefined || to === undefined) return undefined;
    for (let place = from; place <= to; place++) suspects.add(ranges[place] as Range);
  }
  return suspects;
}

/** Which range a key belongs to, found by the keys that the ranges begin with; the first one begins before everything. */
function placeOf(key: Key, lows: readonly (SqlValue | undefined)[]): number | undefined {
  const [value] = key;
  if (key.length !== 1 || typeof value !== 'bigint') return undefined;
  let from = 0;
  let to = lows.length - 1;
  while (from < to) {
    const middle = (from + to + 1) >> 1;
    const low = lows[middle];
    if (typeof low !== 'bigint') return undefined;
    if (low <= value) from = middle;
    else to = middle - 1;
  }
  return from;
}

/** Many removed rows leave ranges that are hardly worth their place in the list; then it is cut anew. */
function isFragmented(root: TableRoot): boolean {
  const ranges = root.nodes.flatMap((node) => node.ranges);
  const bytes = ranges.reduce((sum, range) => sum + range.bytes, 0);
  return ranges.length > 64 && bytes / ranges.length < RANGE_BYTES / 4;
}

function shapeOf({ columns, key }: TableDescription) {
  return { columns, key };
}
