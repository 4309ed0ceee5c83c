import { failedBy } from './failure.ts';
import { type Hash, hashOf } from './hash.ts';
import { END_BYTES, type Frame, indexBytes, openFrame, PackBuilder, parseIndex } from './pack.ts';
import type { Store } from './stores/store.ts';

/** Where packs are as big as they get; one pack of S3 or one file on disk is then worth its overhead. */
export const PACK_BYTES = 32 * 1024 * 1024;

/** Enough for the index of a minute's pack in one read. */
const TAIL_BYTES = 16 * 1024;

export interface Location extends Frame {
  pack: Hash;
}

/**
 * The objects of one owner, or the public ones of all: packs below `<prefix>/packs/`, and below `<prefix>/condemned/` the
 * names of packs that the pruner will delete after a grace period. Condemned packs can be read but nobody builds on them.
 */
export class Pool {
  readonly store: Store;
  readonly prefix: string;
  readonly #packs = new Map<Hash, Frame[]>();
  #locations = new Map<Hash, Location>();
  #condemned = new Set<Hash>();
  #refreshing: Promise<void> | undefined;

  constructor(store: Store, prefix: string) {
    this.store = store;
    this.prefix = prefix;
  }

  packKey(id: Hash): string {
    return `${this.prefix}/packs/${id}`;
  }

  /** Learns of packs that others wrote, condemned or removed since. Costs two listings and the index of each new pack. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #refresh(): Promise<void> {
    // Packs first: a pack whose condemnation we then miss was condemned after now, and stays for its grace period.
    const ids = new Set(await this.store.names(`${this.prefix}/packs`));
    const condemned = new Set((await this.store.names(`${this.prefix}/condemned`)).map(condemnedPack));
    const gone = [...this.#packs.keys()].filter((id) => !ids.has(id));
    for (const id of gone) this.#packs.delete(id);
    const lifted = gone.length > 0 || [...this.#condemned].some((id) => !condemned.has(id));
    const added = [...ids].filter((id) => !this.#packs.has(id));
    const sentenced = [...condemned].some((id) => !this.#condemned.has(id));
    this.#condemned = condemned;
    for (const id of added) {
      const frames = await this.#readIndex(id);
      if (frames) this.#packs.set(id, frames);
    }
    if (lifted || sentenced) this.#locations = new Map();
    const changed = lifted || sentenced ? this.#packs.keys() : added;
    for (const id of changed) this.#learn(id, this.#packs.get(id) ?? []);
  }

  /** Where an object is, in a pack that stays wherever there is one. */
  locate(hash: Hash): Location | undefined {
    return this.#locations.get(hash);
  }

  /** Whether a new snapshot may rely on the stored object. */
  isKept(hash: Hash): boolean {
    const location = this.#locations.get(hash);
    return location !== undefined && !this.#condemned.has(location.pack);
  }

  /** The object, verified against its name; undefined when this pool does not have it. */
  async read(hash: Hash): Promise<Buffer | undefined> {
    const location = this.#locations.get(hash);
    if (!location) return undefined;
    try {
      return openFrame(location, await this.readFrames(location.pack, location.offset, location.storedBytes));
    } catch (error) {
      if (!failedBy(error, 'missing_object')) throw error;
    }
    // The pruner moved it to another pack since we looked.
    await this.refresh();
    const moved = this.#locations.get(hash);
    if (!moved) return undefined;
    return openFrame(moved, await this.readFrames(moved.pack, moved.offset, moved.storedBytes));
  }

  async readFrames(pack: Hash, start: number, length: number): Promise<Buffer> {
    return this.store.get(this.packKey(pack), { start, length });
  }

  packs(): ReadonlyMap<Hash, readonly Frame[]> {
    return this.#packs;
  }

  writer(): PoolWriter {
    return new PoolWriter(this, (id, frames) => {
      this.#packs.set(id, frames);
      this.#learn(id, frames);
    });
  }

  #learn(pack: Hash, frames: readonly Frame[]): void {
    for (const frame of frames) {
      const known = this.#locations.get(frame.hash);
      if (known && !(this.#condemned.has(known.pack) && !this.#condemned.has(pack))) continue;
      this.#locations.set(frame.hash, { ...frame, pack });
    }
  }

  /** A pack whose index can not be read is left to `check`: its objects are missing, the other ones are not. */
  async #readIndex(id: Hash): Promise<Frame[] | undefined> {
    const key = this.packKey(id);
    try {
      let tail = await this.store.get(key, { last: TAIL_BYTES });
      if (tail.length < END_BYTES) return undefined;
      const end = tail.subarray(tail.length - END_BYTES);
      const length = indexBytes(id, end);
      if (length + END_BYTES > tail.length) tail = await this.store.get(key, { last: length + END_BYTES });
      return parseIndex(id, tail.subarray(tail.length - END_BYTES - length, tail.length - END_BYTES), end);
    } catch (error) {
      if (failedBy(error, 'corrupt_object', 'missing_object')) return undefined;
      throw error;
    }
  }
}

/** The name of a condemnation is `<when, ms>-<pack>`; the object itself is empty, so that nothing in it can rot. */
export function condemnedPack(name: string): Hash {
  return name.slice(name.indexOf('-') + 1);
}

/** One writer's objects on their way into a pool. They can be relied on once `flush` resolved. */
export class PoolWriter {
  readonly #pool: Pool;
  readonly #onPack: (id: Hash, frames: Frame[]) => void;
  #builder = new PackBuilder();
  writtenBytes = 0;
  packsWritten = 0;

  constructor(pool: Pool, onPack: (id: Hash, frames: Frame[]) => void) {
    this.#pool = pool;
    this.#onPack = onPack;
  }

  /** Stores the bytes unless they are stored already. The caller may use the buffer again. */
  add(plain: Uint8Array): Hash {
    const hash = hashOf(plain);
    if (!this.#pool.isKept(hash) && !this.#builder.frames.has(hash)) this.#builder.add(hash, plain);
    return hash;
  }

  addStored(frame: Frame, stored: Uint8Array): void {
    if (this.#builder.frames.has(frame.hash)) return;
    this.#builder.addStored(frame.hash, stored, frame.plainBytes, frame.isCompressed);
  }

  get isFull(): boolean {
    return this.#builder.sizeBytes >= PACK_BYTES;
  }

  async flush(): Promise<void> {
    if (this.#builder.frames.size === 0) return;
    const builder = this.#builder;
    this.#builder = new PackBuilder();
    const { id, parts } = builder.build();
    await this.#pool.store.put(this.#pool.packKey(id), parts);
    builder.recycle();
    this.writtenBytes += builder.sizeBytes;
    this.packsWritten++;
    this.#onPack(id, [...builder.frames.values()]);
  }
}
