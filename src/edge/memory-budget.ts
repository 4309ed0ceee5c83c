import { LinkedQueue, QueueLink } from './linked-queue.ts';
import { MaxHeap } from './max-heap.ts';

/** Something that may be thrown away when memory runs short. */
export interface Kept {
  sizeBytes: number;
  /** Set by each use. */
  used: boolean;
  /** Called when the budget throws it away, to be forgotten by whoever finds it. */
  forget(): void;
}

/** A site, or what else stores items. */
interface Owner {
  name: string;
  sizeBytes: number;
  queue: LinkedQueue<Entry>;
}

class Entry {
  readonly item: Kept;
  readonly owner: Owner;
  queuedAtMs = 0;
  readonly amongAll = new QueueLink<Entry>(this);
  readonly amongOwn = new QueueLink<Entry>(this);

  constructor(item: Kept, owner: Owner) {
    this.item = item;
    this.owner = owner;
  }
}

/** An item unused for this long is evicted first, regardless of its owner. */
const UNUSED_MS = 3_600_000;

/**
 * Limits the total size of cached items. Items unused for an hour are evicted first; then the largest owner loses its
 * oldest item. So one owner can use all of the memory while others do not need it, and cannot evict the items of a
 * smaller owner. An item that was used since the last check is spared once: a use only sets a flag, which costs a
 * request nothing and approximates LRU (the clock algorithm).
 */
export class MemoryBudget {
  readonly #limitBytes: number;
  readonly #entries = new Map<Kept, Entry>();
  /** Of all owners. */
  readonly #queue = new LinkedQueue<Entry>();
  readonly #owners = new Map<string, Owner>();
  readonly #largest = new MaxHeap<Owner>();
  sizeBytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** `ownerName`: usually the id of the site. */
  add(item: Kept, ownerName: string): void {
    const owner = this.#owners.get(ownerName) ?? { name: ownerName, sizeBytes: 0, queue: new LinkedQueue() };
    this.#owners.set(ownerName, owner);
    const entry = new Entry(item, owner);
    this.#entries.set(item, entry);
    this.#enqueue(entry);
    this.#resize(owner, item.sizeBytes);
    this.#shrink();
  }

  /** An item got larger; one that was removed meanwhile does not count. */
  grow(item: Kept, bytes: number): void {
    item.sizeBytes += bytes;
    const entry = this.#entries.get(item);
    if (!entry) return;
    this.#resize(entry.owner, bytes);
    this.#shrink();
  }

  remove(item: Kept): void {
    const entry = this.#entries.get(item);
    if (!entry) return;
    const { owner } = entry;
    this.#entries.delete(item);
    entry.amongAll.leave();
    entry.amongOwn.leave();
    this.#resize(owner, -item.sizeBytes);
    if (owner.queue.first()) return;
    this.#owners.delete(owner.name);
    this.#largest.delete(owner);
  }

  #resize(owner: Owner, bytes: number): void {
    this.sizeBytes += bytes;
    owner.sizeBytes += bytes;
    this.#largest.place(owner);
  }

  /** Behind all others. */
  #enqueue(entry: Entry): void {
    entry.queuedAtMs = performance.now();
    this.#queue.push(entry.amongAll);
    entry.owner.queue.push(entry.amongOwn);
  }

  #shrink(): void {
    while (this.sizeBytes > this.#limitBytes) {
      const oldest = this.#queue.first();
      const isUnused = oldest && performance.now() - oldest.queuedAtMs > UNUSED_MS;
      const entry = isUnused ? oldest : this.#largest.max()?.queue.first();
      if (!entry) return;
      // Each round evicts an item or clears its flag, so that it ends.
      if (entry.item.used) {
        entry.item.used = false;
        this.#enqueue(entry);
      } else {
        this.remove(entry.item);
        entry.item.forget();
      }
    }
  }
}
