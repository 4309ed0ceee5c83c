/** What is changed by hand in the content of sites: of each, one change after another. */
export class ContentChanges {
  readonly #last = new Map<string, Promise<void>>();

  next<T>(siteId: string, act: () => Promise<T>): Promise<T> {
    const change = this.ended(siteId).then(act);
    const over = change.then(
      () => {},
      () => {},
    );
    this.#last.set(siteId, over);
    void over.then(() => {
      if (this.#last.get(siteId) === over) this.#last.delete(siteId);
    });
    return change;
  }

  /** When all that was asked for so far is over. */
  async ended(siteId: string): Promise<void> {
    await this.#last.get(siteId);
  }
}
