/** Work on many things: of each thing one piece of work after another, in the order in which it was asked for. */
export class InTurn {
  readonly #last = new Map<string, Promise<void>>();

  next<T>(id: string, act: () => Promise<T>): Promise<T> {
    const work = this.ended(id).then(act);
    const over = work.then(
      () => {},
      () => {},
    );
    this.#last.set(id, over);
    void over.then(() => {
      if (this.#last.get(id) === over) this.#last.delete(id);
    });
    return work;
  }

  /** When all that was asked for so far is over. */
  async ended(id: string): Promise<void> {
    await this.#last.get(id);
  }
}
