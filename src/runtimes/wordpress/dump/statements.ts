import { ArchiveRefused } from '#core/archive/archive-refused.ts';

export interface Statement {
  bytes: Buffer;
  /** Where it begins, counted from 1. */
  line: number;
}

const MAX_STATEMENT_BYTES = 64 * 1024 * 1024;

const [NEWLINE, QUOTE, APOSTROPHE, BACKTICK, BACKSLASH] = [0x0a, 0x22, 0x27, 0x60, 0x5c];
const [SEMICOLON, DASH, HASH, SLASH, STAR, BANG] = [0x3b, 0x2d, 0x23, 0x2f, 0x2a, 0x21];

/**
 * Cuts a dump at its semicolons, those in texts and comments aside. In every character set that we take, a byte of ASCII is that
 * character and no part of another one, so bytes will do.
 */
export async function* statements(source: AsyncIterable<Buffer>): AsyncGenerator<Statement> {
  const cutter = new Cutter();
  for await (const chunk of source) {
    cutter.add(chunk);
    for (let next = cutter.next(false); next; next = cutter.next(false)) yield next;
  }
  for (let next = cutter.next(true); next; next = cutter.next(true)) yield next;
}

type State = 'text' | 'line comment' | 'comment' | number;

class Cutter {
  #bytes: Buffer = Buffer.alloc(0);
  /** Where `#bytes` is the start of: room for what comes, so that a long statement is not copied with each piece of it. */
  #room: Buffer = this.#bytes;
  #at = 0;
  #line = 1;
  #startLine = 1;
  /** A number is the quote that ends what we are in. */
  #state: State = 'text';

  add(chunk: Buffer): void {
    const kept = this.#bytes.length;
    const length = kept + chunk.length;
    if (this.#room.length < length) {
      this.#room = Buffer.allocUnsafe(2 * length);
      this.#bytes.copy(this.#room);
    }
    chunk.copy(this.#room, kept);
    this.#bytes = this.#room.subarray(0, length);
  }

  next(isEnd: boolean): Statement | undefined {
    for (const bytes = this.#bytes; this.#at < bytes.length; this.#at++) {
      if (typeof this.#state === 'number') this.#skipText(this.#state);
      // Marks of two characters may be cut in two.
      if (!isEnd && this.#at + 2 >= bytes.length) return this.#wait();
      const byte = bytes[this.#at] as number;
      if (byte === NEWLINE) this.#line++;
      if (this.#state === 'text' && byte === SEMICOLON) return this.#cut();
      this.#step(byte);
    }
    if (!isEnd) return this.#wait();
    if (typeof this.#state === 'number') throw refuse(this.#startLine, 'a text is not ended');
    return this.#bytes.length > 0 ? this.#cut() : undefined;
  }

  /** Most of a dump is in quotes, so this is where the time goes. */
  #skipText(quote: number): void {
    const bytes = this.#bytes;
    const end = bytes.length - 2;
    let at = this.#at;
    for (; at < end; at++) {
      const byte = bytes[at];
      if (byte === quote || byte === BACKSLASH) break;
      if (byte === NEWLINE) this.#line++;
    }
    this.#at = at;
  }

  #step(byte: number): void {
    const after = this.#bytes[this.#at + 1];
    if (this.#state === 'line comment') {
      if (byte === NEWLINE) this.#state = 'text';
    } else if (this.#state === 'comment') {
      if (byte !== STAR || after !== SLASH) return;
      this.#at++;
      this.#state = 'text';
    } else if (this.#state !== 'text') this.#stepInQuotes(byte, this.#state, after);
    else if (byte === APOSTROPHE || byte === QUOTE || byte === BACKTICK) this.#state = byte;
    else if (byte === HASH) this.#state = 'line comment';
    else if (byte === DASH && after === DASH && isBlank(this.#bytes[this.#at + 2])) this.#state = 'line comment';
    // What a comment with an exclamation mark says counts as if it stood there alone.
    else if (byte === SLASH && after === STAR && this.#bytes[this.#at + 2] !== BANG) {
      this.#at++;
      this.#state = 'comment';
    }
  }

  /** A doubled quote ends the text and begins it anew, which comes to the same here. */
  #stepInQuotes(byte: number, quote: number, after: number | undefined): void {
    if (byte === quote) this.#state = 'text';
    else if (byte === BACKSLASH && quote !== BACKTICK) {
      if (after === NEWLINE) this.#line++;
      this.#at++;
    }
  }

  #cut(): Statement {
    const statement = { bytes: this.#bytes.subarray(0, this.#at), line: this.#startLine };
    this.#bytes = this.#bytes.subarray(this.#at + 1);
    this.#room = this.#room.subarray(this.#at + 1);
    this.#at = 0;
    this.#startLine = this.#line;
    return statement;
  }

  #wait(): undefined {
    if (this.#bytes.length > MAX_STATEMENT_BYTES)
      throw refuse(this.#startLine, `a statement is longer than ${MAX_STATEMENT_BYTES / 1024 / 1024} MB`);
    return undefined;
  }
}

const isBlank = (byte: number | undefined) => byte === undefined || byte <= 0x20;

export const refuse = (line: number, why: string) => new ArchiveRefused(`in its database, line ${line}: ${why}`);
