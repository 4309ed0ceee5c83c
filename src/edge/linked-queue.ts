/** One item's position in a LinkedQueue. */
export class QueueLink<T> {
  readonly item: T | undefined;
  previous: QueueLink<T> = this;
  next: QueueLink<T> = this;

  constructor(item?: T) {
    this.item = item;
  }

  leave(): void {
    this.previous.next = this.next;
    this.next.previous = this.previous;
    this.previous = this;
    this.next = this;
  }
}

/**
 * A queue whose items can leave from anywhere in constant time. A Set that many items have left takes linear time to find
 * its first one.
 */
export class LinkedQueue<T> {
  /** Stands behind the last link and before the first one. */
  readonly #end = new QueueLink<T>();

  first(): T | undefined {
    return this.#end.next.item;
  }

  /** Puts a link behind all others, where it may be in the queue already. */
  push(link: QueueLink<T>): void {
    link.leave();
    link.previous = this.#end.previous;
    link.next = this.#end;
    this.#end.previous.next = link;
    this.#end.previous = link;
  }
}
