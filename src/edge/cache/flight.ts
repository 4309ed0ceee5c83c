import { type Leaving, Left } from '../leaving.ts';

/**
 * The one request for a missed page. Whoever asks for the page meanwhile waits for it: true means that it is in the
 * cache now, false that it can not be, so that each has to go by themselves.
 */
export class Flight {
  readonly #ended = Promise.withResolvers<boolean>();
  /** Visitors that wait for it besides the one who began it. */
  waiting = 0;

  constructor() {
    // A flight that nobody waits for may fail without a word.
    this.#ended.promise.catch(() => undefined);
  }

  /** Fails with Left when the visitor goes before it ends. */
  async wait(leaving: Leaving): Promise<boolean> {
    this.waiting++;
    const left = Promise.withResolvers<never>();
    leaving.onLeave(() => left.reject(new Left()));
    try {
      return await Promise.race([this.#ended.promise, left.promise]);
    } finally {
      this.waiting--;
    }
  }

  end(isStored: boolean): void {
    this.#ended.resolve(isStored);
  }

  fail(error: unknown): void {
    this.#ended.reject(error);
  }
}
