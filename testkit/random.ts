/** The long forms of tests that try many things: `FULL=1`. */
export const FULL = process.env.FULL === '1';

/**
 * What chance decides is the same in every `npm test`, so that what landed yesterday does not fail today; the long forms
 * try something else each time. SEED=n for the one that failed.
 */
export const SEED = Number(process.env.SEED ?? (FULL ? Date.now() % 1e6 : 1));

/** Numbers that look random and are the same for the same seed (mulberry32), so that a failure can be seen again. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** From 0 up to, not including, 1. */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** From 0 up to, not including, `below`. */
  below(below: number): number {
    return Math.floor(this.fraction() * below);
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T;
  }

  shuffled<T>(items: readonly T[]): T[] {
    const drawn = items.map((item) => ({ item, order: this.fraction() }));
    return drawn.sort((a, b) => a.order - b.order).map(({ item }) => item);
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)));
  }

  text(length: number): string {
    const words = ['post', 'page', '<p>', '</p>', 'größe', "it's", 'meta', 'wp_', '\u0000*\u0000', '漢字', '😀', '\n'];
    let text = '';
    while (text.length < length) text += `${this.pick(words)}${this.below(1000)} `;
    return text;
  }
}
