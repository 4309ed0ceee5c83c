/** What has not gone in this time is at a long request, and others are asked in its stead. */
const SOON_MS = 2_000;

/** What is on its way out so that there is room. */
export class Leaving {
  readonly #since = new Map<Promise<unknown>, number>();

  /** How many are about to be gone. */
  get soon(): number {
    const now = performance.now();
    return [...this.#since.values()].filter((since) => now - since < SOON_MS).length;
  }

  /** Resolves when it is gone, or could not be ended. */
  add(left: Promise<unknown>): Promise<void> {
    const gone = left
      .catch(() => {})
      .then(() => {
        this.#since.delete(gone);
      });
    this.#since.set(gone, performance.now());
    return gone;
  }
}
