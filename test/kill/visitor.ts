import { setTimeout as sleep } from 'node:timers/promises';
import { visit } from '#testkit/clients/visit.ts';
import { type Page, textOf } from './known-site.ts';

/** What visitors may see of a site, and when: the pages in the order in which they may come, or anything at all. */
export class Showing {
  readonly #past: (readonly Page[] | 'anything')[] = ['anything'];

  /** From now on visitors see the first of these, and after it the next; nobody goes back, and nobody sees a mixture. */
  allow(pages: readonly Page[] | 'anything'): void {
    this.#past.push(pages);
  }

  get moment(): number {
    return this.#past.length - 1;
  }

  /** Judges an answer that was asked for at `since` and is here now. */
  accepts(since: number, isSeen: (page: Page) => boolean): boolean {
    const possible = this.#past.slice(since);
    if (possible.includes('anything')) return true;
    const now = possible.at(-1) as readonly Page[];
    const index = now.findIndex(isSeen);
    // Whoever has seen the new state must not see the old one again.
    if (possible.length === 1 && index > 0) this.allow(now.slice(index));
    return possible.some((pages) => (pages as readonly Page[]).some(isSeen));
  }
}

const PATIENCE_MS = 10_000;

/** Looks at a site again and again, one request after the other, whatever becomes of each. */
export class Visitor {
  readonly faults: string[] = [];
  answers = 0;
  readonly #url: string;
  readonly #host: string;
  readonly #showing: Showing;

  constructor(url: string, host: string, showing: Showing) {
    this.#url = url;
    this.#host = host;
    this.#showing = showing;
  }

  /** Files as they are on disk: the one that a restore places first, then the one that it places last. */
  async readFiles(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      await this.#look('/wp-content/a.txt', (text) => (page) => page.first === text);
      await this.#look('/wp-content/z.txt', (text) => (page) => page.last === text);
    }
  }

  /** One page of PHP that reads both files and the database. */
  async readPage(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) await this.#look('/wp-content/page.php', (text) => (page) => textOf(page) === text);
  }

  /** Waits until the visitor has seen the site as it is now, or has waited for long. */
  async hasSeen(stop: AbortSignal): Promise<void> {
    const before = this.answers;
    const end = Date.now() + PATIENCE_MS;
    while (this.answers === before && Date.now() < end && !stop.aborted) await sleep(20);
  }

  async #look(path: string, reading: (text: string) => (page: Page) => boolean): Promise<void> {
    const since = this.#showing.moment;
    try {
      const { status, text } = await visit({ url: this.#url }, this.#host, path);
      if (status !== 200) return void (await sleep(50));
      this.answers++;
      if (!this.#showing.accepts(since, reading(text))) this.faults.push(`${this.#host}${path} showed ${text}`);
    } catch {
      // The service is gone for a moment.
      await sleep(50);
    }
    await sleep(5);
  }
}
