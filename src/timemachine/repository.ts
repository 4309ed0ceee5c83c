import { setImmediate as otherWork } from 'node:timers/promises';
import type { ObjectReader, ObjectWriter } from './content.ts';
import { failedBy } from './failure.ts';
import { corruptObject, type Hash, hashOf } from './hash.ts';
import { Pool, type PoolWriter } from './pool.ts';
import { References } from './references.ts';
import {
  decodeSnapshot,
  encodeSnapshot,
  parseSnapshotName,
  type Snapshot,
  type SnapshotId,
  snapshotName,
} from './snapshot.ts';
import type { Store } from './stores/store.ts';

/** An index takes some hundred bytes of memory for each object. */
const REMEMBERED_POOLS = 100;
/** After so long what looks through much tells that it goes on. */
const SLICE_MS = 50;

/**
 * All that one store holds:
 *
 *   shared/packs/…                                 objects of public files, of all spaces
 *   owners/<space>/packs/…                         everything else of that space
 *   owners/<space>/sites/<site>/snapshots/<day>/…  the snapshots, each published by one put
 *   shared/condemned/…, owners/<space>/condemned/… packs that are about to go
 */
export class Repository {
  readonly store: Store;
  readonly shared: Pool;
  readonly #pools = new Map<string, Pool>();

  constructor(store: Store) {
    this.store = store;
    this.shared = new Pool(store, 'shared');
  }

  /** The pools that were used last are remembered, the latest at the end; another one's index is read again. */
  pool(space: string): Pool {
    const pool = this.#pools.get(space) ?? new Pool(this.store, `owners/${space}`);
    this.#pools.delete(space);
    this.#pools.set(space, pool);
    const [oldest] = this.#pools.keys();
    if (this.#pools.size > REMEMBERED_POOLS && oldest !== undefined) this.#pools.delete(oldest);
    return pool;
  }

  site(space: string, site: string): SiteRepository {
    return new SiteRepository(this, space, site);
  }

  owners(): Promise<string[]> {
    return this.store.names('owners');
  }

  async sitesOf(space: string): Promise<SiteRepository[]> {
    const sites = await this.store.names(`owners/${space}/sites`);
    return sites.map((site) => this.site(space, site));
  }
}

/** What one site may read and write: its space's objects and the shared ones. No hash opens anything of another space. */
export class SiteRepository implements ObjectReader {
  readonly space: string;
  readonly site: string;
  readonly private: Pool;
  readonly shared: Pool;
  readonly prefix: string;
  readonly #store: Store;

  constructor(repository: Repository, space: string, site: string) {
    this.space = space;
    this.site = site;
    this.private = repository.pool(space);
    this.shared = repository.shared;
    this.prefix = `owners/${space}/sites/${site}`;
    this.#store = repository.store;
  }

  /** Whether a read may be a request to another machine. */
  get isFarAway(): boolean {
    return this.#store.upload !== undefined;
  }

  async refresh(): Promise<void> {
    await this.private.refresh();
    await this.shared.refresh();
  }

  async read(hash: Hash): Promise<Buffer> {
    const found = await this.#readKnown(hash);
    if (found) return found;
    await this.refresh();
    const bytes = await this.#readKnown(hash);
    if (!bytes) throw corruptObject(`object ${hash} is missing`);
    return bytes;
  }

  async #readKnown(hash: Hash): Promise<Buffer | undefined> {
    return (await this.private.read(hash)) ?? (await this.shared.read(hash));
  }

  /** What is known to be lost of all that it may need, in a text that is another one for another loss; empty for none. */
  lossName(): string {
    const lost = [this.private, this.shared].map((pool) => pool.lost());
    return lost.every(({ length }) => length === 0) ? '' : hashOf(JSON.stringify(lost));
  }

  /** Whether a snapshot can be brought back, as far as is known. All of its folders are read for it: `onPause` is as in `writer`. */
  async isWhole(snapshot: Snapshot, onPause: () => void): Promise<boolean> {
    let sliceEndsMs = performance.now() + SLICE_MS;
    const read = async (hash: Hash) => {
      if (performance.now() > sliceEndsMs) {
        onPause();
        await otherWork();
        sliceEndsMs = performance.now() + SLICE_MS;
      }
      return this.read(hash);
    };
    try {
      const needed = new References({ read });
      await needed.addSnapshot(snapshot);
      const isSound = (pool: Pool, hashes: ReadonlySet<Hash>) => [...hashes].every((hash) => pool.isSound(hash));
      return isSound(this.private, needed.private) && isSound(this.shared, needed.shared);
    } catch (error) {
      if (failedBy(error, 'corrupt_object')) return false;
      throw error;
    }
  }

  /** The pool and place of an object, for reading many at once. */
  locate(hash: Hash) {
    for (const pool of [this.private, this.shared]) {
      const location = pool.locate(hash);
      if (location) return { pool, location };
    }
    return undefined;
  }

  /** `onPause` is called wherever a long work lets others go first; it may end the work by failing. */
  writer(onPause?: () => void): SiteWriter {
    return new SiteWriter(this.private.writer(), this.shared.writer(), onPause);
  }

  /** The one write that makes a snapshot exist. All its objects must be stored before. */
  async publish(snapshot: Snapshot): Promise<SnapshotId> {
    const { hash, bytes } = encodeSnapshot(snapshot);
    const timeMs = Date.parse(snapshot.time);
    const key = `${this.prefix}/snapshots/${snapshotName(timeMs, hash)}`;
    await this.#store.put(key, [bytes]);
    return { hash, timeMs, key };
  }

  /** Oldest first. */
  async snapshots(): Promise<SnapshotId[]> {
    const found: SnapshotId[] = [];
    for (const day of await this.#days()) found.push(...(await this.#snapshotsOf(day)));
    return found;
  }

  /** The newest snapshot cut at or before the instant. */
  async snapshotAt(timeMs = Number.POSITIVE_INFINITY): Promise<SnapshotId | undefined> {
    for (const day of (await this.#days()).reverse()) {
      if (Date.parse(`${day}T00:00:00Z`) > timeMs) continue;
      const found = (await this.#snapshotsOf(day)).findLast((each) => each.timeMs <= timeMs);
      if (found) return found;
    }
    return undefined;
  }

  async readSnapshot(id: SnapshotId): Promise<Snapshot> {
    const snapshot = decodeSnapshot(id.hash, await this.#store.get(id.key));
    if (Date.parse(snapshot.time) !== id.timeMs) throw corruptObject(`snapshot ${id.hash} is of another time`);
    return snapshot;
  }

  /** The snapshot of that hash and time, for whoever has no list. */
  readNamed({ hash, timeMs }: Pick<SnapshotId, 'hash' | 'timeMs'>): Promise<Snapshot> {
    return this.readSnapshot({ hash, timeMs, key: `${this.prefix}/snapshots/${snapshotName(timeMs, hash)}` });
  }

  /** Whether it is there, be it torn. */
  async hasSnapshot(id: SnapshotId): Promise<boolean> {
    try {
      await this.#store.get(id.key, { start: 0, length: 1 });
      return true;
    } catch (error) {
      if (failedBy(error, 'missing_object')) return false;
      if (failedBy(error, 'short_object', 'corrupt_object')) return true;
      throw error;
    }
  }

  /** Only the pruner forgets snapshots; their objects go later, when no other snapshot needs them. */
  async forget(id: SnapshotId): Promise<void> {
    await this.#store.delete(id.key);
  }

  #days(): Promise<string[]> {
    return this.#store.names(`${this.prefix}/snapshots`);
  }

  async #snapshotsOf(day: string): Promise<SnapshotId[]> {
    const names = await this.#store.names(`${this.prefix}/snapshots/${day}`);
    return names.flatMap((name) => {
      const parsed = parseSnapshotName(`${day}/${name}`);
      return parsed ? [{ ...parsed, key: `${this.prefix}/snapshots/${day}/${name}` }] : [];
    });
  }
}

/** One snapshot's new objects. */
export class SiteWriter implements ObjectWriter {
  readonly private: PoolWriter;
  readonly shared: PoolWriter;
  readonly startedAtMs = performance.now();
  readonly onPause: () => void;

  constructor(own: PoolWriter, shared: PoolWriter, onPause = () => {}) {
    this.private = own;
    this.shared = shared;
    this.onPause = onPause;
  }

  add(plain: Uint8Array): Hash {
    return this.private.add(plain);
  }

  get isFull(): boolean {
    return this.private.isFull || this.shared.isFull;
  }

  async flushFull(): Promise<void> {
    for (const writer of [this.private, this.shared]) if (writer.isFull) await writer.flush();
  }

  async flush(): Promise<void> {
    await this.private.flush();
    await this.shared.flush();
  }

  get writtenBytes(): number {
    return this.private.writtenBytes + this.shared.writtenBytes;
  }
}
