import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { failedBy, TimeMachineFailure } from '../failure.ts';
import { diskOperations } from './file-operations.ts';
import { Inventory, type Waiting } from './inventory.ts';
import { PackCache } from './pack-cache.ts';
import { readPart } from './read-part.ts';
import { assertKey, type ByteRange, missingObject, type QueueState, type Store, type StoredObject } from './store.ts';

export interface QueueDescription {
  /** On this host, for all of its processes. */
  folder: string;
  cacheBytes: number;
  /** More than this waits for the store at no time. */
  queueBytes: number;
  /** Whose the store is: one host's of one platform. */
  owner: string;
}

const UPLOADS_AT_ONCE = 4;
const LOOK_AHEAD = 64;
/** A pack that is asked for more often than this by one process is fetched as a whole. */
const PARTS_OF_A_PACK = 3;
const OWNER_KEY = 'owner';
const ABANDONED_AFTER_MS = 24 * 3600_000;
const TEMPORARY = '.new-';

/**
 * A store that is far away, with this disk before it. A put is on this disk when it resolves, and goes to the store by itself (`upload`), in the order in which things
 * were put: so what is there is whole at any time, snapshots never come before their packs, and while it is away backups go on. What was stored lately or is asked for
 * again and again is read from this disk.
 */
export class QueuedStore implements Store {
  readonly #remote: Store;
  readonly #inventory: Inventory;
  readonly #cache: PackCache;
  readonly #folder: string;
  readonly #opened: number;
  readonly #options: QueueDescription;
  readonly #partsAsked = new Map<string, number>();
  #known: Promise<void> | undefined;

  constructor(remote: Store, options: QueueDescription) {
    this.#remote = remote;
    this.#options = options;
    this.#folder = join(options.folder, 'queue');
    this.#inventory = new Inventory(options.folder);
    this.#cache = new PackCache(this.#inventory, join(options.folder, 'cache'), options.cacheBytes);
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    this.#opened = openSync(this.#folder, 'r');
  }

  async put(key: string, parts: readonly Uint8Array[]): Promise<void> {
    assertKey(key);
    await this.#knowAll();
    const bytes = parts.reduce((sum, part) => sum + part.length, 0);
    const { queueBytes } = this.#options;
    if (this.#inventory.queued().bytes + bytes > queueBytes)
      throw new TimeMachineFailure(
        'store_away',
        `The store of backups takes nothing, and the queue of ${queueBytes} bytes is full`,
      );
    const draft = join(this.#folder, `${TEMPORARY}${randomBytes(9).toString('hex')}`);
    try {
      await diskOperations.writeNew(draft, parts);
      // The name is taken within the transaction: what a kill leaves behind without a row gives way to the next with its number.
      this.#inventory.inTransaction(() => {
        const seq = this.#inventory.enqueue(key, 'put', bytes, Date.now());
        renameSync(draft, this.#pathOf(seq));
        fsyncSync(this.#opened);
        this.#inventory.add(key, bytes, Date.now(), null);
      });
    } catch (error) {
      rmSync(draft, { force: true });
      throw error;
    }
  }

  async get(key: string, range?: ByteRange): Promise<Buffer> {
    assertKey(key);
    await this.#knowAll();
    if (!this.#inventory.has(key)) throw missingObject(key);
    const here = this.#readQueued(key, range);
    if (here) return here;
    // Whoever wants all of a pack wants to know whether it is right where it is.
    const isKept = isSnapshot(key) || (isPack(key) && range !== undefined);
    const kept = isKept ? this.#cache.read(key, key, range) : undefined;
    if (kept) return kept;
    if (isPack(key) && range !== undefined) return this.#getPack(key, range);
    const bytes = await this.#remote.get(key, range);
    if (isSnapshot(key) && range === undefined) this.#cache.keep(key, bytes);
    return bytes;
  }

  async #getPack(key: string, range: ByteRange): Promise<Buffer> {
    // The index is what everybody reads of every pack.
    if ('last' in range) return this.#getTail(key, range.last);
    const asked = (this.#partsAsked.get(key) ?? 0) + 1;
    this.#partsAsked.set(key, asked);
    if (asked <= PARTS_OF_A_PACK) return this.#remote.get(key, range);
    this.#partsAsked.delete(key);
    const whole = await this.#remote.get(key);
    this.#cache.keep(key, whole);
    return this.#cache.read(key, key, range) ?? this.#remote.get(key, range);
  }

  async #getTail(key: string, last: number): Promise<Buffer> {
    const name = `${key}.tail`;
    const known = this.#cache.read(name, key, { last });
    if (known?.length === last) return known;
    const tail = await this.#remote.get(key, { last });
    this.#cache.keep(tail.length < last ? key : name, tail);
    return tail;
  }

  #readQueued(key: string, range: ByteRange | undefined): Buffer | undefined {
    for (const seq of this.#inventory.waitingPuts(key)) {
      const found = readPart(this.#pathOf(seq), key, range);
      // Else it has arrived in this very moment.
      if (found) return found;
    }
    return undefined;
  }

  async list(prefix: string): Promise<StoredObject[]> {
    await this.#knowAll();
    return this.#inventory.list(prefix).map(({ key, sizeBytes, storedAtMs }) => ({ key, sizeBytes, storedAtMs }));
  }

  async names(prefix: string): Promise<string[]> {
    await this.#knowAll();
    return this.#inventory.names(prefix).sort();
  }

  /** What still waits goes at once; of everything else the store is told in turn. */
  async delete(key: string): Promise<void> {
    assertKey(key);
    await this.#knowAll();
    const waiting = this.#inventory.inTransaction(() => {
      const puts = this.#inventory.waitingPuts(key);
      for (const seq of puts) this.#inventory.dequeue(seq);
      if (this.#inventory.has(key)) this.#inventory.enqueue(key, 'delete', 0, Date.now());
      this.#inventory.remove(key);
      return puts;
    });
    for (const seq of waiting) rmSync(this.#pathOf(seq), { force: true });
    this.#cache.drop(key);
    this.#cache.drop(`${key}.tail`);
  }

  /** Until nothing waits, or the store takes nothing more. Two at once do the same work twice, and no harm. */
  async upload(): Promise<QueueState> {
    let trouble: string | null = null;
    try {
      await this.#knowAll();
      for (let waiting = this.#next(); waiting.length > 0; waiting = this.#next()) await this.#uploadAll(waiting);
    } catch (error) {
      trouble = (error as Error).message;
    }
    return { ...this.#inventory.queued(), trouble };
  }

  /** What may go side by side: nothing passes a snapshot or a deletion, and these pass nothing. */
  #next(): Waiting[] {
    const waiting = this.#inventory.waiting(LOOK_AHEAD);
    const [first] = waiting;
    const end = waiting.findIndex((each) => classOf(each) !== classOf(first as Waiting));
    return end < 0 ? waiting : waiting.slice(0, end);
  }

  async #uploadAll(waiting: Waiting[]): Promise<void> {
    const left = [...waiting];
    const work = async () => {
      for (let next = left.shift(); next; next = left.shift()) await this.#uploadOne(next);
    };
    const results = await Promise.allSettled(Array.from({ length: UPLOADS_AT_ONCE }, work));
    const failed = results.find((each) => each.status === 'rejected');
    if (failed) throw failed.reason;
  }

  async #uploadOne({ seq, key, kind, bytes }: Waiting): Promise<void> {
    if (kind === 'delete') {
      await this.#remote.delete(key);
      this.#inventory.dequeue(seq);
      return;
    }
    const path = this.#pathOf(seq);
    const content = await readFile(path).catch((error) => {
      // It was deleted meanwhile.
      if (error.code !== 'ENOENT') throw error;
    });
    if (!content) return void this.#inventory.dequeue(seq);
    await this.#remote.put(key, [content]);
    const isOurs = this.#inventory.inTransaction(() => {
      if (!this.#inventory.dequeue(seq)) return false;
      this.#inventory.noteUploaded(key, Date.now());
      return true;
    });
    const isHot = isPack(key) || isSnapshot(key);
    if (!isOurs || !isHot || !this.#cache.adopt(key, path, bytes)) rmSync(path, { force: true });
  }

  async lookAgain(prefix: string): Promise<void> {
    const fromMs = Date.now();
    await this.#knowAll();
    const inventory = this.#inventory;
    const known = new Map(inventory.list(prefix).map((each) => [each.key, each]));
    // Snapshots are read from here otherwise, whatever became of them there.
    for (const key of known.keys()) if (isSnapshot(key)) this.#cache.drop(key);
    for (const { key, sizeBytes, storedAtMs } of await this.#remote.list(prefix)) {
      if (known.delete(key) || inventory.isWaiting(key) || inventory.has(key)) continue;
      // It may have been deleted since the list was made.
      if (await this.#isThere(key)) inventory.inTransaction(() => inventory.add(key, sizeBytes, storedAtMs, fromMs));
    }
    for (const { key, uploadedAtMs } of known.values()) {
      if (uploadedAtMs === null || uploadedAtMs >= fromMs || inventory.isWaiting(key)) continue;
      if (await this.#isThere(key)) continue;
      inventory.inTransaction(() => inventory.remove(key));
      this.#cache.drop(key);
      this.#cache.drop(`${key}.tail`);
    }
  }

  async #isThere(key: string): Promise<boolean> {
    try {
      await this.#remote.get(key, { start: 0, length: 0 });
      return true;
    } catch (error) {
      if (failedBy(error, 'missing_object')) return false;
      throw error;
    }
  }

  async removeAbandoned(nowMs = Date.now()): Promise<void> {
    for (const name of await readdir(this.#folder)) {
      const path = join(this.#folder, name);
      if (!(await isOlder(path, nowMs))) continue;
      // A kill between file and row leaves a number, which a put may take at any time: so nobody puts meanwhile.
      this.#inventory.inTransaction(() => {
        const isLeft = /^\d+$/.test(name) ? !this.#inventory.isQueued(Number(name)) : name.startsWith(TEMPORARY);
        if (isLeft) rmSync(path, { force: true });
      });
    }
    await this.#cache.removeDrafts((path) => isOlder(path, nowMs));
    await this.#remote.removeAbandoned?.();
  }

  close(): void {
    closeSync(this.#opened);
    this.#inventory.close();
  }

  /** All that is there, which is asked for once in the life of this folder; and that the store is ours. */
  #knowAll(): Promise<void> {
    this.#known ??= this.#learn().catch((error) => {
      this.#known = undefined;
      throw error;
    });
    return this.#known;
  }

  async #learn(): Promise<void> {
    const inventory = this.#inventory;
    if (inventory.fact('owner') === this.#options.owner) return;
    await this.#claim();
    const found = await this.#remote.list('');
    const now = Date.now();
    inventory.inTransaction(() => {
      for (const { key, sizeBytes, storedAtMs } of found) {
        if (key !== OWNER_KEY && !inventory.isWaiting(key)) inventory.add(key, sizeBytes, storedAtMs, now);
      }
      inventory.noteFact('owner', this.#options.owner);
    });
  }

  /** Two that both begin at once in an empty place write one after the other, and the one that does not find itself there steps back. */
  async #claim(): Promise<void> {
    const { owner } = this.#options;
    const read = async () => {
      try {
        return `${await this.#remote.get(OWNER_KEY)}`;
      } catch (error) {
        if (failedBy(error, 'missing_object')) return undefined;
        throw error;
      }
    };
    if ((await read()) === undefined) await this.#remote.put(OWNER_KEY, [Buffer.from(owner)]);
    if ((await read()) !== owner)
      throw new Error(
        'The store of backups belongs to another host or platform: give each one a prefix of its own in BACKUP_STORE',
      );
  }

  #pathOf(seq: number): string {
    return join(this.#folder, `${seq}`);
  }
}

async function isOlder(path: string, nowMs: number): Promise<boolean> {
  const { mtimeMs = nowMs } = await stat(path).catch(() => ({ mtimeMs: nowMs }));
  return nowMs - mtimeMs > ABANDONED_AFTER_MS;
}

const isPack = (key: string) => key.includes('packs/');

const isSnapshot = (key: string) => key.includes('/snapshots/');

function classOf({ kind, key }: Waiting): string {
  return kind === 'put' && isSnapshot(key) ? 'snapshot' : kind;
}
