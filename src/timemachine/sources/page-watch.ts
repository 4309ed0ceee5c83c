import type { KeySpan, TableDescription } from '../tables/table-source.ts';
import { type DatabasePages, OddDatabase } from './sqlite-pages.ts';
import { type Leaves, leavesOf, overflowPagesOf } from './sqlite-tree.ts';

/** A table, and where its tree begins; no root for a table whose rows are not in a tree by rowid. */
export interface WatchedTable {
  table: TableDescription;
  root: number | undefined;
}

/** What the last look saw. It is kept over a restart. */
export interface Seen {
  version: string;
  identity: string | undefined;
  schema: string;
  hashes: string[];
  /** For a page of an overflow chain, the leaf that the chain begins in. What is no longer right only costs time. */
  owners: Uint32Array;
  tables: Map<string, { shape: string; description: string; leaves: Leaves }>;
}

const SMALLEST_KEY = -(2n ** 63n);

/**
 * Tells where the rows of a SQLite database may have changed, by comparing its pages with those of the last look: a
 * fraction of what reading all rows costs.
 *
 * A leaf that is the same page with the same bytes as last time, was a leaf of the same table then, and of whose overflow
 * pages none changed, holds the rows that it held. So a row that differs was last time, or is now, in another leaf, and it
 * is enough to look at the keys that these may hold. Nothing else about the file is relied on: pages may have moved, come
 * from the list of free pages, or changed their owner.
 */
export class PageWatch {
  #seen: Seen | undefined;

  /**
   * By table, the keys to look at since the version; undefined for a table of which nothing is known. Tables that are not
   * in the result are as they were. Undefined when the last look was not at that version.
   */
  look(
    pages: DatabasePages,
    version: string,
    watched: readonly WatchedTable[],
    since: string | undefined,
  ): Map<string, KeySpan[] | undefined> | undefined {
    const before = this.#seen?.version === since ? this.#seen : undefined;
    this.#seen = undefined;
    if (before?.identity !== undefined && before.identity === pages.identity && before.schema === schemaOf(watched)) {
      this.#seen = { ...before, version };
      return new Map();
    }
    try {
      const { now, changes } = compare(pages, version, watched, before);
      this.#seen = now;
      return before && changes;
    } catch (error) {
      if (error instanceof OddDatabase) return undefined;
      throw error;
    }
  }

  get seen(): Seen | undefined {
    return this.#seen;
  }

  recall(seen: Seen): void {
    this.#seen = seen;
  }

  forget(): void {
    this.#seen = undefined;
  }
}

/** Which tables are looked at is not for the file alone to say. */
function schemaOf(watched: readonly WatchedTable[]): string {
  return JSON.stringify(watched.map(({ table }) => table));
}

function compare(pages: DatabasePages, version: string, watched: readonly WatchedTable[], before: Seen | undefined) {
  const hashes = pages.hashes();
  const owners = new Uint32Array(pages.count + 1);
  const now: Seen = {
    version,
    identity: pages.identity,
    schema: schemaOf(watched),
    hashes,
    owners,
    tables: new Map(),
  };
  now.owners.set(before?.owners.subarray(0, now.owners.length) ?? []);
  const touched = before ? touchedLeaves(before, hashes) : new Set<number>();
  const changes = new Map<string, KeySpan[] | undefined>();
  for (const { table, root } of watched) {
    const spans = lookAtTable(pages, table, root, before, now, touched);
    const isSame = before?.tables.get(table.name)?.description === JSON.stringify(table);
    if (!isSame || spans?.length !== 0) changes.set(table.name, spans);
  }
  return { now, changes };
}

/** Leaves that changed, or of whose overflow pages one did. */
function touchedLeaves({ hashes: before, owners }: Seen, hashes: readonly string[]): Set<number> {
  const touched = new Set<number>();
  for (let page = 1; page < before.length; page++) {
    if (hashes[page] === before[page]) continue;
    touched.add(page);
    touched.add(owners[page] as number);
  }
  return touched;
}

function lookAtTable(
  pages: DatabasePages,
  table: TableDescription,
  root: number | undefined,
  before: Seen | undefined,
  now: Seen,
  touched: ReadonlySet<number>,
): KeySpan[] | undefined {
  if (root === undefined) return table.columns.length === 0 ? [] : undefined;
  const was = before?.tables.get(table.name);
  const shape = shapeOf(table);
  try {
    const leaves = leavesOf(pages, root);
    const earlier = new Set(was?.leaves.pages);
    const isKept = (page: number) => earlier.has(page) && !touched.has(page);
    for (const page of leaves.pages) {
      if (isKept(page)) continue;
      for (const overflow of overflowPagesOf(pages, page)) now.owners[overflow] = page;
    }
    now.tables.set(table.name, { shape, description: JSON.stringify(table), leaves });
    if (was?.shape !== shape) return undefined;
    const present = new Set(leaves.pages);
    return [
      ...spansOf(leaves, (page) => !isKept(page)),
      ...spansOf(was.leaves, (page) => !(isKept(page) && present.has(page))),
    ];
  } catch (error) {
    if (error instanceof OddDatabase) return undefined;
    throw error;
  }
}

function* spansOf({ pages, upTo }: Leaves, isWanted: (page: number) => boolean): Generator<KeySpan> {
  for (const [index, page] of pages.entries()) {
    if (!isWanted(page)) continue;
    const first = index === 0 ? SMALLEST_KEY : (upTo[index - 1] as bigint) + 1n;
    yield { first: [first], last: [upTo[index] as bigint] };
  }
}

/** What decides how a row's bytes are read: a default, say, stands for a column that came after the row was written. */
function shapeOf({ columns, key, schema }: TableDescription): string {
  return JSON.stringify([columns, key, (schema as { sql?: string }).sql]);
}
