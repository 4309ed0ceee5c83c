import { type DatabasePages, OddDatabase } from './sqlite-pages.ts';

/**
 * The b-tree of a table with a rowid, as https://www.sqlite.org/fileformat2.html#b_tree_pages has it: rows are in leaves,
 * what does not fit into a leaf is in chains of overflow pages, and the pages above the leaves say which keys are where.
 */
export interface Leaves {
  /** The numbers of the pages, in the order of the keys in them. */
  pages: number[];
  /** The biggest key that each may hold; the smallest one is the next after that of the leaf before. */
  upTo: bigint[];
}

const INTERIOR = 5;
const LEAF = 13;
const DEEPEST = 20;
const FILE_HEADER_BYTES = 100;
const BIGGEST_KEY = 2n ** 63n - 1n;

/** Reads the pages above the leaves, which are few, and of the leaves only one. */
export function leavesOf(pages: DatabasePages, root: number): Leaves {
  const leaves: Leaves = { pages: [], upTo: [] };
  const visit = (page: number, upTo: bigint, height: number): void => {
    // Pages that point at each other would have no end.
    if (leaves.pages.length > pages.count) throw new OddDatabase();
    if (height === 0) {
      leaves.pages.push(page);
      leaves.upTo.push(upTo);
      return;
    }
    const { bytes, start, cellCount } = openPage(pages, page, INTERIOR);
    for (let cell = 0; cell < cellCount; cell++) {
      const at = bytes.readUInt16BE(start + 12 + 2 * cell);
      visit(bytes.readUInt32BE(at), readKey(bytes, at + 4), height - 1);
    }
    visit(bytes.readUInt32BE(start + 8), upTo, height - 1);
  };
  guarded(() => visit(root, BIGGEST_KEY, heightOf(pages, root)));
  assertOrdered(leaves);
  return leaves;
}

/** All leaves of a tree are equally deep. */
function heightOf(pages: DatabasePages, root: number): number {
  for (let page = root, height = 0; height < DEEPEST; height++) {
    const { bytes, start, kind } = openPage(pages, page);
    if (kind === LEAF) return height;
    if (kind !== INTERIOR) break;
    page = bytes.readUInt32BE(start + 8);
  }
  throw new OddDatabase();
}

/** A leaf comes once, and its keys are beyond those of the one before. */
function assertOrdered({ pages, upTo }: Leaves): void {
  const isRising = upTo.every((key, index) => index === 0 || (upTo[index - 1] as bigint) < key);
  if (!isRising || new Set(pages).size !== pages.length) throw new OddDatabase();
}

/** The pages that hold what did not fit into a leaf. */
export function overflowPagesOf(pages: DatabasePages, leaf: number): number[] {
  const found: number[] = [];
  guarded(() => {
    const { bytes, start, cellCount } = openPage(pages, leaf, LEAF);
    const mostLocal = pages.usableBytes - 35;
    const leastLocal = Math.floor(((pages.usableBytes - 12) * 32) / 255) - 23;
    for (let cell = 0; cell < cellCount; cell++) {
      const at = bytes.readUInt16BE(start + 8 + 2 * cell);
      const payloadBytes = Number(readKey(bytes, at));
      if (payloadBytes <= mostLocal) continue;
      const some = leastLocal + ((payloadBytes - leastLocal) % (pages.usableBytes - 4));
      const localBytes = some <= mostLocal ? some : leastLocal;
      const payloadAt = at + varintBytes(bytes, at) + varintBytes(bytes, at + varintBytes(bytes, at));
      let page = bytes.readUInt32BE(payloadAt + localBytes);
      for (let left = payloadBytes - localBytes; left > 0; left -= pages.usableBytes - 4) {
        assertPage(pages, page);
        if (found.push(page) > pages.count) throw new OddDatabase();
        page = pages.firstNumber(page);
      }
    }
  });
  return found;
}

function openPage(pages: DatabasePages, page: number, expected?: number) {
  assertPage(pages, page);
  const bytes = pages.read(page);
  const start = page === 1 ? FILE_HEADER_BYTES : 0;
  const kind = bytes[start];
  if (expected !== undefined && kind !== expected) throw new OddDatabase();
  return { bytes, start, kind, cellCount: bytes.readUInt16BE(start + 3) };
}

function assertPage(pages: DatabasePages, page: number): void {
  if (page < 1 || page > pages.count) throw new OddDatabase();
}

/** A number beyond the page means a broken page. */
function guarded(work: () => void): void {
  try {
    work();
  } catch (error) {
    throw error instanceof RangeError ? new OddDatabase() : error;
  }
}

/** Seven bits in each byte, the highest first; the ninth byte, if there is one, has eight. */
function varintBytes(bytes: Buffer, at: number): number {
  let length = 1;
  while (length < 9 && (bytes[at + length - 1] ?? 0) >= 0x80) length++;
  return length;
}

function readKey(bytes: Buffer, at: number): bigint {
  const length = varintBytes(bytes, at);
  if (at + length > bytes.length) throw new OddDatabase();
  if (length <= 7) {
    let value = 0;
    for (let index = at; index < at + length; index++) value = value * 128 + ((bytes[index] as number) & 0x7f);
    return BigInt(value);
  }
  let value = 0n;
  for (let index = at; index < at + 8; index++) value = (value << 7n) | BigInt((bytes[index] as number) & 0x7f);
  if (length === 9) value = (value << 8n) | BigInt(bytes[at + 8] as number);
  return BigInt.asIntN(64, value);
}
