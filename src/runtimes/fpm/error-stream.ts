import { type Complaints, noteComplaint } from '#runtimes/php/answer-rules.ts';

/** How much one request can tell: what is lost is counted. */
const REQUEST_BYTES = 64 * 1024;
const MESSAGE_BYTES = 32 * 1024;
/** Short messages cost something too. */
const LEAST_BYTES = 100;
/** Of what is not read any more, the end is kept: it says whether PHP broke. */
const LAST_BYTES = 4 * 1024;
/** As PHP-FPM begins each. */
const START = 'PHP message: ';
const FATAL = /^PHP (Fatal error|Parse error|Recoverable fatal error): /;

export interface ErrorMessage {
  atMs: number;
  text: string;
}

/** What PHP writes to its error log at one request, which comes beside its answer. */
export class ErrorStream {
  readonly complaints: Complaints = { ranOutOfMemory: false, ranOutOfFiles: false };
  isFatal = false;
  #pending = '';
  #last: Buffer = Buffer.alloc(0);
  #receivedBytes = 0;
  #bytes = 0;
  #leftOut = 0;
  readonly #messages: ErrorMessage[] = [];

  take(part: Buffer): void {
    if (this.#receivedBytes > REQUEST_BYTES) return void this.#skip(part);
    this.#receivedBytes += part.length;
    const parts = (this.#pending + part.toString()).split(START);
    this.#pending = START + (parts.pop() ?? '').slice(0, MESSAGE_BYTES);
    // One that is followed by another ends so.
    for (const each of parts) this.#add(each.replace(/; $/, ''));
  }

  /** All of them, when PHP has ended. */
  finish(): ErrorMessage[] {
    this.#add(this.#pending.startsWith(START) ? this.#pending.slice(START.length) : this.#pending);
    this.#pending = '';
    this.#judge(this.#last.toString().split(START));
    const noun = this.#leftOut === 1 ? 'message' : 'messages';
    if (this.#leftOut > 0)
      this.#messages.push({ atMs: Date.now(), text: `${this.#leftOut} more ${noun} of this request were left out.` });
    return this.#messages;
  }

  #add(message: string): void {
    const text = message.slice(0, MESSAGE_BYTES).trimEnd();
    if (text === '') return;
    this.#judge([text]);
    this.#bytes += Math.max(LEAST_BYTES, text.length);
    if (this.#bytes > REQUEST_BYTES) this.#leftOut++;
    else this.#messages.push({ atMs: Date.now(), text });
  }
  #skip(part: Buffer): void {
    for (let at = part.indexOf(START); at >= 0; at = part.indexOf(START, at + START.length)) this.#leftOut++;
    this.#last = Buffer.concat([this.#last, part.subarray(-LAST_BYTES)]).subarray(-LAST_BYTES);
  }

  #judge(messages: readonly string[]): void {
    for (const text of messages) noteComplaint(this.complaints, text);
    this.isFatal ||= messages.some((text) => FATAL.test(text));
  }
}
