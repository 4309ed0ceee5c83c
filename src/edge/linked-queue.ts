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
 * A queue from which any item can be removed in constant time. Finding the first item of a Set takes linear time after
 * many deletions.
 */
export class LinkedQueue<T> {
  /** Stands behind the last link and before the first one. */
  readonly #end = new QueueLink<T>();

  first(): T | undefined {
    return this.#end.next.item;
  }

  /** Appends a link, or moves it to the end if it is in the queue already. */
  push(link: QueueLink<T>): void {
    link.leave();
    link.previous = this.#end.previous;
    link.next = this.#end;
    this.#end.previous.next = link;
    this.#end.previous = link;
  }
}
