interface Sized {
  sizeBytes: number;
}

/** A binary heap of items by size: the largest is at the top, and a change of size takes logarithmic time. */
export class MaxHeap<T extends Sized> {
  readonly #heap: T[] = [];
  readonly #indexes = new Map<T, number>();

  max(): T | undefined {
    return this.#heap[0];
  }

  /** Adds an item, or moves it after a change of its size. */
  place(item: T): void {
    const index = this.#indexes.get(item) ?? this.#heap.length;
    this.#sink(item, this.#raise(item, index));
  }

  delete(item: T): void {
    const index = this.#indexes.get(item);
    if (index === undefined) return;
    this.#indexes.delete(item);
    const last = this.#heap.pop() as T;
    if (last !== item) this.#sink(last, this.#raise(last, index));
  }

  /** Moves the item up until no parent is smaller, and returns its index. */
  #raise(item: T, from: number): number {
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = this.#heap[parent] as T;
      if (above.sizeBytes >= item.sizeBytes) break;
      this.#setAt(above, index);
      index = parent;
    }
    this.#setAt(item, index);
    return index;
  }

  /** Moves the item down until no child is larger. */
  #sink(item: T, from: number): void {
    let index = from;
    for (;;) {
      const left = 2 * index + 1;
      const right = this.#heap[left + 1];
      const child = right && right.sizeBytes > (this.#heap[left] as T).sizeBytes ? left + 1 : left;
      const below = this.#heap[child];
      if (!below || below.sizeBytes <= item.sizeBytes) break;
      this.#setAt(below, index);
      index = child;
    }
    this.#setAt(item, index);
  }

  #setAt(item: T, index: number): void {
    this.#heap[index] = item;
    this.#indexes.set(item, index);
  }
}
