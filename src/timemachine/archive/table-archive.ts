import type { Ref } from '../content.ts';
import { hashOf } from '../hash.ts';
import type { SiteWriter } from '../repository.ts';
import { addRange, addTableRoot, type Range, type TableNode, type TableRoot } from '../tables/table-root.ts';
import type { Key, KeySpan, RowBlock, SqlValue, TableDescription, TableReader } from '../tables/table-source.ts';
import { pause } from './pause.ts';

/** A changed row stores about this much; smaller ranges would make the lists of ranges the bigger part. */
const RANGE_BYTES = 8 * 1024;

const PAUSE_RANGES = 256;

export interface TableState {
  ref: Ref;
  root: TableRoot;
}

/**
 * Stores one table. The ranges of the snapshot before are kept, so that rows which did not change are in ranges which did
 * not change; those that grew are cut. Between nodes packs are written, and the process does its other work.
 */
export async function storeTable(
  reader: TableReader,
  description: TableDescription,
  before: TableState | undefined,
  changed: readonly KeySpan[] | undefined,
  writer: SiteWriter,
): Promise<TableState> {
  const isSameShape =
    before && JSON.stringify(shapeOf(before.root.description)) === JSON.stringify(shapeOf(description));
  if (description.key.length === 0) {
    const block = await reader.read(description, null, null);
    return addTableRoot(writer, description, [[rangeOf(null, block, writer)]]);
  }
  const nodes = isSameShape && !isFragmented(before.root) ? before.root.nodes : [];
  if (nodes.length === 0) {
    const ranges: Range[] = [];
    for await (const block of reader.cut(description, null, null, { bytes: RANGE_BYTES, rows: undefined })) {
      ranges.push(rangeOf(block.low, block, writer));
      if (writer.isFull || ranges.length % PAUSE_RANGES === 0) await pause(writer);
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
      const block = await reader.read(description, range.low, high);
      if (isSameBlock(range, block.bytes)) ranges.push(range);
      else {
        isChanged = true;
        ranges.push(...(await cutAgain(reader, description, range.low, high, writer, block)));
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
    await pause(writer);
  }
  const stored = addTableRoot(writer, description, groups);
  return stored.ref === before?.ref ? before : stored;
}

function isSameBlock(range: Range, bytes: Buffer): boolean {
  // What is stored in chunks is simply cut again, which finds the same chunks.
  return range.bytes === bytes.length && !range.ref.startsWith('+') && hashOf(bytes) === range.ref;
}

/** Cuts a range that changed where it has grown too big; rows that are gone leave no range. */
async function cutAgain(
  reader: TableReader,
  table: TableDescription,
  low: Key | null,
  high: Key | null,
  writer: SiteWriter,
  known: RowBlock,
): Promise<Range[]> {
  if (known.rows === 0) return [];
  if (known.bytes.length <= 2 * RANGE_BYTES || known.rows === 1) return [rangeOf(low, known, writer)];
  const rows = Math.max(1, Math.floor((RANGE_BYTES * known.rows) / known.bytes.length));
  const ranges: Range[] = [];
  for await (const block of reader.cut(table, low, high, { bytes: RANGE_BYTES, rows })) {
    ranges.push(rangeOf(block.low, block, writer));
  }
  return ranges;
}

function rangeOf(low: Key | null, { bytes, rows }: RowBlock, writer: SiteWriter): Range {
  return { low, ref: addRange(writer, bytes), rows, bytes: bytes.length };
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
