import {
  addContent,
  isRef,
  type ObjectReader,
  type ObjectWriter,
  parseJson,
  type Ref,
  readContent,
} from '../content.ts';
import { corruptObject } from '../hash.ts';
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
    throw corruptObject(`table ${ref} is of another format`);
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
  for (const node of nodes) {
    read.push({ low: node.low, ref: node.ref, ranges: (await readNode(reader, node.ref)).map(parseRange) });
  }
  return { description, rows, nodes: read };
}

/** A range as it is in the JSON of a node. */
type RangeJson = [low: unknown, ref: unknown, rows: unknown, bytes: unknown];

async function readNode(reader: ObjectReader, ref: unknown): Promise<RangeJson[]> {
  if (!isRef(ref)) throw corruptObject('a table has a bad node');
  const rows = parseJson(await readContent(reader, ref), `node ${ref}`);
  if (!Array.isArray(rows) || !rows.every(Array.isArray)) throw corruptObject(`node ${ref} is no list of ranges`);
  return rows as RangeJson[];
}

function parseRange([low, ref, rows, bytes]: RangeJson): Range {
  if (!isRef(ref)) throw corruptObject('a node has a bad range');
  return { low: keyFromJson(low), ref, rows: Number(rows), bytes: Number(bytes) };
}

export type BoundRange = Range & { high: Key | null };

type OutlinedNode = TableOutline['nodes'][number];

/** The ranges of some nodes, with the key that ends each. */
export async function readRanges(reader: ObjectReader, nodes: readonly OutlinedNode[]): Promise<BoundRange[]> {
  return bound(await readAll(reader, nodes));
}

/**
 * The ranges that only one of two tables has. The rows of a table with a key tell themselves apart, so what has the same
 * content holds the same rows, wherever it stands; nodes and ranges that both have are not looked into.
 */
export async function readDifferingRanges(reader: ObjectReader, a: TableOutline, b: TableOutline) {
  const [nodesOfA, nodesOfB] = [onlyIn(a.nodes, b.nodes, refOfNode), onlyIn(b.nodes, a.nodes, refOfNode)];
  const [inA, inB] = [await readAll(reader, nodesOfA), await readAll(reader, nodesOfB)];
  return [bound(onlyIn(inA, inB, refOfRange)), bound(onlyIn(inB, inA, refOfRange))] as const;
}

interface ReadRange {
  json: RangeJson;
  next: RangeJson | undefined;
  node: OutlinedNode;
}

async function readAll(reader: ObjectReader, nodes: readonly OutlinedNode[]): Promise<ReadRange[]> {
  const found: ReadRange[] = [];
  for (const node of nodes) {
    const ranges = await readNode(reader, node.ref);
    for (const [index, json] of ranges.entries()) found.push({ json, next: ranges[index + 1], node });
  }
  return found;
}

function bound(ranges: readonly ReadRange[]): BoundRange[] {
  return ranges.map(({ json, next, node }) => ({
    ...parseRange(json),
    high: next ? keyFromJson(next[0]) : node.high,
  }));
}

const refOfNode = ({ ref }: OutlinedNode): unknown => ref;
const refOfRange = ({ json }: ReadRange): unknown => json[1];

function onlyIn<T>(pieces: readonly T[], others: readonly T[], refOf: (piece: T) => unknown): T[] {
  const known = new Set(others.map(refOf));
  return pieces.filter((piece) => !known.has(refOf(piece)));
}
