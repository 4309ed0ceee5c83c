/** How many of something each one has at a time: a team, a person, an address. */
export class Shares {
  readonly limit: number;
  readonly #taken = new Map<string, number>();

  constructor(limit: number) {
    this.limit = limit;
  }

  isFull(who: string): boolean {
    return this.#of(who) >= this.limit;
  }

  /** Returns how to give it back; undefined where they have all that they may. */
  take(who: string): (() => void) | undefined {
    if (this.isFull(who)) return undefined;
    this.#taken.set(who, this.#of(who) + 1);
    let isTaken = true;
    return () => {
      if (isTaken) this.#giveBack(who);
      isTaken = false;
    };
  }

  #giveBack(who: string): void {
    const left = this.#of(who) - 1;
    if (left > 0) this.#taken.set(who, left);
    else this.#taken.delete(who);
  }

  #of(who: string): number {
    return this.#taken.get(who) ?? 0;
  }
}
