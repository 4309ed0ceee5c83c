import type { IncomingHttpHeaders } from 'node:http';

/** Whether one of the listed tags is this one, as If-None-Match compares: weak and strong tags are the same. */
export function matchesEtag(listed: string, etag: string): boolean {
  if (listed.trim() === '*') return true;
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '');
  return listed.split(',').some((tag) => opaque(tag) === opaque(etag));
}

/** Whether the visitor has the content as it is. If-Modified-Since counts only where no tag was sent; NaN: nobody knows since when it is so. */
export function isNotModified(headers: IncomingHttpHeaders, etags: readonly string[], modifiedAtMs: number): boolean {
  const tags = headers['if-none-match'];
  if (tags !== undefined) return etags.some((etag) => matchesEtag(tags, etag));
  const since = Date.parse(headers['if-modified-since'] ?? '');
  return !Number.isNaN(since) && Math.floor(modifiedAtMs / 1000) * 1000 <= since;
}

export interface ByteRange {
  first: number;
  /** Included. */
  last: number;
}

/**
 * The one range that is asked for; undefined where the whole file is the right answer (no range, several, or none that
 * can be read), 'unsatisfiable' where it lies outside of the file.
 */
export function readRange(value: string | undefined, sizeBytes: number): ByteRange | 'unsatisfiable' | undefined {
  const parts = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(value?.replaceAll(' ', '') ?? '');
  if (!parts) return undefined;
  const [, from = '', to = ''] = parts;
  if (from === '' && to === '') return undefined;
  if (from === '') {
    const length = Math.min(Number(to), sizeBytes);
    return length === 0 ? 'unsatisfiable' : { first: sizeBytes - length, last: sizeBytes - 1 };
  }
  const first = Number(from);
  const last = to === '' ? sizeBytes - 1 : Math.min(Number(to), sizeBytes - 1);
  if (to !== '' && Number(to) < first) return undefined;
  return first >= sizeBytes ? 'unsatisfiable' : { first, last };
}

/** Whether a range may be answered with a part: If-Range, where sent, must name the file exactly as it is. */
export function rangeStillHolds(ifRange: string | string[] | undefined, etag: string, modifiedAtMs: number): boolean {
  if (ifRange === undefined) return true;
  const value = String(ifRange).trim();
  if (value.startsWith('"') || value.startsWith('W/')) return value === etag;
  return Date.parse(value) === Math.floor(modifiedAtMs / 1000) * 1000;
}
