import type { IncomingMessage } from 'node:http';
import { abortWhenLeft } from '../leaving.ts';
import type { Origin, OriginOptions } from '../origin.ts';
import { answerHeaders, requestHeaders } from '../proxy/headers.ts';
import type { Answer, Outgoing } from '../proxy/upstream.ts';
import type { Visit } from '../visit.ts';
import { pageKey, varyNames } from './cache-key.ts';
import { type Freshness, freshnessOf, isLeftOut, isRest } from './cache-policy.ts';
import { Flight } from './flight.ts';
import { lookUp } from './page-cache.ts';
import type { StoredPage } from './stored-page.ts';

/** A page whose refresh failed is shown for so long before the next try. */
const REFRESH_PAUSE_MS = 5_000;

/** How an answer may be kept. */
interface Keeping {
  freshness: Freshness;
  names: readonly string[];
}

/** Fetches what the cache misses: one request per page, however many ask for it. */
export class CacheFiller {
  readonly #origin: Origin;
  readonly #options: OriginOptions;

  constructor(origin: Origin, options: OriginOptions) {
    this.#origin = origin;
    this.#options = options;
  }

  async fill(visit: Visit, key: string): Promise<void> {
    const { flights } = visit.gate.site.pages;
    const flight = flights.get(key);
    if (!flight) return this.#fly(visit, key, (begun) => this.#fetch(visit, key, begun));
    const isStored = await flight.wait();
    if (visit.response.destroyed) return;
    const nowMs = Date.now();
    const page = isStored ? lookUp(visit)?.page : undefined;
    const state = page?.stateAt(nowMs);
    if (page && state) this.#origin.sendPage(visit, page, state, nowMs);
    else await this.#origin.pass(visit, 'MISS');
  }

  /** Fetches a page anew behind the back of the visitor who got the old one. */
  refresh(visit: Visit, key: string, page: StoredPage): void {
    if (Date.now() < page.refreshAfterMs || visit.gate.site.pages.flights.has(key)) return;
    page.refreshAfterMs = Date.now() + REFRESH_PAUSE_MS;
    // A page that can not be refreshed is shown as long as it may be; the next try comes after the pause.
    this.#fly(visit, key, (flight) => this.#fetchQuietly(visit, key, flight)).catch(() => undefined);
  }

  async #fly(visit: Visit, key: string, fetch: (flight: Flight) => Promise<void>): Promise<void> {
    const { flights } = visit.gate.site.pages;
    const flight = new Flight();
    flights.set(key, flight);
    try {
      await fetch(flight);
      flight.end(false);
    } catch (error) {
      flight.fail(error);
      throw error;
    } finally {
      // A purge may have made room for another one meanwhile.
      if (flights.get(key) === flight) flights.delete(key);
    }
  }

  async #fetch(visit: Visit, key: string, flight: Flight): Promise<void> {
    const { pages } = visit.gate.site;
    const { generation } = pages;
    let isAnswered = false;
    // Once it is answered it fills the cache, whether the first visitor waits for the rest or not.
    const leaving = abortWhenLeft(visit, () => flight.waiting === 0 && !isAnswered);
    const answer = await this.#options.upstream.send(visit.gate, this.#anonymous(visit, leaving.signal));
    isAnswered = true;
    const keeping = keepingOf(visit, answer.message);
    if (!keeping) {
      flight.end(false);
      await this.#origin.relay(visit, answer, 'MISS');
    } else if (keeping.names.includes('cookie') && visit.headers.cookie !== undefined) {
      // It is kept for those who have no cookies; this visitor's own are asked about by themselves.
      await this.#storeQuietly(visit, key, flight, generation, answer, keeping);
      await this.#origin.pass(visit, 'BYPASS');
    } else {
      const body = new Body(this.#options.limits.pageBytes, () => flight.end(false));
      const beforeEnd = () => {
        this.#store(visit, key, generation, answer.message, keeping, body);
        flight.end(true);
      };
      const tap = (chunk: Buffer) => body.add(chunk);
      await this.#origin.relay(visit, answer, 'MISS', { tap, beforeEnd, readOn: () => !body.isTooLarge });
    }
  }

  async #fetchQuietly(visit: Visit, key: string, flight: Flight): Promise<void> {
    const { pages } = visit.gate.site;
    const { generation } = pages;
    const outgoing = this.#anonymous(visit, new AbortController().signal);
    const answer = await this.#options.upstream.send(visit.gate, outgoing);
    const keeping = keepingOf(visit, answer.message);
    if (keeping) return this.#storeQuietly(visit, key, flight, generation, answer, keeping);
    answer.message.destroy();
    // A failure of the moment is no reason to lose the page; an answer that must not be kept is.
    if ((answer.message.statusCode ?? 500) < 500) pages.drop(key, visit.headers);
  }

  async #storeQuietly(
    visit: Visit,
    key: string,
    flight: Flight,
    generation: number,
    { message, failure }: Answer,
    keeping: Keeping,
  ): Promise<void> {
    const body = new Body(this.#options.limits.pageBytes, () => message.destroy());
    try {
      for await (const chunk of message) body.add(chunk as Buffer);
    } catch {
      if (!body.isTooLarge) throw failure();
    }
    this.#origin.heed(visit, message.headers['x-siteyard-purge'] ?? message.trailers['x-siteyard-purge']);
    this.#store(visit, key, generation, message, keeping, body);
    flight.end(true);
  }

  /** The request as nobody in particular would send it. */
  #anonymous(visit: Visit, signal: AbortSignal): Outgoing {
    const headers = requestHeaders(visit, this.#options.facts(visit), isLeftOut);
    return { method: 'GET', path: pageKey(visit.path, visit.query), headers, signal };
  }

  #store(
    { gate, headers }: Visit,
    key: string,
    generation: number,
    message: IncomingMessage,
    { freshness, names }: Keeping,
    body: Body,
  ): void {
    if (body.isTooLarge) return;
    const content = {
      status: message.statusCode ?? 200,
      headers: answerHeaders(message.rawHeaders, isSaidAnew),
      body: body.whole(),
      contentType: message.headers['content-type'],
    };
    gate.site.pages.store({ key, headers, generation }, names, content, freshness);
  }
}

/** What a cached answer says for itself. */
function isSaidAnew(name: string): boolean {
  return name === 'date' || name === 'age' || name === 'content-length' || name === 'etag' || name === 'connection';
}

function keepingOf({ path, query }: Visit, { statusCode = 0, headers }: IncomingMessage): Keeping | undefined {
  const names = varyNames(headers.vary);
  // A page that depends on a header which it was not shown is unlike what it should be.
  if (!names || names.some((name) => name !== 'cookie' && isLeftOut(name))) return undefined;
  const freshness = freshnessOf(statusCode, headers, isRest(path, query), Date.now());
  return freshness && { freshness, names };
}

/** The parts of a body as they come, up to the largest that is kept. */
class Body {
  readonly #limitBytes: number;
  readonly #onTooLarge: () => void;
  #chunks: Buffer[] = [];
  #sizeBytes = 0;

  constructor(limitBytes: number, onTooLarge: () => void) {
    this.#limitBytes = limitBytes;
    this.#onTooLarge = onTooLarge;
  }

  get isTooLarge(): boolean {
    return this.#sizeBytes > this.#limitBytes;
  }

  add(chunk: Buffer): void {
    if (this.isTooLarge) return;
    this.#sizeBytes += chunk.length;
    this.#chunks.push(chunk);
    if (!this.isTooLarge) return;
    this.#chunks = [];
    this.#onTooLarge();
  }

  whole(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}
