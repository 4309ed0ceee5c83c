/** One site has no more than this many compressors at work: each takes up to a megabyte. */
const MAX_PASSING = 32;
/** What was not used is saved up for so long. */
const SAVED_SECONDS = 2;

/**
 * What compressing may take of the processor, counted in bytes that go in. Whoever has used it up sends answers as they are, which
 * costs bytes and no time. A site has one, which keeps it from taking more than its part, and all of them share another, which
 * bounds what the edge spends.
 */
export class Allowance {
  readonly #perSecond: number;
  readonly #shared: Allowance | undefined;
  #left: number;
  #countedAtMs = performance.now();
  #passing = 0;

  constructor(perSecond: number, shared?: Allowance) {
    this.#perSecond = perSecond;
    this.#left = perSecond * SAVED_SECONDS;
    this.#shared = shared;
  }

  /** Takes what compressing so many bytes costs, unless that is too much now. */
  spend(bytes: number): boolean {
    if (this.#count() < bytes || (this.#shared && !this.#shared.spend(bytes))) return false;
    this.#left -= bytes;
    return true;
  }

  /** The same for an answer that began and whose length nobody knew. Returns how long to wait before more of it. */
  overdraw(bytes: number): number {
    this.#shared?.overdraw(bytes);
    this.#count();
    this.#left -= bytes;
    return this.#left >= 0 ? 0 : Math.ceil((-this.#left / this.#perSecond) * 1000);
  }

  /** Whether an answer of this length, or of any, may be compressed on its way. To be followed by `end`. */
  begin(lengthBytes: number | undefined): boolean {
    if (this.#passing >= MAX_PASSING || !this.spend(lengthBytes ?? 0)) return false;
    this.#passing++;
    return true;
  }

  end(): void {
    this.#passing--;
  }

  #count(): number {
    const nowMs = performance.now();
    const gained = ((nowMs - this.#countedAtMs) / 1000) * this.#perSecond;
    this.#countedAtMs = nowMs;
    this.#left = Math.min(this.#left + gained, this.#perSecond * SAVED_SECONDS);
    return this.#left;
  }
}
