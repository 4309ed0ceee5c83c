/** Something that may be thrown away when memory runs short. */
export interface Kept {
  sizeBytes: number;
  /** Set by each use. */
  used: boolean;
  /** Called when the budget throws it away, to be forgotten by whoever finds it. */
  forget(): void;
}

/**
 * Holds the sum of what is kept under a limit. What was not used since the last look goes first, oldest first: a use
 * only sets a flag, which costs a request nothing, and comes close to dropping what was least recently used.
 */
export class MemoryBudget {
  readonly #kept = new Set<Kept>();
  readonly #limitBytes: number;
  sizeBytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  add(item: Kept): void {
    this.#kept.add(item);
    this.sizeBytes += item.sizeBytes;
    this.#shrink();
  }

  /** An item got larger; one that was removed meanwhile does not count. */
  grow(item: Kept, bytes: number): void {
    item.sizeBytes += bytes;
    if (!this.#kept.has(item)) return;
    this.sizeBytes += bytes;
    this.#shrink();
  }

  remove(item: Kept): void {
    if (this.#kept.delete(item)) this.sizeBytes -= item.sizeBytes;
  }

  #shrink(): void {
    // Each round either drops an item or takes its flag, so that it ends.
    for (const item of this.#kept) {
      if (this.sizeBytes <= this.#limitBytes) return;
      this.#kept.delete(item);
      if (item.used) {
        item.used = false;
        this.#kept.add(item);
      } else {
        this.sizeBytes -= item.sizeBytes;
        item.forget();
      }
    }
  }
}
