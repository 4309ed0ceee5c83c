import { failedBy } from './failure.ts';
import { corruptObject, type Hash, hashOf } from './hash.ts';
import { END_BYTES, type Frame, indexBytes, indexBytesFor, openFrame, PackBuilder, parseIndex } from './pack.ts';
import type { Store } from './stores/store.ts';

/** Where packs are as big as they get; one pack of S3 or one file on disk is then worth its overhead. */
export const PACK_BYTES = 32 * 1024 * 1024;

/** Enough for the index of a minute's pack in one read. */
const TAIL_BYTES = 16 * 1024;

/** Each may be a request to a server far away. */
const INDEXES_AT_ONCE = 8;

const [SOUND, CONDEMNED, ROTTEN] = [0, 1, 2];

export interface Location extends Frame {
  pack: Hash;
}

/** In place of a pack, where an object is in none. */
export const NOWHERE = 'none';

/**
 * The objects of one owner, or the public ones of all: packs below `<prefix>/packs/`, below `<prefix>/condemned/` the
 * names of packs that the pruner will delete after a grace period, and below `<prefix>/rotten/` the objects that turned out
 * to be no longer what they were, by pack. Both can still be read, if at all, but nobody builds on them: what is known to be
 * rotten is written anew as soon as somebody has it.
 */
export class Pool {
  readonly store: Store;
  readonly prefix: string;
  readonly #packs = new Map<Hash, Frame[]>();
  #locations = new Map<Hash, Location>();
  /** All places of those few objects that have several, by pack. */
  #places = new Map<Hash, Map<Hash, Location>>();
  #condemned = new Set<Hash>();
  /** The hashes that are known to be bad, by where: a pack, or nowhere at all. */
  #rotten = new Map<string, Set<Hash>>();
  #rottenNames = '';
  #refreshing: Promise<void> | undefined;
  /** When the end of a pack was last seen to be there. */
  readonly #endsReadAtMs = new Map<Hash, number>();
  /** How often packs were found missing (a prune removes packs too) or truncated. */
  losses = 0;
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor(store: Store, prefix: string) {
    this.store = store;
    this.prefix = prefix;
  }

  packKey(id: Hash): string {
    return `${this.prefix}/packs/${id}`;
  }

  /** Learns of packs that others wrote, condemned or removed since. Costs three listings and the index of each new pack. */
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
    const isOtherRot = this.#noteRotten(await this.store.names(`${this.prefix}/rotten`));
    const gone = [...this.#packs.keys()].filter((id) => !ids.has(id));
    if (gone.length > 0) this.losses++;
    for (const id of gone) {
      this.#packs.delete(id);
      this.#endsReadAtMs.delete(id);
    }
    const lifted = gone.length > 0 || [...this.#condemned].some((id) => !condemned.has(id));
    const added = [...ids].filter((id) => !this.#packs.has(id));
    const sentenced = [...condemned].some((id) => !this.#condemned.has(id));
    this.#condemned = condemned;
    for (let first = 0; first < added.length; first += INDEXES_AT_ONCE) {
      const some = added.slice(first, first + INDEXES_AT_ONCE);
      const indexes = await Promise.all(some.map((id) => this.#readIndex(id)));
      for (const [index, frames] of indexes.entries()) if (frames) this.#packs.set(some[index] as Hash, frames);
    }
    const isOther = lifted || sentenced || isOtherRot;
    if (isOther) this.#learnAll();
    else for (const id of added) this.#learn(id, this.#packs.get(id) ?? []);
  }

  /** Where an object is, in a pack that stays wherever there is one. */
  locate(hash: Hash): Location | undefined {
    return this.#locations.get(hash);
  }

  /** Whether a new snapshot may rely on the stored object. */
  isKept(hash: Hash): boolean {
    const location = this.#locations.get(hash);
    return location !== undefined && this.#rankOf(hash, location.pack) === SOUND;
  }

  /** Whether there is a place for it that is not known to be bad. */
  isSound(hash: Hash): boolean {
    const location = this.#locations.get(hash);
    return location !== undefined && this.#rankOf(hash, location.pack) < ROTTEN;
  }

  /** The objects that are known to be bad, and stored nowhere else. */
  lost(): Hash[] {
    const all = new Set([...this.#rotten.values()].flatMap((hashes) => [...hashes]));
    return [...all].filter((hash) => !this.isSound(hash)).sort();
  }

  /** The object, verified against its name; undefined when this pool does not have it. */
  async read(hash: Hash): Promise<Buffer | undefined> {
    const tried = new Set<Hash>();
    let failure: unknown;
    for (;;) {
      const location = this.#locations.get(hash);
      if (location && !tried.has(location.pack)) {
        tried.add(location.pack);
        try {
          return openFrame(location, await this.readFrames(location.pack, location.offset, location.storedBytes));
        } catch (error) {
          failure = error;
          // Whoever only reads may be on a disk that takes no more.
          if (failedBy(error, 'corrupt_object', 'short_object'))
            await this.markRotten(hash, location.pack).catch(() => {});
          // Else the pruner moved it to another pack since we looked.
          else if (failedBy(error, 'missing_object')) await this.refresh();
          else throw error;
        }
      } else if (failure === undefined || failedBy(failure, 'missing_object')) return undefined;
      else throw corruptObject(`object ${hash} is rotten`);
    }
  }

  /** Writes down that an object is not what it was, so that everybody knows; without a pack, that it is in none. */
  async markRotten(hash: Hash, pack?: Hash): Promise<void> {
    const place = pack ?? NOWHERE;
    const known = this.#rotten.get(place) ?? new Set();
    if (known.has(hash)) return;
    this.#rotten.set(place, known.add(hash));
    // It may be stored somewhere else as well.
    if (this.#locations.get(hash)?.pack === pack)
      for (const other of this.#places.get(hash)?.values() ?? []) this.#prefer(other);
    try {
      await this.store.put(`${this.prefix}/rotten/${place}-${hash}`, []);
    } catch (error) {
      known.delete(hash);
      throw error;
    }
  }

  /** It turned out to be what it should be, or is wanted by nobody any more. */
  async unmarkRotten(hash: Hash, place: Hash | typeof NOWHERE): Promise<void> {
    await this.store.delete(`${this.prefix}/rotten/${place}-${hash}`);
  }

  /**
   * Reads the end of each of these packs at most once in `everyMs` and drops truncated packs. Objects that are in no
   * other pack are missing then, as they would be for a process that starts now.
   */
  async dropTorn(ids: Iterable<Hash>, everyMs: number): Promise<void> {
    const now = performance.now();
    const due = [...ids].filter((id) => !(now - (this.#endsReadAtMs.get(id) ?? Number.NEGATIVE_INFINITY) < everyMs));
    let isTorn = false;
    for (let first = 0; first < due.length; first += INDEXES_AT_ONCE) {
      const some = due.slice(first, first + INDEXES_AT_ONCE);
      const ends = await Promise.all(some.map((id) => this.#hasItsEnd(id)));
      for (const [index, hasItsEnd] of ends.entries()) {
        const id = some[index] as Hash;
        if (hasItsEnd) this.#endsReadAtMs.set(id, now);
        else isTorn = this.#packs.delete(id) || isTorn;
      }
    }
    if (!isTorn) return;
    this.losses++;
    this.#learnAll();
  }

  /** Makes a store that caches its listing list the packs again, at most once in `everyMs`. */
  async lookAgain(everyMs: number): Promise<void> {
    const now = performance.now();
    if (now - this.#lookedAtMs < everyMs) return;
    this.#lookedAtMs = now;
    try {
      await this.store.lookAgain?.(`${this.prefix}/packs`);
    } catch (error) {
      if (!failedBy(error, 'store_away')) throw error;
    }
    await this.refresh();
  }

  async #hasItsEnd(id: Hash): Promise<boolean> {
    try {
      const end = await this.store.get(this.packKey(id), { last: END_BYTES });
      return end.length === END_BYTES && indexBytes(id, end) === indexBytesFor(this.#packs.get(id)?.length ?? 0);
    } catch (error) {
      if (failedBy(error, 'corrupt_object', 'missing_object', 'short_object')) return false;
      throw error;
    }
  }

  #learnAll(): void {
    [this.#locations, this.#places] = [new Map(), new Map()];
    for (const [id, frames] of this.#packs) this.#learn(id, frames);
  }

  /** What is marked, by place. */
  rotten(): ReadonlyMap<string, ReadonlySet<Hash>> {
    return this.#rotten;
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
    for (const frame of frames) this.#learnFrame(pack, frame);
  }

  #learnFrame(pack: Hash, frame: Frame): void {
    const { hash } = frame;
    const known = this.#locations.get(hash);
    const location = { ...frame, pack };
    if (!known) return void this.#locations.set(hash, location);
    if (known.pack === pack) return;
    const places = this.#places.get(hash) ?? new Map([[known.pack, known]]);
    this.#places.set(hash, places.set(pack, location));
    this.#prefer(location);
  }

  #prefer(location: Location): void {
    const { hash, pack } = location;
    const known = this.#locations.get(hash);
    if (known && this.#rankOf(hash, known.pack) <= this.#rankOf(hash, pack)) return;
    this.#locations.set(hash, location);
  }

  /** The less the better. What is rotten may be what it was after all, for a disk can be wrong once. */
  #rankOf(hash: Hash, pack: Hash): number {
    if (this.#rotten.size > 0 && this.#rotten.get(pack)?.has(hash)) return ROTTEN;
    return this.#condemned.has(pack) ? CONDEMNED : SOUND;
  }

  /** Whether it differs from what was known. */
  #noteRotten(names: readonly string[]): boolean {
    const joined = names.join();
    if (joined === this.#rottenNames) return false;
    this.#rottenNames = joined;
    this.#rotten = new Map();
    for (const name of names) {
      const [place = '', hash = ''] = name.split('-');
      this.#rotten.set(place, (this.#rotten.get(place) ?? new Set()).add(hash));
    }
    return true;
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
