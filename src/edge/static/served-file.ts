import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { FileStat, SiteHost } from '#host/site-host.ts';
import type { Asked } from '../asked.ts';
import { type Coding, isCompressibleType } from '../compression/codings.ts';
import { Forms } from '../compression/forms.ts';
import type { Gate } from '../gate.ts';
import type { Kept, MemoryBudget } from '../memory-budget.ts';
import { isNotModified, matchesEtag, rangeStillHolds, readRange } from '../preconditions.ts';
import type { RawHeaders } from '../raw-headers.ts';
import type { Visit } from '../visit.ts';
import { type Caching, cachingFor } from './caching.ts';
import type { Place } from './static-path.ts';

const OVERHEAD_BYTES = 2048;
const VARY: RawHeaders = ['Vary', 'Accept-Encoding'];

export type FileReader = Pick<SiteHost, 'readFilePart'>;

/** A file as it was when it was last looked at: its content too where it is small. */
export class ServedFile implements Kept {
  used = false;
  sizeBytes = OVERHEAD_BYTES;
  readonly stat: FileStat;
  readonly #host: FileReader;
  readonly #place: Place;
  readonly #headers: RawHeaders;
  readonly #etag: string;
  readonly #isText: boolean;
  readonly #forms: Forms | undefined;
  readonly #onForget: () => void;

  constructor(
    host: FileReader,
    place: Place,
    contentType: string,
    stat: FileStat,
    content: Buffer | undefined,
    budget: MemoryBudget,
    onForget: () => void,
  ) {
    this.stat = stat;
    this.#host = host;
    this.#place = place;
    this.#onForget = onForget;
    this.#etag = `${stat.sizeBytes.toString(36)}-${Math.round(stat.modifiedAtMs * 1000).toString(36)}`;
    this.#isText = isCompressibleType(contentType);
    this.#headers = [
      'Content-Type',
      contentType,
      'Last-Modified',
      new Date(stat.modifiedAtMs).toUTCString(),
      'Accept-Ranges',
      'bytes',
      'X-Content-Type-Options',
      'nosniff',
      ...(this.#isText ? VARY : []),
    ];
    if (!content) return;
    this.#forms = new Forms(
      200,
      content,
      (coding) => this.#headersOf(coding),
      this.#isText,
      (bytes) => budget.grow(this, bytes),
    );
    this.sizeBytes += content.length;
  }

  get isInMemory(): boolean {
    return this.#forms !== undefined;
  }

  forget(): void {
    this.#onForget();
  }

  /** The whole answer for who knows nothing of the file yet, where it is in memory. */
  whole({ headers, gate, query }: Asked): Buffer | undefined {
    this.used = true;
    const form = this.#forms?.pick(headers['accept-encoding'], gate.site.compression);
    return form?.whole(cachingOf(gate, query).text);
  }

  /** True where it was answered at once; a promise where it comes from disk, false when the file is gone by then. */
  answer(visit: Visit): boolean | Promise<boolean> {
    this.used = true;
    const { headers, response, gate, query, isHead } = visit;
    const caching = cachingOf(gate, query);
    if (headers['if-none-match'] !== undefined || headers['if-modified-since'] !== undefined) {
      if (isNotModified(headers, this.#etags(), this.stat.modifiedAtMs)) {
        const vary = this.#isText ? VARY : [];
        response.writeHead(304, ['ETag', this.#tagFor(visit), ...vary, ...caching.headers]).end();
        visit.countBytes(200);
        return true;
      }
    }
    if (headers.range !== undefined && !isHead) return this.#answerRange(visit, caching.headers);
    if (!this.#forms) return this.#stream(visit, 200, this.#headersOf(undefined), caching.headers, 0, Infinity);
    const form = this.#forms.pick(headers['accept-encoding'], gate.site.compression);
    if (isHead) {
      response.writeHead(200, [...form.headers, ...caching.headers]).end();
      visit.countBytes(300);
    } else {
      visit.countBytes(form.send(response, caching.headers, caching.text));
    }
    return true;
  }

  #answerRange(visit: Visit, caching: RawHeaders): boolean | Promise<boolean> {
    const { headers, response } = visit;
    const { sizeBytes, modifiedAtMs } = this.stat;
    const own = this.#headersOf(undefined);
    const holds = rangeStillHolds(headers['if-range'], this.#tag(undefined), modifiedAtMs);
    const range = holds ? readRange(headers.range, sizeBytes) : undefined;
    if (range === 'unsatisfiable') {
      response.writeHead(416, ['Content-Range', `bytes */${sizeBytes}`, 'Content-Length', '0']).end();
      visit.countBytes(200);
      return true;
    }
    if (range === undefined) return this.#send(visit, 200, own, caching, 0, sizeBytes - 1);
    const partial = [...own, 'Content-Range', `bytes ${range.first}-${range.last}/${sizeBytes}`];
    return this.#send(visit, 206, partial, caching, range.first, range.last);
  }

  /** From memory where it is there. */
  #send(
    visit: Visit,
    status: number,
    headers: RawHeaders,
    caching: RawHeaders,
    first: number,
    last: number,
  ): boolean | Promise<boolean> {
    if (!this.#forms) return this.#stream(visit, status, headers, caching, first, last);
    const part = this.#forms.plain.body.subarray(first, last + 1);
    visit.response.writeHead(status, [...headers, 'Content-Length', String(part.length), ...caching]).end(part);
    visit.countBytes(part.length + 300);
    return true;
  }

  async #stream(
    visit: Visit,
    status: number,
    headers: RawHeaders,
    caching: RawHeaders,
    first: number,
    last: number,
  ): Promise<boolean> {
    const { identity, sizeBytes } = this.stat;
    const end = Math.min(last, sizeBytes - 1);
    // What is sent must be what the headers say; a file that changed since is looked at anew by the next request.
    const body = await this.#host.readFilePart(this.#place.root, this.#place.path, { identity, first, last: end });
    if (!body) return false;
    visit.response.writeHead(status, [...headers, 'Content-Length', String(end - first + 1), ...caching]);
    await pour(body, visit.response, visit.isHead);
    return true;
  }

  #headersOf(coding: Coding | undefined): RawHeaders {
    const encoding = coding === undefined ? [] : ['Content-Encoding', coding];
    return [...this.#headers, 'ETag', this.#tag(coding), ...encoding];
  }

  /** Each form is another sequence of bytes and has a tag of its own. */
  #tag(coding: Coding | undefined): string {
    return coding === undefined ? `"${this.#etag}"` : `"${this.#etag}-${coding}"`;
  }

  /** The tag of the form that the visitor would get, or has: a compressed one may not be made again yet. */
  #tagFor({ headers, gate }: Visit): string {
    const form = this.#forms?.pick(headers['accept-encoding'], gate.site.compression).headers ?? [];
    const picked = form[form.indexOf('ETag') + 1] ?? this.#tag(undefined);
    const listed = headers['if-none-match'] ?? '*';
    return [picked, ...this.#etags()].find((tag) => matchesEtag(listed, tag)) ?? picked;
  }

  #etags(): string[] {
    return [this.#tag(undefined), this.#tag('br'), this.#tag('zstd'), this.#tag('gzip')];
  }
}

function cachingOf({ keepers }: Gate, query: string): Caching {
  return cachingFor(keepers, query.includes('ver='));
}

/** Sends what is read, no faster than the visitor takes it. */
async function pour(body: Readable, response: ServerResponse, isHead: boolean): Promise<void> {
  if (isHead) {
    response.end();
    body.destroy();
    return;
  }
  await new Promise<void>((resolve) => {
    response.once('close', () => body.destroy());
    body.once('error', () => response.destroy());
    body.once('close', resolve);
    if (response.destroyed) body.destroy();
    else body.pipe(response);
  });
}
