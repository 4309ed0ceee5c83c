import type { IncomingHttpHeaders } from 'node:http';
import type { MemoryBudget } from '../memory-budget.ts';
import { variantKey } from './cache-key.ts';
import type { Flight } from './flight.ts';
import type { Freshness } from './freshness.ts';
import { type PageContent, StoredPage } from './stored-page.ts';

const UNKEPT_MS = 30_000;
const MAX_UNKEPT = 1_000;
/** Of one site. Whoever asks for paths at random makes many of them, and each is worth little. */
const MAX_NOT_FOUND = 50;
const NOT_FOUND_BYTES = 256 * 1024;

/** The memory that all sites share: pages that are missing are apart, so that they push out none that is there. */
export interface PageMemory {
  pages: MemoryBudget;
  notFound: MemoryBudget;
}

interface Variants {
  names: readonly string[];
  places: Set<string>;
}

/** A site's cached pages. A purge forgets all of them and makes every answer that is on its way too old to be kept. */
export class SitePages {
  readonly #siteId: string;
  readonly #memory: PageMemory;
  readonly #pages = new Map<string, StoredPage>();
  /** Those of them that say that there is nothing, oldest first. */
  readonly #notFound = new Set<StoredPage>();
  /** The headers that a page depends on and where its variants are, for those pages whose answers named any. */
  readonly #varied = new Map<string, Variants>();
  /** The one request per missed page that is under way. */
  readonly flights = new Map<string, Flight>();
  /** Pages that said a moment ago that they must not be kept, and until when that is believed. */
  readonly #unkept = new Map<string, number>();
  generation = 0;

  constructor(siteId: string, memory: PageMemory) {
    this.#siteId = siteId;
    this.#memory = memory;
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
    const variants = this.#varied.get(key);
    return variants && this.#pages.get(variantKey(key, variants.names, headers));
  }

  /** Whether the page is known to differ between visitors with cookies. */
  dependsOnCookies(key: string): boolean {
    return this.#varied.size > 0 && (this.#varied.get(key)?.names.includes('cookie') ?? false);
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

  /** Makes a page of what was asked for in the given generation with these headers, and keeps it where it may be. */
  store(
    { key, headers, generation }: { key: string; headers: IncomingHttpHeaders; generation: number },
    names: readonly string[],
    content: PageContent,
    freshness: Freshness,
  ): StoredPage {
    const place = variantKey(key, names, headers);
    const isNotFound = content.answer.status === 404;
    const budget = isNotFound ? this.#memory.notFound : this.#memory.pages;
    const page = new StoredPage(content, freshness, performance.now(), budget, () => this.#forget(key, place, page));
    if (generation !== this.generation || (isNotFound && content.body.length > NOT_FOUND_BYTES)) return page;
    this.#dropUnlike(key, names);
    this.#drop(this.#pages.get(place));
    if (names.length > 0) {
      const variants = this.#varied.get(key) ?? { names, places: new Set<string>() };
      variants.places.add(place);
      this.#varied.set(key, variants);
    }
    this.#pages.set(place, page);
    if (isNotFound) this.#boundNotFound(page);
    budget.add(page, this.#siteId);
    return page;
  }

  #boundNotFound(page: StoredPage): void {
    const [oldest] = this.#notFound;
    if (this.#notFound.size >= MAX_NOT_FOUND) this.#drop(oldest);
    this.#notFound.add(page);
  }

  drop(key: string, headers: IncomingHttpHeaders): void {
    this.#drop(this.find(key, headers));
  }

  /** Nobody would find what was kept under other headers than the page depends on now. */
  #dropUnlike(key: string, names: readonly string[]): void {
    const variants = this.#varied.get(key);
    if (!variants) this.#drop(this.#pages.get(key));
    else if (variants.names.join() !== names.join())
      for (const place of [...variants.places]) this.#drop(this.#pages.get(place));
  }

  #drop(page: StoredPage | undefined): void {
    if (!page) return;
    page.release();
    page.forget();
  }

  /** Another page may be at its place by now, and that one stays. */
  #forget(key: string, place: string, page: StoredPage): void {
    this.#notFound.delete(page);
    if (this.#pages.get(place) !== page) return;
    this.#pages.delete(place);
    const variants = this.#varied.get(key);
    variants?.places.delete(place);
    if (variants?.places.size === 0) this.#varied.delete(key);
  }

  purge(): void {
    this.generation++;
    for (const page of this.#pages.values()) page.release();
    this.#pages.clear();
    this.#notFound.clear();
    this.#varied.clear();
    this.#unkept.clear();
    // Whoever comes from now on must not wait for an answer that was made before.
    this.flights.clear();
  }
}
