import type { HostedSite } from '../hosted-site.ts';
import { followCaller, followVisitor, Leaving, Left } from '../leaving.ts';
import type { EdgeLimits } from '../limits.ts';
import { answerHeaders, type ForwardedFacts } from '../proxy/headers.ts';
import type { RelayOptions } from '../proxy/relay.ts';
import type { SiteAnswer } from '../proxy/site-answer.ts';
import type { Outgoing, Upstream } from '../proxy/upstream.ts';
import type { SiteProblems } from '../site-problems.ts';
import { withStrictTransport } from '../strict-transport.ts';
import type { Visit } from '../visit.ts';
import { pageKey, varyNames, varyProblem } from './cache-key.ts';
import { anonymousHeaders, isRest, variedHeaders } from './cache-policy.ts';
import { Flight } from './flight.ts';
import { type Freshness, freshnessOf } from './freshness.ts';
import { lookUp } from './page-cache.ts';
import type { CacheState, StoredPage } from './stored-page.ts';

/** A page whose refresh failed is shown for so long before the next try. */
const REFRESH_PAUSE_MS = 5_000;
const MAX_LEARNED = 1_000;

/** What a visitor gets in the end, whoever fetched it. */
export interface PageSender {
  sendPage(visit: Visit, page: StoredPage, state: CacheState, nowMs: number): void;
  pass(visit: Visit, state: 'BYPASS' | 'MISS'): Promise<void>;
  relay(
    visit: Visit,
    answer: SiteAnswer,
    state: 'BYPASS' | 'MISS',
    options?: Pick<RelayOptions, 'tap' | 'readOn' | 'beforeEnd'>,
  ): Promise<boolean>;
}

export interface FillerOptions {
  upstream: Upstream;
  limits: EdgeLimits;
  facts: (visit: Visit) => ForwardedFacts;
  hstsSeconds: number;
  problems: SiteProblems;
}

/** How an answer may be kept. */
interface Keeping {
  freshness: Freshness;
  names: readonly string[];
}

/** Fetches what the cache misses: one request per page, however many ask for it. */
export class CacheFiller {
  readonly #sender: PageSender;
  readonly #options: FillerOptions;
  readonly #varied = new WeakMap<HostedSite, Map<string, readonly string[]>>();

  constructor(sender: PageSender, options: FillerOptions) {
    this.#sender = sender;
    this.#options = options;
  }

  async fill(visit: Visit, key: string): Promise<void> {
    const { flights } = visit.gate.site.pages;
    const flight = flights.get(key);
    if (!flight) return this.#fly(visit, key, (begun) => this.#fetch(visit, key, begun));
    const isStored = await this.#wait(visit, flight);
    if (visit.response.destroyed) return;
    const nowMs = performance.now();
    const page = isStored ? lookUp(visit)?.page : undefined;
    const state = page?.stateAt(nowMs);
    if (page && state) {
      await page.prepare(visit);
      if (!visit.response.destroyed) this.#sender.sendPage(visit, page, state, nowMs);
      return;
    }
    visit.gate.counter.cacheMisses++;
    await this.#sender.pass(visit, 'MISS');
  }

  /** Waits for the request that is under way, as one of those who wait for the site. */
  #wait({ gate: { site }, response }: Visit, flight: Flight): Promise<boolean> {
    const leaving = followVisitor(response);
    return site
      .whileWaiting(this.#options.limits.waitingPerSite, () => flight.wait(leaving))
      .catch((error: unknown) => {
        // Whoever began it went away just when we came, or we did.
        if (error instanceof Left) return false;
        throw error;
      });
  }

  /** Fetches a page anew behind the back of the visitor who got the old one. */
  refresh(visit: Visit, key: string, page: StoredPage): void {
    if (performance.now() < page.refreshAfterMs || visit.gate.site.pages.flights.has(key)) return;
    page.refreshAfterMs = performance.now() + REFRESH_PAUSE_MS;
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
    visit.gate.counter.cacheMisses++;
    // Once it is answered it fills the cache, whether the first visitor waits for the rest or not.
    const leaving = followCaller(visit, () => flight.waiting === 0 && !isAnswered);
    const varied = this.#variedOf(visit, key);
    const answer = await this.#options.upstream.send(visit.gate, this.#anonymous(visit, leaving, varied));
    isAnswered = true;
    const keeping = this.#keepingOf(visit, key, answer, varied);
    if (!keeping || keeping === 'unlike') {
      flight.end(false);
      if (!keeping) await this.#sender.relay(visit, answer, 'MISS');
      else await this.#askForVisitor(visit, answer);
      return;
    }
    const store = (body: Buffer | undefined) => {
      const page = this.#store(visit, key, generation, answer, keeping, body);
      flight.end(true);
      return page;
    };
    if (!this.#isWhole(answer)) return this.#relayAndStore(visit, answer, store, () => flight.end(false));
    const page = store(await answer.readAll(this.#options.limits.pageBytes));
    // Whoever it was made for gets what those get who come after: the same tag, and the form that they take.
    await page?.prepare(visit);
    if (page && !visit.response.destroyed) this.#sender.sendPage(visit, page, 'MISS', performance.now());
  }

  /** It is made, since its length is known, and small enough to be kept. */
  #isWhole(answer: SiteAnswer): boolean {
    return Number(answer.header('content-length') ?? Infinity) <= this.#options.limits.pageBytes;
  }

  /** What trickles goes on to trickle. */
  async #relayAndStore(
    visit: Visit,
    answer: SiteAnswer,
    store: (body: Buffer | undefined) => unknown,
    onTooLarge: () => void,
  ): Promise<void> {
    const body = new Body(this.#options.limits.pageBytes, onTooLarge);
    await this.#sender.relay(visit, answer, 'MISS', {
      tap: (chunk) => body.add(chunk),
      beforeEnd: () => void store(body.whole()),
      readOn: () => !body.isTooLarge,
    });
  }

  async #fetchQuietly(visit: Visit, key: string, flight: Flight): Promise<void> {
    const { pages } = visit.gate.site;
    const { generation } = pages;
    const varied = this.#variedOf(visit, key);
    const answer = await this.#options.upstream.send(visit.gate, this.#anonymous(visit, new Leaving(), varied));
    const keeping = this.#keepingOf(visit, key, answer, varied);
    const body = await answer.readAll(this.#options.limits.pageBytes);
    const isKept = keeping !== undefined && keeping !== 'unlike';
    if (isKept) this.#store(visit, key, generation, answer, keeping, body);
    // A failure of the moment is no reason to lose the page; an answer that must not be kept is.
    else if (answer.status < 500) pages.drop(key, visit.headers);
    flight.end(isKept);
  }

  /** The page depends on something that it was not shown, so that this answer is the wrong one for the visitor. */
  async #askForVisitor(visit: Visit, answer: SiteAnswer): Promise<void> {
    await answer.readAll(this.#options.limits.pageBytes).catch(() => undefined);
    await this.#sender.pass(visit, 'MISS');
  }

  /** The request as nobody in particular would send it. */
  #anonymous(visit: Visit, leaving: Leaving, varied: readonly string[]): Outgoing {
    const headers = anonymousHeaders(visit, this.#options.facts(visit), varied);
    return { method: 'GET', path: pageKey(visit.path, visit.query), headers, leaving };
  }

  /** The headers that the page was seen to depend on. */
  #variedOf({ gate }: Visit, key: string): readonly string[] {
    return this.#varied.get(gate.site)?.get(key) ?? [];
  }

  /**
   * How the answer may be kept, if at all. `unlike`: it depends on a header that it was not shown, and is asked for with
   * that header the next time.
   */
  #keepingOf(
    { gate, path, query }: Visit,
    key: string,
    { status, headers }: SiteAnswer,
    sent: readonly string[],
  ): Keeping | 'unlike' | undefined {
    const { site } = gate;
    const freshness = freshnessOf(status, headers, isRest(path, query), Date.now());
    const problem = freshness && varyProblem(headers.vary);
    if (problem) this.#options.problems.report(gate, 'vary', problem, `GET ${path}${query}`);
    const names = problem ? undefined : varyNames(headers.vary);
    const varied = names && variedHeaders(names);
    if (names && varied && freshness) {
      const known = new Set(sent);
      if (varied.every((name) => known.has(name))) return { freshness, names: keyNames(names) };
      this.#learn(site, key, varied);
      return 'unlike';
    }
    // What fails may do better the next time.
    if (status < 500) site.pages.leaveUnkept(key, performance.now());
    return undefined;
  }

  #learn(site: HostedSite, key: string, varied: readonly string[]): void {
    const learned = this.#varied.get(site) ?? new Map<string, readonly string[]>();
    if (learned.size >= MAX_LEARNED) learned.clear();
    this.#varied.set(site, learned.set(key, varied));
  }

  #store(
    visit: Visit,
    key: string,
    generation: number,
    answer: SiteAnswer,
    { freshness, names }: Keeping,
    body: Buffer | undefined,
  ): StoredPage | undefined {
    const { gate, headers } = visit;
    const said = answerHeaders(answer.rawHeaders, isWrittenByCache);
    // Pages are kept apart by how visitors come.
    const content = body && { answer, headers: withStrictTransport(said, visit, this.#options.hstsSeconds), body };
    return content && gate.site.pages.store({ key, headers, generation }, names, content, freshness);
  }
}

/** What a cached answer says for itself. */
function isWrittenByCache(name: string): boolean {
  return name === 'date' || name === 'age' || name === 'content-length' || name === 'etag' || name === 'connection';
}

/** What makes variants of a page; cookies only keep others from it. */
function keyNames(names: readonly string[]): readonly string[] {
  return names.filter((name) => name !== 'accept' && name !== 'origin');
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

  whole(): Buffer | undefined {
    return this.isTooLarge ? undefined : Buffer.concat(this.#chunks);
  }
}
