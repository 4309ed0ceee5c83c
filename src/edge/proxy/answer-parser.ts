import type { RawHeaders } from '../raw-headers.ts';
import { headTooLarge, MAX_HEAD_BYTES, tooManyHeaders, tooManyInformational } from './response-head.ts';

/** What the parser finds, in this order: one head, any number of parts, one end. */
export interface ParserEvents {
  head(head: AnswerHead): void;
  data(chunk: Buffer): void;
  end(trailers: RawHeaders): void;
}

export interface AnswerHead {
  status: number;
  rawHeaders: RawHeaders;
  /** Whether the connection can be used for another request afterwards. */
  keepsAlive: boolean;
}

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: |$)/;
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const STRAY = /[^\t\r\n\x20-\x7e\x80-\xff]|\r(?!\n)|(?<!\r)\n/;
const CHUNK_SIZE = /^([0-9a-f]{1,12})[ \t]*(?:;.*)?$/i;
const EMPTY = Buffer.alloc(0);

type State = 'head' | 'length' | 'until-close' | 'chunk-size' | 'chunk' | 'chunk-end' | 'trailers' | 'done';

/**
 * Reads HTTP/1.1 answers, one at a time, from the site's own socket. node:http's client would do, at several times the cost of all else
 * that the edge does for a request. It is strict: an answer that could be read in two ways is an error.
 */
export class AnswerParser {
  readonly #events: ParserEvents;
  #isHead = false;
  #state: State = 'done';
  /** Starts with the incomplete line or head. */
  #held: Buffer = EMPTY;
  #heldBytes = 0;
  /** How many of these were searched for the end already. */
  #searchedBytes = 0;
  #missingBytes = 0;
  /** Heads with a status of 1xx. */
  #informational = 0;

  constructor(events: ParserEvents) {
    this.#events = events;
  }

  /** Makes it ready for the next answer; one to HEAD has no body, whatever it says. */
  begin(isHead: boolean): void {
    this.#state = 'head';
    this.#heldBytes = 0;
    this.#searchedBytes = 0;
    this.#missingBytes = 0;
    this.#informational = 0;
    this.#isHead = isHead;
  }

  get isDone(): boolean {
    return this.#state === 'done';
  }

  /** Throws where the answer is none. */
  push(chunk: Buffer): void {
    const joined = this.#heldBytes > 0 ? this.#append(chunk) : undefined;
    let rest = joined ?? chunk;
    while (rest.length > 0) {
      if (this.#state === 'done') throw new Error('more was answered than asked for');
      const next = this.#step(rest);
      if (!next) {
        if (rest !== joined) this.#held = rest;
        this.#heldBytes = rest.length;
        return;
      }
      rest = next;
    }
    this.#held = EMPTY;
    this.#heldBytes = 0;
  }

  /** Appends to the incomplete line or head. The buffer doubles, so that single bytes are appended in linear time. */
  #append(chunk: Buffer): Buffer {
    const sizeBytes = this.#heldBytes + chunk.length;
    if (sizeBytes > this.#held.length) {
      const larger = Buffer.allocUnsafe(Math.max(sizeBytes, 2 * this.#held.length));
      this.#held.copy(larger, 0, 0, this.#heldBytes);
      this.#held = larger;
    }
    chunk.copy(this.#held, this.#heldBytes);
    return this.#held.subarray(0, sizeBytes);
  }

  /** The connection ended, which is the end of an answer that has no length. */
  close(): void {
    if (this.#state === 'until-close') this.#finish([]);
    else if (this.#state !== 'done') throw new Error('the answer broke off');
  }

  /** Parses one step and returns the remaining bytes; undefined if the step needs more bytes. */
  #step(bytes: Buffer): Buffer | undefined {
    switch (this.#state) {
      case 'head':
        return this.#takeHead(bytes);
      case 'until-close':
        this.#events.data(bytes);
        return EMPTY;
      case 'length':
      case 'chunk':
        return this.#takeData(bytes);
      case 'chunk-end':
        return this.#takeLine(bytes, (line) => {
          if (line !== '') throw new Error('a chunk is longer than it says');
          this.#state = 'chunk-size';
        });
      case 'chunk-size':
        return this.#takeLine(bytes, (line) => this.#beginChunk(line));
      case 'trailers':
        return this.#takeTrailers(bytes);
      case 'done':
        return bytes;
    }
  }

  #takeHead(bytes: Buffer): Buffer | undefined {
    const end = this.#findEnd(bytes, '\r\n\r\n');
    if (end < 0) return undefined;
    const text = bytes.toString('latin1', 0, end);
    const lineEnd = text.indexOf('\r\n');
    const match = STATUS_LINE.exec(lineEnd < 0 ? text : text.slice(0, lineEnd));
    if (!match) throw new Error('the answer has no status');
    const status = Number(match[2]);
    const rawHeaders = lineEnd < 0 ? [] : parseHeaders(text.slice(lineEnd + 2));
    const rest = bytes.subarray(end + 4);
    if (status === 101) throw new Error('the site changed the protocol unasked');
    // News on the way to the answer.
    if (status < 200) {
      const problem = tooManyInformational(++this.#informational);
      if (problem) throw problem;
      return rest;
    }
    this.#beginBody(status, rawHeaders, match[1] === '1');
    return rest;
  }

  #beginBody(status: number, rawHeaders: RawHeaders, isCurrent: boolean): void {
    const { length, isChunked, closes } = readFraming(rawHeaders);
    const hasNoBody = this.#isHead || status === 204 || status === 304;
    const isUntilClose = !hasNoBody && !isChunked && length === undefined;
    this.#events.head({ status, rawHeaders, keepsAlive: isCurrent && !closes && !isUntilClose });
    this.#missingBytes = length ?? 0;
    if (hasNoBody || (!isChunked && length === 0)) this.#finish([]);
    else if (isChunked) this.#state = 'chunk-size';
    else this.#state = isUntilClose ? 'until-close' : 'length';
  }

  #takeData(bytes: Buffer): Buffer | undefined {
    const part = bytes.length <= this.#missingBytes ? bytes : bytes.subarray(0, this.#missingBytes);
    this.#missingBytes -= part.length;
    this.#events.data(part);
    if (this.#missingBytes > 0) return EMPTY;
    if (this.#state === 'length') this.#finish([]);
    else this.#state = 'chunk-end';
    return bytes.subarray(part.length);
  }

  #takeLine(bytes: Buffer, take: (line: string) => void): Buffer | undefined {
    const end = this.#findEnd(bytes, '\r\n');
    if (end < 0) return undefined;
    take(bytes.toString('latin1', 0, end));
    return bytes.subarray(end + 2);
  }

  #beginChunk(line: string): void {
    const match = CHUNK_SIZE.exec(line);
    if (!match) throw new Error('a chunk has no size');
    this.#missingBytes = Number.parseInt(match[1] as string, 16);
    this.#state = this.#missingBytes === 0 ? 'trailers' : 'chunk';
  }

  #takeTrailers(bytes: Buffer): Buffer | undefined {
    if (bytes.length >= 2 && bytes[0] === 0x0d && bytes[1] === 0x0a) {
      this.#searchedBytes = 0;
      this.#finish([]);
      return bytes.subarray(2);
    }
    const end = this.#findEnd(bytes, '\r\n\r\n');
    if (end < 0) return undefined;
    this.#finish(parseHeaders(bytes.toString('latin1', 0, end)));
    return bytes.subarray(end + 4);
  }

  /**
   * Returns the end of the line or head, or a negative number if incomplete; the next search then skips these bytes.
   */
  #findEnd(bytes: Buffer, mark: string): number {
    const end = bytes.indexOf(mark, Math.max(0, this.#searchedBytes - mark.length + 1));
    const sizeBytes = end < 0 ? bytes.length : end;
    if (sizeBytes > MAX_HEAD_BYTES) throw headTooLarge(bytes.toString('latin1', 0, sizeBytes));
    this.#searchedBytes = end < 0 ? sizeBytes : 0;
    return end;
  }

  #finish(trailers: RawHeaders): void {
    this.#state = 'done';
    this.#events.end(trailers);
  }
}

function parseHeaders(text: string): RawHeaders {
  if (STRAY.test(text)) throw new Error('invalid header line');
  const headers: RawHeaders = [];
  for (let at = 0; at < text.length; ) {
    const found = text.indexOf('\r\n', at);
    const end = found < 0 ? text.length : found;
    const colon = text.indexOf(':', at);
    const name = text.slice(at, colon);
    if (colon < at || colon > end || !NAME.test(name)) throw new Error('invalid header line');
    headers.push(name, text.slice(colon + 1, end).trim());
    at = end + 2;
  }
  const problem = tooManyHeaders(headers);
  if (problem) throw problem;
  return headers;
}

function readFraming(rawHeaders: RawHeaders): { length: number | undefined; isChunked: boolean; closes: boolean } {
  let length: number | undefined;
  let isChunked = false;
  let closes = false;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    // Most headers are told apart by their length alone.
    if (name.length !== 14 && name.length !== 17 && name.length !== 10) continue;
    const value = rawHeaders[index + 1] as string;
    switch (name.toLowerCase()) {
      case 'content-length':
        if (!/^\d{1,15}$/.test(value) || length !== undefined) throw new Error('the answer has no clear length');
        length = Number(value);
        break;
      case 'transfer-encoding':
        if (value.toLowerCase() !== 'chunked' || isChunked) throw new Error('the answer has an unknown coding');
        isChunked = true;
        break;
      case 'connection':
        closes ||= /\bclose\b/i.test(value);
    }
  }
  if (isChunked && length !== undefined) throw new Error('the answer has two lengths');
  return { length, isChunked, closes };
}
