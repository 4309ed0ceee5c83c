import type { IncomingHttpHeaders } from 'node:http';
import type { RawHeaders } from '../raw-headers.ts';
import type { Allowance } from './allowance.ts';
import { bestCoding, type Coding, isCompressibleType, MIN_BYTES } from './codings.ts';

/** What is known of an answer before its body; headers by their lower-case names. */
export interface AnswerFacts {
  readonly status: number;
  header(name: string): string | undefined;
}

/** What must be known of the visit that it answers. */
interface PassingVisit {
  readonly isHead: boolean;
  readonly headers: IncomingHttpHeaders;
  readonly gate: { readonly site: { readonly compression: Allowance } };
}

/** An answer that passes, as its visitor gets it. */
interface PassingAnswer {
  headers: RawHeaders;
  /** How its body is compressed on the way, where it is. */
  coding: Coding | undefined;
  /** What it says of its own length. */
  lengthBytes: number | undefined;
}

/** What is said of the content as it is, and not true of its compressed form. */
const OF_PLAIN_FORM = /^(?:content-length|accept-ranges|content-md5|(?:content-|repr-)?digest)$/i;

/**
 * Decides whether an answer is compressed on its way, and says so in its headers, which are changed. The answer to HEAD says what
 * the one to GET would. Where it is compressed, the site's allowance has begun with it, and has to be told when it ends.
 */
export function passingAnswer(visit: PassingVisit, answer: AnswerFacts, headers: RawHeaders): PassingAnswer {
  const stated = answer.header('content-length');
  // PHP makes nothing of what HEAD would not send, so that no length is no length of the page.
  const lengthBytes = stated === undefined || (visit.isHead && stated === '0') ? undefined : Number(stated);
  const plain = visit.isHead && lengthBytes === undefined ? without(headers, /^content-length$/i) : headers;
  if (!isCompressible(answer)) return { headers: plain, coding: undefined, lengthBytes };
  varyByCoding(plain);
  const coding = bestCoding(visit.headers['accept-encoding'], 'passing');
  const isWorthIt = coding !== undefined && (lengthBytes ?? MIN_BYTES) >= MIN_BYTES;
  if (!isWorthIt || !(visit.isHead || visit.gate.site.compression.begin(lengthBytes)))
    return { headers: plain, coding: undefined, lengthBytes };
  const compressed = without(plain, OF_PLAIN_FORM);
  weakenTag(compressed);
  compressed.push('Content-Encoding', coding);
  return { headers: compressed, coding, lengthBytes };
}

/** Whether an answer is text, whole, and as it is. */
export function isCompressible(answer: AnswerFacts): boolean {
  const { status } = answer;
  if (status === 204 || status === 206 || status === 304) return false;
  if (!isCompressibleType(answer.header('content-type')) || answer.header('content-encoding') !== undefined)
    return false;
  return !/\bno-transform\b/i.test(answer.header('cache-control') ?? '');
}

/** Says in these headers that the answer has several forms. */
export function varyByCoding(headers: RawHeaders): void {
  const at = findHeader(headers, 'vary');
  if (at < 0) headers.push('Vary', 'Accept-Encoding');
  else if (!/accept-encoding|\*/i.test(headers[at + 1] as string)) headers[at + 1] += ', Accept-Encoding';
}

/** Forms of the same content have the same tag, and are not the same bytes. */
export function weakenTag(headers: RawHeaders): void {
  const at = findHeader(headers, 'etag');
  if (at >= 0) headers[at + 1] = weakTag(headers[at + 1] as string);
}

export function weakTag(etag: string): string {
  return etag.startsWith('"') ? `W/${etag}` : etag;
}

function findHeader(headers: RawHeaders, name: string): number {
  for (let index = 0; index < headers.length; index += 2) {
    const candidate = headers[index] as string;
    if (candidate.length === name.length && candidate.toLowerCase() === name) return index;
  }
  return -1;
}

function without(headers: RawHeaders, names: RegExp): RawHeaders {
  return headers.filter((_, index) => !names.test(headers[index & ~1] as string));
}
