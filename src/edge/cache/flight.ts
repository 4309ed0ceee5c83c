/**
 * The one request for a missed page. Whoever asks for the page meanwhile waits for it: true means that it is in the
 * cache now, false that it can not be, so that each has to go by themselves.
 */
export class Flight {
  readonly #ended = Promise.withResolvers<boolean>();
  #isOver = false;
  /** Visitors that wait for it besides the one who began it. */
  waiting = 0;

  constructor() {
    // A flight that nobody waits for may fail without a word.
    this.#ended.promise.catch(() => undefined);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  async wait(): Promise<boolean> {
    this.waiting++;
    try {
      return await this.#ended.promise;
    } finally {
      this.waiting--;
    }
  }

  end(isStored: boolean): void {
    this.#isOver = true;
    this.#ended.resolve(isStored);
  }

  fail(error: unknown): void {
    this.#isOver = true;
    this.#ended.reject(error);
  }
}
