import { promisify } from 'node:util';
import { brotliCompress, gzip, constants as zlib } from 'node:zlib';
import type { RawHeaders } from './raw-headers.ts';
import { ReadyAnswer } from './ready-answer.ts';

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

export type Coding = 'br' | 'gzip';

/** Below this, a compressed form saves nothing worth a header. */
const MIN_BYTES = 512;
// Good enough to be worth keeping, and a page of 100 KB takes some milliseconds on another thread.
const BROTLI_QUALITY = 5;

/**
 * One content in the forms that visitors take: as it is, and compressed. A compressed form is made when somebody first
 * asks for it; until it is there, the plain one goes out, so that nobody waits.
 */
export class Forms {
  readonly plain: ReadyAnswer;
  readonly #headers: (coding: Coding) => RawHeaders;
  readonly #status: number;
  readonly #onGrow: (bytes: number) => void;
  readonly #isCompressible: boolean;
  #br: ReadyAnswer | 'making' | 'useless' | undefined;
  #gzip: ReadyAnswer | 'making' | 'useless' | undefined;

  constructor(
    status: number,
    body: Buffer,
    headers: (coding: Coding | undefined) => RawHeaders,
    isCompressible: boolean,
    onGrow: (bytes: number) => void,
  ) {
    this.plain = new ReadyAnswer(status, headers(undefined), body);
    this.#status = status;
    this.#headers = headers;
    this.#onGrow = onGrow;
    this.#isCompressible = isCompressible && body.length >= MIN_BYTES;
  }

  /** The best form that is there for this Accept-Encoding. */
  pick(acceptEncoding: string | string[] | undefined): ReadyAnswer {
    if (!this.#isCompressible || acceptEncoding === undefined) return this.plain;
    const coding = bestCoding(String(acceptEncoding));
    if (coding === undefined) return this.plain;
    const form = coding === 'br' ? this.#br : this.#gzip;
    if (form instanceof ReadyAnswer) return form;
    if (form === undefined) void this.#make(coding);
    return this.plain;
  }

  async #make(coding: Coding): Promise<void> {
    this.#set(coding, 'making');
    const { body } = this.plain;
    const made = await compress(body, coding).catch(() => body);
    if (made.length >= body.length) return this.#set(coding, 'useless');
    this.#set(coding, new ReadyAnswer(this.#status, this.#headers(coding), made));
    this.#onGrow(made.length);
  }

  #set(coding: Coding, form: ReadyAnswer | 'making' | 'useless'): void {
    if (coding === 'br') this.#br = form;
    else this.#gzip = form;
  }
}

function compress(body: Buffer, coding: Coding): Promise<Buffer> {
  if (coding === 'gzip') return compressGzip(body);
  const params = { [zlib.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [zlib.BROTLI_PARAM_SIZE_HINT]: body.length };
  return compressBrotli(body, { params });
}

const known = new Map<string, Coding | undefined>();

/** Brotli where it is taken, else gzip. Browsers send few different values, so each is read once. */
function bestCoding(acceptEncoding: string): Coding | undefined {
  if (known.has(acceptEncoding)) return known.get(acceptEncoding);
  const coding = readCoding(acceptEncoding);
  if (known.size > 1000) known.clear();
  known.set(acceptEncoding, coding);
  return coding;
}

function readCoding(acceptEncoding: string): Coding | undefined {
  const taken = new Set<string>();
  for (const part of acceptEncoding.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((each) => each.trim());
    if (!parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))) taken.add(name);
  }
  if (taken.has('br')) return 'br';
  return taken.has('gzip') || taken.has('x-gzip') ? 'gzip' : undefined;
}

const TEXT =
  /^(?:text\/|image\/svg|application\/(?:javascript|json|xml|rss|atom|wasm|manifest|[\w.-]+\+(?:json|xml))|font\/(?:ttf|otf))/i;

export function isCompressibleType(contentType: string | undefined): boolean {
  return contentType !== undefined && TEXT.test(contentType);
}
