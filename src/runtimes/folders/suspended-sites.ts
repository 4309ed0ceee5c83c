import { SiteFailure } from '#runtimes/runtime.ts';

/** The sites whose files some work has to itself, each for as long as anybody wants that. */
export class SuspendedSites {
  /** A mark for each work. */
  readonly #marks = new Map<string, Set<symbol>>();

  isSuspended(siteId: string): boolean {
    return this.#marks.has(siteId);
  }

  requireOpen(siteId: string): void {
    if (this.isSuspended(siteId)) throw new SiteFailure('stopped', 'The site is being worked on.');
  }

  /** Nothing of the site starts from here on; `end` ends what runs. The returned function lets it go. */
  async suspend(siteId: string, end: () => Promise<void>): Promise<() => void> {
    const mark = Symbol(siteId);
    const marks = this.#marks.get(siteId) ?? new Set();
    this.#marks.set(siteId, marks.add(mark));
    const resume = () => {
      marks.delete(mark);
      if (marks.size === 0 && this.#marks.get(siteId) === marks) this.#marks.delete(siteId);
    };
    try {
      await end();
      return resume;
    } catch (error) {
      resume();
      throw error;
    }
  }
}
