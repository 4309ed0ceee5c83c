import { randomInt } from 'node:crypto';
import type { Asked } from './asked.ts';
import { isFeed, isRest } from './cache/cache-policy.ts';
import { isUnder } from './path-prefix.ts';

const VISIT_MS = 30 * 60_000;
const MAX_REMEMBERED = 500_000;
const EDITOR_COOKIE = /(?:^|;)\s*wordpress_logged_in/;

/**
 * Counts visits: one visitor's pages within half an hour of the first are one. Visitors are remembered as numbers
 * that nobody can turn back into an address, for half an hour, and not more of them than fit.
 */
export class Visitors {
  readonly #countedAtMs = new Map<number, number>();
  readonly #seed: number;
  readonly #onNew: (visitor: number) => void;

  /** Numbers made with another seed mean nothing here. `onNew` is told of each visit that counts. */
  constructor(seed = randomInt(2 ** 32), onNew: (visitor: number) => void = () => undefined) {
    this.#seed = seed;
    this.#onNew = onNew;
  }

  /** To be called for each page that a visitor got. */
  count(visit: Asked, nowMs: number): void {
    const { method, headers, path, query, gate } = visit;
    if (method !== 'GET' || !isPageView(path, query)) return;
    if (headers.cookie !== undefined && EDITOR_COOKIE.test(headers.cookie)) return;
    gate.counter.lastVisitAtMs = Date.now();
    const visitor = this.#number(gate.site.id, visit.clientAddress, headers['user-agent'] ?? '');
    const countedAtMs = this.#countedAtMs.get(visitor);
    if (countedAtMs !== undefined && nowMs - countedAtMs < VISIT_MS) return;
    gate.counter.visits++;
    this.remember(visitor, nowMs);
    this.#onNew(visitor);
  }

  /** Another process, which answers on the same port, has counted this visit. */
  remember(visitor: number, nowMs: number): void {
    // Put back at the end, so that the map stays in the order of time.
    this.#countedAtMs.delete(visitor);
    this.#countedAtMs.set(visitor, nowMs);
    this.#forget(nowMs);
  }

  #forget(nowMs: number): void {
    for (const [visitor, countedAtMs] of this.#countedAtMs) {
      if (nowMs - countedAtMs < VISIT_MS && this.#countedAtMs.size <= MAX_REMEMBERED) return;
      this.#countedAtMs.delete(visitor);
    }
  }

  /** 53 bits from two rounds of FNV-1a: two visitors that fall together once in a great while are one visit less. */
  #number(...parts: string[]): number {
    let low = this.#seed;
    let high = ~this.#seed;
    for (const part of parts) {
      for (let index = 0; index < part.length; index++) {
        const code = part.charCodeAt(index);
        low = Math.imul(low ^ code, 0x01000193);
        high = Math.imul(high ^ code, 0x01000197);
      }
      low = Math.imul(low ^ 0x1f, 0x01000193);
    }
    return (low >>> 0) + (high & 0x1fffff) * 2 ** 32;
  }
}

function isPageView(path: string, query: string): boolean {
  if (isUnder(path, '/wp-admin') || isUnder(path, '/wp-login.php') || isRest(path, query)) return false;
  return !isFeed(path, query);
}
