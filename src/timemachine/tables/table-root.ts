import {
  addContent,
  isRef,
  type ObjectReader,
  type ObjectWriter,
  parseJson,
  type Ref,
  readContent,
} from '../content.ts';
import { CorruptObject } from '../hash.ts';
import { keyFromJson, keyToJson } from './row-codec.ts';
import type { Key, TableDescription } from './table-source.ts';

/**
 * A table as objects: the root describes it and lists nodes, a node lists up to 64 ranges of keys, a range is the rows from
 * its `low` up to the next range's. So one changed row stores one range, one node and one root.
 */
export interface TableRoot {
  description: TableDescription;
  rows: number;
  nodes: TableNode[];
}

export interface TableNode {
  /** That of its first range. */
  low: Key | null;
  ref: Ref;
  ranges: Range[];
}

export interface Range {
  /** Inclusive; null is before everything, as it is for the first range. */
  low: Key | null;
  ref: Ref;
  rows: number;
  bytes: number;
}

const RANGES_PER_NODE = 64;
const WHOLE_BELOW = 256 * 1024;
export const RANGE_WHOLE_BELOW = 1024 * 1024;

export function addRange(writer: ObjectWriter, bytes: Buffer): Ref {
  return addContent(writer, bytes, RANGE_WHOLE_BELOW);
}

/** Stores the nodes that are new and the root. Nodes of `before` that hold the same ranges are used again. */
export function addTableRoot(
  writer: ObjectWriter,
  description: TableDescription,
  groups: readonly (readonly Range[] | TableNode)[],
): { ref: Ref; root: TableRoot } {
  const nodes: TableNode[] = [];
  for (const group of groups) {
    if ('ref' in group) nodes.push(group);
    else {
      for (const ranges of cutEvenly(group, RANGES_PER_NODE)) {
        const rows = ranges.map(({ low, ref, rows, bytes }) => JSON.stringify([keyToJson(low), ref, rows, bytes]));
        const ref = addContent(writer, Buffer.from(`[${rows.join(',\n')}]`), WHOLE_BELOW);
        nodes.push({ low: ranges[0]?.low ?? null, ref, ranges });
      }
    }
  }
  const rows = nodes.reduce((sum, node) => sum + node.ranges.reduce((each, range) => each + range.rows, 0), 0);
  const { name, columns, key, schema } = description;
  const json = JSON.stringify({
    name,
    columns,
    key,
    schema,
    rows,
    nodes: nodes.map(({ low, ref }) => [keyToJson(low), ref]),
  });
  return { ref: addContent(writer, Buffer.from(json), WHOLE_BELOW), root: { description, rows, nodes } };
}

/** A node that grew beyond its size becomes several of about the same size. */
function cutEvenly(ranges: readonly Range[], most: number): Range[][] {
  const count = Math.ceil(ranges.length / most);
  return Array.from({ length: count }, (_, index) =>
    ranges.slice(Math.round((index * ranges.length) / count), Math.round(((index + 1) * ranges.length) / count)),
  );
}

/** A table of which only the root was read. */
export interface TableOutline {
  description: TableDescription;
  rows: number;
  /** With the key that ends each. */
  nodes: { low: Key | null; high: Key | null; ref: Ref }[];
}

export async function readTableOutline(reader: ObjectReader, ref: Ref): Promise<TableOutline> {
  const root = parseJson(await readContent(reader, ref), `table ${ref}`) as Record<string, unknown>;
  const { name, columns, key, schema, rows, nodes } = root ?? {};
  if (typeof name !== 'string' || !Array.isArray(columns) || !Array.isArray(key) || !Array.isArray(nodes)) {
    throw new CorruptObject(`table ${ref} is of another format`);
  }
  const lows = nodes.map((node) => keyFromJson(node[0]));
  const outlined = nodes.map((node, index) => ({
    low: lows[index] ?? null,
    high: lows[index + 1] ?? null,
    ref: node[1],
  }));
  return { description: { name, columns, key, schema }, rows: Number(rows), nodes: outlined };
}

export async function readTableRoot(reader: ObjectReader, ref: Ref): Promise<TableRoot> {
  const { description, rows, nodes } = await readTableOutline(reader, ref);
  const read: TableNode[] = [];
  for (const node of nodes) read.push({ low: node.low, ref: node.ref, ranges: await readNode(reader, node.ref) });
  return { description, rows, nodes: read };
}

async function readNode(reader: ObjectReader, ref: unknown): Promise<Range[]> {
  if (!isRef(ref)) throw new CorruptObject('a table has a bad node');
  const rows = parseJson(await readContent(reader, ref), `node ${ref}`);
  if (!Array.isArray(rows)) throw new CorruptObject(`node ${ref} is no list`);
  return rows.map((row) => {
    if (!Array.isArray(row) || !isRef(row[1])) throw new CorruptObject(`node ${ref} has a bad range`);
    return { low: keyFromJson(row[0]), ref: row[1], rows: Number(row[2]), bytes: Number(row[3]) };
  });
}

export type BoundRange = Range & { high: Key | null };

/** The ranges of some nodes, with the key that ends each. */
export async function readRanges(reader: ObjectReader, nodes: TableOutline['nodes']): Promise<BoundRange[]> {
  const found: BoundRange[] = [];
  for (const { ref, high } of nodes) {
    const ranges = await readNode(reader, ref);
    for (const [index, range] of ranges.entries()) found.push({ ...range, high: ranges[index + 1]?.low ?? high });
  }
  return found;
}
