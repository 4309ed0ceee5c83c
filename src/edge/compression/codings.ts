import { promisify } from 'node:util';
import {
  type BrotliCompress,
  brotliCompress,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  type Gzip,
  gzip,
  type ZstdCompress,
  constants as zlib,
  zstdCompress,
} from 'node:zlib';

export type Coding = 'br' | 'zstd' | 'gzip';

/** Below this, a compressed form saves nothing worth a header. */
export const MIN_BYTES = 512;

const compressBrotli = promisify(brotliCompress);
const compressZstd = promisify(zstdCompress);
const compressGzip = promisify(gzip);

/** For what is kept and sent often: smaller is worth some milliseconds, once. */
const KEPT_LEVELS = { br: 5, zstd: 6, gzip: 6 };
/** For what is sent once: 5 ms for the 700 KB of WordPress' editor, which is made in more than a hundred times of that. */
const PASSING_LEVELS = { br: 3, zstd: 3, gzip: 3 };
/** 512 KB. The usual windows take megabytes for each answer that is on its way, and make pages hardly smaller. */
const PASSING_WINDOW_LOG = 19;

/** Compresses for keeping, on another thread. */
export function compress(body: Buffer, coding: Coding): Promise<Buffer> {
  const level = KEPT_LEVELS[coding];
  if (coding === 'gzip') return compressGzip(body, { level });
  if (coding === 'zstd') return compressZstd(body, { params: { [zlib.ZSTD_c_compressionLevel]: level } });
  const params = { [zlib.BROTLI_PARAM_QUALITY]: level, [zlib.BROTLI_PARAM_SIZE_HINT]: body.length };
  return compressBrotli(body, { params });
}

/** Compresses on the way: what is written comes out at once, and not when enough has gathered. */
export function createCompressor(coding: Coding): BrotliCompress | ZstdCompress | Gzip {
  const level = PASSING_LEVELS[coding];
  if (coding === 'gzip') return createGzip({ level, flush: zlib.Z_SYNC_FLUSH });
  if (coding === 'zstd') {
    const params = { [zlib.ZSTD_c_compressionLevel]: level, [zlib.ZSTD_c_windowLog]: PASSING_WINDOW_LOG };
    return createZstdCompress({ params, flush: zlib.ZSTD_e_flush });
  }
  const params = { [zlib.BROTLI_PARAM_QUALITY]: level, [zlib.BROTLI_PARAM_LGWIN]: PASSING_WINDOW_LOG };
  return createBrotliCompress({ params, flush: zlib.BROTLI_OPERATION_FLUSH });
}

type Taken = Record<'kept' | 'passing', Coding | undefined>;
const NOTHING: Taken = { kept: undefined, passing: undefined };
const known = new Map<string, Taken>();

/** The smallest that is taken for what is kept, the quickest for what passes. Browsers send few different values, so each is read once. */
export function bestCoding(acceptEncoding: string | string[] | undefined, use: keyof Taken): Coding | undefined {
  if (acceptEncoding === undefined) return undefined;
  const value = String(acceptEncoding);
  let taken = known.get(value);
  if (!taken) {
    taken = readTaken(value);
    if (known.size >= 1000) known.clear();
    known.set(value, taken);
  }
  return taken[use];
}

function readTaken(acceptEncoding: string): Taken {
  const taken = new Set<string>();
  for (const part of acceptEncoding.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((each) => each.trim());
    if (!parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))) taken.add(name === 'x-gzip' ? 'gzip' : name);
  }
  const first = (...codings: Coding[]) => codings.find((coding) => taken.has(coding));
  return taken.size === 0 ? NOTHING : { kept: first('br', 'zstd', 'gzip'), passing: first('zstd', 'br', 'gzip') };
}

const TEXT =
  /^(?:text\/(?!event-stream)|image\/svg|application\/(?:javascript|json|xml|rss|atom|wasm|manifest|[\w.-]+\+(?:json|xml))|font\/(?:ttf|otf))/i;

export function isCompressibleType(contentType: string | undefined): boolean {
  return contentType !== undefined && TEXT.test(contentType);
}
