import { hashOfRef, type Ref, readChunkList } from '../content.ts';
import { failedBy } from '../failure.ts';
import type { Hash } from '../hash.ts';
import type { Pool } from '../pool.ts';
import type { SiteRepository } from '../repository.ts';
import type { FolderState } from './file-state.ts';
import type { TableState } from './table-archive.ts';

/** What a snapshot builds on, as the archiver has it in memory. */
export interface Base {
  files: FolderState | undefined;
  tables: ReadonlyMap<string, TableState>;
}

/** Interval at which the end of a pack is read, or the packs are listed, for all sites of a pool. */
const PACKS_EVERY_MS = 3_600_000;
/** Objects of the base that are read and compared with their hashes, and lists of chunks that are read, for each snapshot. */
const SAMPLES = 8;
const LISTS = 8;
/**
 * Time limit for reading all lists after a pack was lost or a start; the remaining lists are read with the next
 * snapshots.
 */
const ALL_LISTS_MS = 100;

/**
 * Checks before each snapshot that the previous one can be restored. Every object that the archiver has in memory must
 * be in a pack that exists and is complete; only a sample of the contents is read. The weekly check reads everything.
 */
export class BaseCheck {
  readonly #repository: SiteRepository;
  /** Where the next sample of a pool begins, as a part of all its objects; and the next list of chunks. */
  readonly #nextSamples = new Map<Pool, number>();
  #nextList = 0;
  #losses = -1;

  constructor(repository: SiteRepository) {
    this.#repository = repository;
  }

  /** How many objects of the base are lost. The pools were refreshed just before. */
  async countLost(base: Base): Promise<number> {
    const needed = new NeededObjects(this.#repository);
    needed.add(base);
    const { isFarAway } = this.#repository;
    for (const pool of needed.pools())
      await (isFarAway ? pool.lookAgain(PACKS_EVERY_MS) : pool.dropTorn(needed.packsOf(pool), PACKS_EVERY_MS));
    // From a bucket each would be a request, and a bucket has checksums of its own.
    if (!isFarAway) {
      await this.#addChunks(needed);
      await this.#readSample(needed);
    }
    if (needed.countLost() === 0) return 0;
    // A prune may have moved them since.
    await this.#repository.refresh();
    return needed.countLost();
  }

  async #addChunks(needed: NeededObjects): Promise<void> {
    const { lists } = needed;
    const losses = needed.pools().reduce((sum, pool) => sum + pool.losses, 0);
    const most = losses === this.#losses ? Math.min(LISTS, lists.length) : lists.length;
    this.#losses = losses;
    const deadlineMs = performance.now() + ALL_LISTS_MS;
    for (let count = 0; count < most && performance.now() < deadlineMs; count++) {
      const { ref, pool } = lists[this.#nextList++ % lists.length] as NeededList;
      const chunks = await ifReadable(readChunkList(this.#repository, ref));
      for (const [hash] of chunks ?? []) needed.addHash(hash, pool);
    }
  }

  /** Samples the objects in rotation. Reading a damaged object marks it. */
  async #readSample(needed: NeededObjects): Promise<void> {
    for (const pool of needed.pools()) {
      const hashes = needed.hashesOf(pool);
      const from = this.#nextSamples.get(pool) ?? Math.random();
      const start = Math.floor(from * hashes.length);
      for (let count = 0; count < Math.min(SAMPLES, hashes.length); count++)
        await ifReadable(pool.read(hashes[(start + count) % hashes.length] as Hash));
      this.#nextSamples.set(pool, (from + SAMPLES / Math.max(SAMPLES, hashes.length)) % 1);
    }
  }
}

interface NeededList {
  ref: Ref;
  pool: Pool;
}

class NeededObjects {
  readonly lists: NeededList[] = [];
  readonly #repository: SiteRepository;
  readonly #hashes = new Map<Pool, Set<Hash>>();

  constructor(repository: SiteRepository) {
    this.#repository = repository;
  }

  add({ files, tables }: Base): void {
    if (files) this.#addFolder(files);
    for (const { ref, root } of tables.values()) {
      this.#addRef(ref);
      for (const node of root.nodes) {
        this.#addRef(node.ref);
        for (const range of node.ranges) this.#addRef(range.ref);
      }
    }
  }

  #addFolder(folder: FolderState): void {
    this.#addRef(folder.ref);
    for (const entry of folder.entries.values()) {
      if (entry.kind === 'folder') this.#addFolder(entry);
      else if (entry.kind === 'file') this.#addRef(entry.ref, entry.isShared);
    }
  }

  #addRef(ref: Ref, isShared = false): void {
    const pool = isShared ? this.#repository.shared : this.#repository.private;
    if (ref.startsWith('+')) this.lists.push({ ref, pool });
    this.addHash(hashOfRef(ref), pool);
  }

  addHash(hash: Hash, pool: Pool): void {
    const known = this.#hashes.get(pool);
    if (known) known.add(hash);
    else this.#hashes.set(pool, new Set([hash]));
  }

  pools(): Pool[] {
    return [...this.#hashes.keys()];
  }

  hashesOf(pool: Pool): Hash[] {
    return [...(this.#hashes.get(pool) ?? [])];
  }

  packsOf(pool: Pool): Set<Hash> {
    const packs = new Set<Hash>();
    for (const hash of this.#hashes.get(pool) ?? []) {
      const pack = pool.locate(hash)?.pack;
      if (pack !== undefined) packs.add(pack);
    }
    return packs;
  }

  countLost(): number {
    let count = 0;
    for (const [pool, hashes] of this.#hashes) for (const hash of hashes) if (!pool.isSound(hash)) count++;
    return count;
  }
}

/** Ignores read errors: an unreadable object has been marked or dropped by then, and counts as lost. */
async function ifReadable<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (!failedBy(error, 'corrupt_object', 'missing_object', 'short_object')) throw error;
    return undefined;
  }
}
