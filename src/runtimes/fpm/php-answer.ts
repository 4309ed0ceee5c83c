import type { ServerResponse } from 'node:http';
import { type Complaints, findFailure, isStatus, NOT_PHPS } from '#runtimes/php/answer-rules.ts';

/** What is known when PHP has ended. */
export interface AnswerEnd {
  complaints: Complaints;
  isFatal: boolean;
  /** Pages changed. */
  purge: boolean;
}

/** An answer of up to this size, and up to so long after its first words, is sent when it is whole: then its head tells how it ended. */
const HELD_BYTES = 1024 * 1024;
const HELD_MS = 2_000;
const HEAD_LIMIT_BYTES = 64 * 1024;
/** Of the head; those after them are left out. */
const LINES_LIMIT = 500;
const HEAD_END = '\r\n\r\n';

/** What PHP says, on its way to whoever asked: first a head as CGI has it, then the body. */
export class PhpAnswer {
  readonly #response: ServerResponse;
  readonly #isHead: boolean;
  #head: Buffer | undefined = Buffer.alloc(0);
  #status = 200;
  #held: Buffer[] | undefined = [];
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #pause: () => void = () => {};

  constructor(response: ServerResponse, isHead: boolean) {
    this.#response = response;
    this.#isHead = isHead;
  }

  /** PHP has begun to speak. */
  get hasHead(): boolean {
    return this.#head === undefined;
  }

  /** `pause` is called when the reader is slow, until `drain` of the response. */
  onSlow(pause: () => void): void {
    this.#pause = pause;
  }

  take(part: Buffer): void {
    if (this.#head === undefined) {
      this.#takeBody(part);
      return;
    }
    const searched = Math.max(0, this.#head.length - HEAD_END.length + 1);
    const head = Buffer.concat([this.#head, part]);
    const end = head.indexOf(HEAD_END, searched);
    if ((end < 0 ? head.length : end) > HEAD_LIMIT_BYTES) throw new Error('the head of the answer is too long');
    if (end < 0) {
      this.#head = head;
      return;
    }
    this.#head = undefined;
    this.#takeHead(head.toString('latin1', 0, end));
    const body = head.subarray(end + HEAD_END.length);
    if (body.length > 0) this.#takeBody(body);
  }

  finish({ complaints, isFatal, purge }: AnswerEnd): void {
    clearTimeout(this.#timer);
    const response = this.#response;
    if (!this.#held) {
      if (purge) response.addTrailers({ 'x-siteyard-purge': 'all' });
      response.end();
      return;
    }
    const failure = this.#bytes === 0 ? findFailure(this.#status, isFatal, complaints) : undefined;
    if (purge) response.setHeader('x-siteyard-purge', 'all');
    if (failure) response.setHeader('x-siteyard-failure', failure);
    response.statusCode = failure || !isStatus(this.#status) ? 500 : this.#status;
    const isEmpty = response.statusCode === 204 || response.statusCode === 304;
    if (!isEmpty) response.setHeader('content-length', this.#bytes);
    response.end(this.#isHead || isEmpty ? undefined : Buffer.concat(this.#held));
  }

  /** It will have no end. */
  drop(): void {
    clearTimeout(this.#timer);
  }

  #takeHead(text: string): void {
    const headers = new Map<string, string[]>();
    for (const line of text.split(/\r?\n/, LINES_LIMIT)) {
      const at = line.indexOf(':');
      if (at <= 0) continue;
      const name = line.slice(0, at).toLowerCase();
      const value = line.slice(at + 1).trim();
      if (name === 'status') this.#status = Number.parseInt(value, 10);
      else if (!NOT_PHPS.has(name)) {
        const values = headers.get(name);
        if (values) values.push(value);
        else headers.set(name, [value]);
      }
    }
    for (const [name, values] of headers) {
      try {
        this.#response.setHeader(name, values.length === 1 ? (values[0] as string) : values);
      } catch {
        // PHP was told to send something that is no header.
      }
    }
  }

  #takeBody(part: Buffer): void {
    this.#bytes += part.length;
    if (!this.#held) {
      if (!this.#response.write(part)) this.#pause();
      return;
    }
    // What was read into lives on as long as any part of it.
    this.#held.push(part);
    if (this.#bytes > HELD_BYTES) this.#send();
    else this.#timer ??= setTimeout(() => this.#send(), HELD_MS);
  }

  /** From here on it goes as it comes, and what is known at its end goes behind it. */
  #send(): void {
    clearTimeout(this.#timer);
    const held = this.#held;
    if (!held || this.#response.destroyed) return;
    this.#held = undefined;
    this.#response.statusCode = isStatus(this.#status) ? this.#status : 500;
    this.#response.setHeader('trailer', 'x-siteyard-purge');
    if (!this.#response.write(Buffer.concat(held))) this.#pause();
  }
}
