import type { IncomingHttpHeaders } from 'node:http';
import type { MemoryBudget } from '../memory-budget.ts';
import { variantKey } from './cache-key.ts';
import type { Flight } from './flight.ts';
import type { Freshness } from './freshness.ts';
import { type PageContent, StoredPage } from './stored-page.ts';

const UNKEPT_MS = 30_000;
const MAX_UNKEPT = 1_000;

/** A site's cached pages. A purge forgets all of them and makes every answer that is on its way too old to be kept. */
export class SitePages {
  readonly #budget: MemoryBudget;
  readonly #pages = new Map<string, StoredPage>();
  /** The headers that a page depends on, for those pages whose answers named any. */
  readonly #varied = new Map<string, readonly string[]>();
  /** The one request per missed page that is under way. */
  readonly flights = new Map<string, Flight>();
  /** Pages that said a moment ago that they must not be kept, and until when that is believed. */
  readonly #unkept = new Map<string, number>();
  generation = 0;

  constructor(budget: MemoryBudget) {
    this.#budget = budget;
  }

  get objects(): number {
    return this.#pages.size;
  }

  get sizeBytes(): number {
    let sum = 0;
    for (const page of this.#pages.values()) sum += page.sizeBytes;
    return sum;
  }

  find(key: string, headers: IncomingHttpHeaders): StoredPage | undefined {
    const page = this.#pages.get(key);
    if (page || this.#varied.size === 0) return page;
    const names = this.#varied.get(key);
    return names && this.#pages.get(variantKey(key, names, headers));
  }

  /** Whether the page is known to differ between visitors with cookies. */
  dependsOnCookies(key: string): boolean {
    return this.#varied.size > 0 && (this.#varied.get(key)?.includes('cookie') ?? false);
  }

  /**
   * A page that must not be kept is asked for by each visitor at once: waiting for one another would only make them
   * slower. It is believed for a while, so that a page which changes its mind is kept again.
   */
  isUnkept(key: string, nowMs: number): boolean {
    if (this.#unkept.size === 0) return false;
    const untilMs = this.#unkept.get(key);
    return untilMs !== undefined && nowMs < untilMs;
  }

  leaveUnkept(key: string, nowMs: number): void {
    if (this.#unkept.size >= MAX_UNKEPT) this.#unkept.clear();
    this.#unkept.set(key, nowMs + UNKEPT_MS);
  }

  /** Keeps a page that was asked for in the given generation with these headers. */
  store(
    { key, headers, generation }: { key: string; headers: IncomingHttpHeaders; generation: number },
    names: readonly string[],
    content: PageContent,
    freshness: Freshness,
  ): void {
    if (generation !== this.generation) return;
    this.drop(key, headers);
    const place = names.length === 0 ? key : variantKey(key, names, headers);
    if (names.length > 0) this.#varied.set(key, names);
    const page = new StoredPage(content, freshness, Date.now(), this.#budget, () => {
      this.#pages.delete(place);
      this.#varied.delete(key);
    });
    this.#pages.set(place, page);
    this.#budget.add(page);
  }

  drop(key: string, headers: IncomingHttpHeaders): void {
    const page = this.find(key, headers);
    if (!page) return;
    this.#budget.remove(page);
    page.forget();
  }

  purge(): void {
    this.generation++;
    for (const page of this.#pages.values()) this.#budget.remove(page);
    this.#pages.clear();
    this.#varied.clear();
    this.#unkept.clear();
    // Whoever comes from now on must not wait for an answer that was made before.
    this.flights.clear();
  }
}
