import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { httpDate } from '../clock.ts';
import type { Allowance } from '../compression/allowance.ts';
import type { Coding } from '../compression/codings.ts';
import { Forms } from '../compression/forms.ts';
import { type AnswerFacts, isCompressible, varyByCoding, weakTag } from '../compression/passing-answer.ts';
import { keptPrivate } from '../kept-private.ts';
import type { Kept, MemoryBudget } from '../memory-budget.ts';
import { isNotModified } from '../preconditions.ts';
import type { RawHeaders } from '../raw-headers.ts';
import { tailLines } from '../ready-answer.ts';
import type { Freshness } from './freshness.ts';

/** Room for the head, the objects around it and its place in the maps. */
const OVERHEAD_BYTES = 2048;

export interface PageContent {
  /** What the site said. */
  answer: AnswerFacts;
  /** What visitors are told of it, without what is the edge's own to say. */
  headers: RawHeaders;
  body: Buffer;
}

/** What a page must know of the visit that it answers. */
export interface PageVisit {
  response: ServerResponse;
  headers: IncomingHttpHeaders;
  isHead: boolean;
  gate: { readonly isPrivate: boolean; readonly site: { readonly compression: Allowance } };
}

/** MISS: it was made for the visitor who gets it. */
export type CacheState = 'HIT' | 'STALE' | 'MISS';

/** One cached answer, ready to be sent. */
export class StoredPage implements Kept {
  used = false;
  sizeBytes: number;
  readonly isHtml: boolean;
  readonly #forms: Forms;
  readonly #etag: string;
  readonly #modifiedAtMs: number;
  readonly #budget: MemoryBudget;
  readonly #storedAtMs: number;
  readonly #freshUntilMs: number;
  readonly #staleUntilMs: number;
  readonly #onForget: (page: StoredPage) => void;
  #tailSecond = 0;
  #tail: RawHeaders = [];
  #tailText = '';
  /** After a refresh that failed, the next one waits until then. */
  refreshAfterMs = 0;

  constructor(
    content: PageContent,
    freshness: Freshness,
    nowMs: number,
    budget: MemoryBudget,
    onForget: (page: StoredPage) => void,
  ) {
    const { answer, headers, body } = content;
    const { status } = answer;
    this.#budget = budget;
    // Readers of feeds come back with the tag or the time that WordPress gave them.
    this.#etag = weakTag(
      answer.header('etag') ?? `"${createHash('sha1').update(body).digest('base64url').slice(0, 20)}"`,
    );
    this.#modifiedAtMs = Date.parse(answer.header('last-modified') ?? '');
    const own: RawHeaders = status === 200 ? ['ETag', this.#etag] : [];
    varyByCoding(headers);
    const formHeaders = (coding: Coding | undefined) => [
      ...headers,
      ...own,
      ...(coding === undefined ? [] : ['Content-Encoding', coding]),
    ];
    this.#forms = new Forms(status, body, formHeaders, isCompressible(answer), (bytes) => budget.grow(this, bytes));
    this.isHtml = status === 200 && (answer.header('content-type')?.startsWith('text/html') ?? false);
    this.sizeBytes = body.length + OVERHEAD_BYTES;
    this.#storedAtMs = nowMs;
    this.#freshUntilMs = nowMs + freshness.freshMs;
    this.#staleUntilMs = this.#freshUntilMs + freshness.staleMs;
    this.#onForget = onForget;
  }

  forget(): void {
    this.#onForget(this);
  }

  /** Gives its memory back. */
  release(): void {
    this.#budget.remove(this);
  }

  get isFound(): boolean {
    return this.#forms.plain.status === 200;
  }

  /** Resolves when the form that this visitor takes is there: for whoever waited for the page anyway. */
  prepare({ headers, gate }: PageVisit): Promise<void> {
    return this.#forms.prepare(headers['accept-encoding'], gate.site.compression);
  }

  stateAt(nowMs: number): CacheState | undefined {
    if (nowMs < this.#freshUntilMs) return 'HIT';
    return nowMs < this.#staleUntilMs ? 'STALE' : undefined;
  }

  /** The whole answer for who knows nothing of the page yet. */
  whole({ headers, gate }: Pick<PageVisit, 'headers' | 'gate'>, nowMs: number): Buffer | undefined {
    this.used = true;
    this.#keepTail(nowMs, 'HIT');
    return this.#forms.pick(headers['accept-encoding'], gate.site.compression).whole(this.#tailText);
  }

  /** Returns the bytes that were sent. */
  send({ response, headers, isHead, gate }: PageVisit, state: CacheState, nowMs: number): number {
    this.used ||= state !== 'MISS';
    this.#keepTail(nowMs, state);
    const form = this.#forms.pick(headers['accept-encoding'], gate.site.compression);
    const isKnown = this.#isKnownTo(headers);
    if (!isHead && !isKnown && !gate.isPrivate) return form.send(response, this.#tail, this.#tailText);
    // The site may have been protected after the page was stored, so that this is decided for each visitor.
    const own = gate.isPrivate ? keptPrivate(form.headers) : form.headers;
    const status = isKnown ? 304 : form.status;
    const sent = [...(isKnown ? withoutContent(own) : own), ...this.#tail];
    const body = isHead || isKnown ? undefined : form.body;
    response.writeHead(status, sent).end(body);
    return sent.join('  ').length + (body?.length ?? 0);
  }

  #isKnownTo(headers: IncomingHttpHeaders): boolean {
    if (headers['if-none-match'] === undefined && headers['if-modified-since'] === undefined) return false;
    return this.isFound && isNotModified(headers, [this.#etag], this.#modifiedAtMs);
  }

  /** Date and Age change with the second, and all answers within it share them. */
  #keepTail(nowMs: number, state: CacheState): void {
    const dateMs = Date.now();
    const second = Math.floor(dateMs / 1000);
    if (second === this.#tailSecond && this.#tail[1] === state) return;
    this.#tailSecond = second;
    const age = Math.max(0, Math.floor((nowMs - this.#storedAtMs) / 1000));
    this.#tail = ['X-Cache', state, ...(state === 'MISS' ? [] : ['Age', String(age)]), 'Date', httpDate(dateMs)];
    this.#tailText = tailLines(this.#tail);
  }
}

/** A 304 has no content and says nothing of it. */
function withoutContent(headers: RawHeaders): RawHeaders {
  return headers.filter((_, index) => !/^content-(?:length|type|encoding)$/i.test(headers[index & ~1] as string));
}
