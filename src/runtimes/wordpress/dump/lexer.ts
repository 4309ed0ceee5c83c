import { refuse, type Statement } from './statements.ts';

export type Token =
  /** A keyword or a plain name. */
  | { kind: 'word'; text: string }
  /** In backticks. */
  | { kind: 'name'; text: string }
  | { kind: 'string'; bytes: Buffer; charset?: string }
  | { kind: 'number'; text: string }
  /** 0x…, x'…', b'…' */
  | { kind: 'bytes'; bytes: Buffer }
  | { kind: 'mark'; text: string }
  | { kind: 'end' };

const END: Token = { kind: 'end' };
const WORD = /[A-Za-z0-9_$@.\x80-\xff]/;
/** By code, whether a byte can be in a word. */
const IN_WORD = Array.from({ length: 256 }, (_, code) => WORD.test(String.fromCharCode(code)));
const NEVER = 999_999;
const ESCAPES: Record<number, number> = { 48: 0, 98: 8, 110: 10, 114: 13, 116: 9, 90: 26 };

/** The words of one statement. Nothing in here knows what they mean. */
export class Lexer {
  readonly #bytes: Buffer;
  readonly #line: number;
  #at = 0;
  #start = 0;
  #peeked: Token | undefined;
  /** How many comments that count we are in; the end of one is then no mark. */
  #depth = 0;

  constructor({ bytes, line }: Statement) {
    this.#bytes = bytes;
    this.#line = line;
  }

  next(): Token {
    const token = this.#peeked ?? this.#read();
    this.#peeked = undefined;
    return token;
  }

  peek(): Token {
    this.#peeked ??= this.#read();
    return this.#peeked;
  }

  /** Takes the words where they come next. */
  takeWords(...words: string[]): boolean {
    const token = this.peek();
    if (token.kind !== 'word' || token.text.toUpperCase() !== words[0]) return false;
    this.next();
    for (const word of words.slice(1))
      if (!this.takeWords(word)) throw this.refuse(`${words[0]} ${describe(this.peek())}`.trim());
    return true;
  }

  takeMark(mark: string): boolean {
    const token = this.peek();
    if (token.kind !== 'mark' || token.text !== mark) return false;
    this.next();
    return true;
  }

  expectMark(mark: string): void {
    if (!this.takeMark(mark)) throw this.refuse(describe(this.peek()));
  }

  expectWord(word: string): void {
    if (!this.takeWords(word)) throw this.refuse(describe(this.peek()));
  }

  /** The name of a table, a column or a key. */
  expectName(): string {
    const token = this.next();
    if ((token.kind !== 'name' && token.kind !== 'word') || !isName(token.text)) throw this.refuse(describe(token));
    return token.text;
  }

  expectEnd(): void {
    if (this.peek().kind !== 'end') throw this.refuse(describe(this.peek()));
  }

  /** What we take no notice of: up to where its bracket is closed. */
  skipBrackets(): void {
    this.expectMark('(');
    for (let depth = 1; depth > 0; ) {
      const token = this.next();
      if (token.kind === 'end') throw this.refuse('a bracket is not closed');
      if (token.kind === 'mark') depth += token.text === '(' ? 1 : token.text === ')' ? -1 : 0;
    }
  }

  /** The line of what was read last. */
  get line(): number {
    let line = this.#line;
    for (let at = this.#bytes.indexOf(10); at >= 0 && at < this.#start; at = this.#bytes.indexOf(10, at + 1)) line++;
    return line;
  }

  refuse(what: string) {
    return refuse(this.line, `${what} is not taken`);
  }

  #read(): Token {
    this.#skipBlanks();
    this.#start = this.#at;
    const byte = this.#bytes[this.#at];
    if (byte === undefined) return END;
    if (byte === 0x27 || byte === 0x22) return { kind: 'string', bytes: this.#quoted(byte) };
    if (byte === 0x60) return { kind: 'name', text: this.#quoted(byte).toString() };
    const isDigit = byte >= 0x30 && byte <= 0x39;
    if (isDigit || ((byte === 0x2d || byte === 0x2b || byte === 0x2e) && this.#isDigitAt(this.#at + 1)))
      return this.#number();
    if (IN_WORD[byte]) return this.#word();
    this.#at++;
    return { kind: 'mark', text: String.fromCharCode(byte) };
  }

  #isDigitAt(at: number): boolean {
    const byte = this.#bytes[at] ?? 0;
    return byte === 0x2e || (byte >= 0x30 && byte <= 0x39);
  }

  #number(): Token {
    const text = this.#match(/0x[0-9A-Fa-f]+|[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/y, 'number');
    return text.startsWith('0x') ? { kind: 'bytes', bytes: fromHex(text.slice(2)) } : { kind: 'number', text };
  }

  /** A short piece as latin1, where a pattern finds it; hex may be long, and is looked for in ever longer pieces. */
  #match(pattern: RegExp, what: string): string {
    for (let length = 64; ; length *= 8) {
      const text = this.#bytes.toString('latin1', this.#at, this.#at + length);
      pattern.lastIndex = 0;
      const found = pattern.exec(text)?.[0];
      if (found === undefined) throw this.refuse(`a ${what} like ${JSON.stringify(text.slice(0, 20))}`);
      if (found.length === text.length && text.length === length) continue;
      this.#at += found.length;
      return found;
    }
  }

  #word(): Token {
    let end = this.#at;
    while (end < this.#bytes.length && IN_WORD[this.#bytes[end] as number]) end++;
    const text = this.#bytes.toString('utf8', this.#at, end);
    this.#at = end;
    const follows = this.#bytes[end];
    const isQuote = follows === 0x27 || follows === 0x22;
    if (isQuote && /^x$/i.test(text))
      return { kind: 'bytes', bytes: fromHex(this.#quoted(follows).toString('latin1')) };
    if (isQuote && /^b$/i.test(text))
      return { kind: 'bytes', bytes: fromBits(this.#quoted(follows).toString('latin1')) };
    if (isQuote && /^n$/i.test(text)) return { kind: 'string', bytes: this.#quoted(follows) };
    return /^_[a-z0-9]+$/i.test(text) ? this.#introduced(text) : { kind: 'word', text };
  }

  /** `_binary 'text'`: the text is in that character set. */
  #introduced(text: string): Token {
    const back = this.#at;
    this.#skipBlanks();
    const quote = this.#bytes[this.#at];
    if (quote === 0x27 || quote === 0x22)
      return { kind: 'string', bytes: this.#quoted(quote), charset: text.slice(1).toLowerCase() };
    if (quote === 0x30 && (this.#bytes[this.#at + 1] ?? 0) === 0x78) return this.#number();
    this.#at = back;
    return { kind: 'word', text };
  }

  #quoted(quote: number): Buffer {
    const bytes = this.#bytes;
    const begin = ++this.#at;
    let isPlain = true;
    for (; ; this.#at++) {
      const byte = bytes[this.#at];
      if (byte === undefined) throw this.refuse('a text that is not ended');
      if (byte === 0x5c && quote !== 0x60) {
        isPlain = false;
        this.#at++;
      } else if (byte === quote) {
        if (bytes[this.#at + 1] !== quote) break;
        isPlain = false;
        this.#at++;
      }
    }
    const raw = bytes.subarray(begin, this.#at++);
    return isPlain ? raw : unescaped(raw, quote);
  }

  #skipBlanks(): void {
    const bytes = this.#bytes;
    for (; ; this.#at++) {
      const byte = bytes[this.#at];
      if (byte === undefined) return;
      if (byte <= 0x20) continue;
      const [after, third] = [bytes[this.#at + 1], bytes[this.#at + 2]];
      const isLine = byte === 0x23 || (byte === 0x2d && after === 0x2d && (third === undefined || third <= 0x20));
      if (isLine) this.#at = this.#through('\n');
      else if (byte === 0x2f && after === 0x2a) this.#comment();
      else if (this.#depth > 0 && byte === 0x2a && after === 0x2f) {
        this.#depth--;
        this.#at++;
      } else return;
    }
  }

  /** What a comment with an exclamation mark says, MySQL or MariaDB runs; so it is read as if it stood there alone. */
  #comment(): void {
    const head = /^\/\*M?!(\d*)/.exec(this.#bytes.toString('latin1', this.#at, this.#at + 12));
    if (head && Number(head[1]) < NEVER) {
      this.#depth++;
      this.#at += head[0].length - 1;
    } else this.#at = this.#through('*/');
  }

  #through(mark: string): number {
    const found = this.#bytes.indexOf(mark, this.#at + 2);
    return found < 0 ? this.#bytes.length : found + mark.length - 1;
  }
}

/** How a token looks to whoever wrote it. */
export function describe(token: Token): string {
  if (token.kind === 'end') return 'a statement that ends here';
  if (token.kind === 'string' || token.kind === 'bytes') return 'a text in this place';
  return JSON.stringify(token.text.slice(0, 64));
}

const MAX_NAME_LENGTH = 64;
const isName = (text: string) => text.length > 0 && text.length <= MAX_NAME_LENGTH && /^[^\p{Cc}`'"\\;@]+$/u.test(text);

function unescaped(raw: Buffer, quote: number): Buffer {
  const result = Buffer.allocUnsafe(raw.length);
  let length = 0;
  for (let at = 0; at < raw.length; at++) {
    let byte = raw[at] as number;
    if (byte === quote) at++;
    else if (byte === 0x5c && quote !== 0x60) {
      const escaped = raw[++at] as number;
      // Before a wildcard the backslash stays.
      if (escaped === 0x25 || escaped === 0x5f) result[length++] = 0x5c;
      byte = ESCAPES[escaped] ?? escaped;
    }
    result[length++] = byte;
  }
  return result.subarray(0, length);
}

const fromHex = (digits: string) => Buffer.from(digits.length % 2 ? `0${digits}` : digits, 'hex');

function fromBits(bits: string): Buffer {
  const value = /^[01]{1,64}$/.test(bits) ? BigInt(`0b${bits}`) : 0n;
  return fromHex(value.toString(16));
}
