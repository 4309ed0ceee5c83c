import { addressKey } from '#core/http/rate-limits.ts';
import { UPLOADS_REFUSED_HEADER } from '#runtimes/wordpress/access.ts';
import type { Asked } from './asked.ts';
import { CacheFiller, type FillerOptions, type PageSender } from './cache/cache-filler.ts';
import { mayFillCache } from './cache/cache-policy.ts';
import { lookUp } from './cache/page-cache.ts';
import type { CacheState, StoredPage } from './cache/stored-page.ts';
import { passingAnswer, weakenTag } from './compression/passing-answer.ts';
import { followCaller } from './leaving.ts';
import { NOTICES, sendNotice } from './notices.ts';
import { announcesTooMuch, type BodyTarget } from './proxy/body.ts';
import { answerHeaders, requestHeaders } from './proxy/headers.ts';
import { type RelayOptions, relay } from './proxy/relay.ts';
import type { SiteAnswer } from './proxy/site-answer.ts';
import { TakenBody } from './proxy/taken-body.ts';
import { withStrictTransport } from './strict-transport.ts';
import type { Visit } from './visit.ts';
import type { Visitors } from './visitors.ts';

/** A visitor who takes nothing for so long is given up. */
const STALL_MS = 120_000;

export interface OriginOptions extends FillerOptions {
  visitors: Visitors;
}

/** What WordPress itself answers: from the cache where that is allowed, else from the site's process. */
export class Origin implements PageSender {
  readonly #options: OriginOptions;
  readonly #filler: CacheFiller;

  constructor(options: OriginOptions) {
    this.#options = options;
    this.#filler = new CacheFiller(this, options);
  }

  /** Answers at once, without a promise, where the cache has the page. */
  answer(visit: Visit): undefined | Promise<void> {
    const found = lookUp(visit);
    if (!found) return this.pass(visit, 'BYPASS');
    const { key, page } = found;
    const nowMs = performance.now();
    const state = page?.stateAt(nowMs);
    if (page && state) {
      this.sendPage(visit, page, state, nowMs);
      if (state === 'STALE') this.#filler.refresh(visit, key, page);
      return undefined;
    }
    if (visit.gate.site.pages.isUnkept(key, nowMs)) return this.pass(visit, 'BYPASS');
    if (mayFillCache(visit) && !this.#waitsForItself(visit, key)) return this.#filler.fill(visit, key);
    visit.gate.counter.cacheMisses++;
    return this.pass(visit, 'MISS');
  }

  /** The page may be under way for the very visitor whose page asks for it. */
  #waitsForItself({ gate: { site, isForItself } }: Visit, key: string): boolean {
    return isForItself && site.pages.flights.has(key);
  }

  /** The whole answer where the cache has the page and it is fresh. */
  atOnce(asked: Asked): Buffer | undefined {
    const nowMs = performance.now();
    const page = lookUp(asked)?.page;
    if (page?.stateAt(nowMs) !== 'HIT' || !page.isFound) return undefined;
    const answer = page.whole(asked, nowMs);
    if (!answer) return undefined;
    asked.cacheState = 'HIT';
    this.#count(asked, page, answer.length, nowMs);
    return answer;
  }

  sendPage(visit: Visit, page: StoredPage, state: CacheState, nowMs: number): void {
    visit.cacheState = state;
    const bytes = page.send(visit, state, nowMs);
    visit.countBytes(bytes);
    this.#count(visit, page, bytes, nowMs);
  }

  #count(asked: Asked, page: StoredPage, bytes: number, nowMs: number): void {
    const { counter } = asked.gate;
    if (asked.cacheState !== 'MISS') {
      counter.cacheHits++;
      counter.cachedBytes += bytes;
    }
    if (page.isHtml) this.#options.visitors.count(asked, nowMs);
  }

  /** Sends the request for this visitor alone. */
  async pass(visit: Visit, state: 'BYPASS' | 'MISS'): Promise<void> {
    const { limits } = this.#options;
    const { request, response } = visit;
    if (announcesTooMuch(request, limits.bodyBytes)) return void sendNotice(response, NOTICES.tooLarge);
    if (!visit.hasBody) return this.#ask(visit, state);
    const body = await this.#takeBody(visit);
    if (!body) return void sendNotice(response, NOTICES.tooLarge);
    await this.#ask(visit, state, body).finally(() => body.close());
  }

  /** Who sends a body waits for the site already. */
  #takeBody({ request, clientAddress, gate: { site, isForItself } }: Visit): Promise<TakenBody | undefined> {
    const { bodyBytes, waitingPerSite } = this.#options.limits;
    // Sites that call themselves all come from the same address.
    const from = isForItself ? `own ${site.id}` : addressKey(clientAddress);
    return site.whileWaiting(waitingPerSite, () => TakenBody.take(request, from, bodyBytes, site.bodies));
  }

  async #ask(visit: Visit, state: 'BYPASS' | 'MISS', body?: TakenBody): Promise<void> {
    const { upstream, facts } = this.#options;
    const { request } = visit;
    const headers = requestHeaders(visit, facts(visit));
    const { uploadsRefused } = visit.gate.route;
    if (uploadsRefused !== null) headers.push(UPLOADS_REFUSED_HEADER, uploadsRefused);
    const answer = await upstream.send(visit.gate, {
      method: request.method ?? 'GET',
      path: visit.path + visit.query,
      headers,
      leaving: followCaller(visit),
      ...(body && { sendBody: (target: BodyTarget) => body.sendTo(target) }),
    });
    await this.relay(visit, answer, state);
  }

  /** Passes an answer on. Resolves with whether all of it arrived. */
  relay(
    visit: Visit,
    answer: SiteAnswer,
    state: 'BYPASS' | 'MISS',
    options: Pick<RelayOptions, 'tap' | 'readOn' | 'beforeEnd'> = {},
  ): Promise<boolean> {
    const { response, gate } = visit;
    visit.cacheState = state;
    if (answer.status === 200 && answer.header('content-type')?.startsWith('text/html'))
      this.#options.visitors.count(visit, performance.now());
    const { hstsSeconds } = this.#options;
    const said = withStrictTransport(gate.guarded(answerHeaders(answer.rawHeaders)), visit, hstsSeconds);
    // What is kept has the same tag for those who come after.
    if (options.tap) weakenTag(said);
    const { headers, coding, lengthBytes } = passingAnswer(visit, answer, said);
    headers.push('X-Cache', state);
    const relayed = { ...options, source: answer, headers, stallMs: STALL_MS };
    if (coding === undefined) return relay(response, relayed);
    const compress = { coding, allowance: gate.site.compression, isEndless: lengthBytes === undefined };
    return relay(response, { ...relayed, compress });
  }
}
