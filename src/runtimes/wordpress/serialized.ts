/**
 * PHP's serialised values carry the length of every string in bytes, so a text inside them can not simply be replaced.
 * This walks such a value and rebuilds it with each string rewritten; a string that is itself a serialised value is
 * walked in turn. What is not a well-formed serialised value is undefined.
 */
export function rewriteSerialized(value: string, rewrite: (text: string) => string, nesting = 0): string | undefined {
  if (nesting > MAX_NESTING || !/^(?:[aO]:\d+:|s:\d+:")/.test(value)) return undefined;
  const walker = new Walker(Buffer.from(value), rewrite, nesting);
  const rebuilt = walker.value();
  return rebuilt !== undefined && walker.atEnd ? rebuilt : undefined;
}

const MAX_DEPTH = 200;
/** Values in texts in values: each one is held in memory with all that are around it. */
const MAX_NESTING = 8;

class Walker {
  readonly #bytes: Buffer;
  readonly #rewrite: (text: string) => string;
  readonly #nesting: number;
  #at = 0;
  #depth = 0;

  constructor(bytes: Buffer, rewrite: (text: string) => string, nesting: number) {
    this.#bytes = bytes;
    this.#rewrite = rewrite;
    this.#nesting = nesting;
  }

  get atEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  value(): string | undefined {
    switch (this.#text(2)) {
      case 'N;':
        this.#at += 2;
        return 'N;';
      case 'b:':
      case 'i:':
      case 'd:':
      case 'r:':
      case 'R:':
        return this.#through(';');
      case 's:':
        return this.#string();
      case 'E:':
        // An enum's case is named by class and case, which no address is part of.
        return this.#sized((text) => text, ';');
      case 'a:':
        this.#at += 2;
        return this.#members('a:');
      case 'O:':
        return this.#object();
      default:
        // `C:` hides its content behind a format of its own.
        return undefined;
    }
  }

  #string(): string | undefined {
    const inner = (text: string) => rewriteSerialized(text, this.#rewrite, this.#nesting + 1) ?? this.#rewrite(text);
    return this.#sized(inner, ';');
  }

  /** `s:5:"hello";` or the class name in `O:8:"stdClass":`. */
  #sized(change: (text: string) => string, end: string): string | undefined {
    const kind = this.#text(2);
    this.#at += 2;
    const length = this.#count();
    if (length === undefined || this.#take('"') === undefined) return undefined;
    const content = this.#bytes.subarray(this.#at, this.#at + length);
    if (content.length < length) return undefined;
    this.#at += length;
    if (this.#take(`"${end}`) === undefined) return undefined;
    const changed = change(content.toString());
    return `${kind}${Buffer.byteLength(changed)}:"${changed}"${end}`;
  }

  #object(): string | undefined {
    const name = this.#sized((text) => text, ':');
    return name === undefined ? undefined : this.#members(name);
  }

  /** `2:{key value key value }` */
  #members(start: string): string | undefined {
    const count = this.#count();
    if (count === undefined || this.#take('{') === undefined || ++this.#depth > MAX_DEPTH) return undefined;
    const parts = [`${start}${count}:{`];
    for (let n = 0; n < count; n++) {
      const key = this.#text(2) === 's:' ? this.#sized((text) => text, ';') : this.#through(';');
      const value = key === undefined ? undefined : this.value();
      if (key === undefined || value === undefined) return undefined;
      parts.push(key, value);
    }
    this.#depth--;
    return this.#take('}') === undefined ? undefined : `${parts.join('')}}`;
  }

  #count(): number | undefined {
    const digits = /^\d{1,10}(?=:)/.exec(this.#text(11))?.[0];
    if (digits === undefined) return undefined;
    this.#at += digits.length + 1;
    return Number(digits);
  }

  #through(mark: string): string | undefined {
    const end = this.#bytes.indexOf(mark, this.#at);
    if (end < 0) return undefined;
    const text = this.#bytes.toString('latin1', this.#at, end + 1);
    this.#at = end + 1;
    return /^[a-zA-Z]:[-+.\w]+;$/.test(text) ? text : undefined;
  }

  #take(expected: string): string | undefined {
    if (this.#text(expected.length) !== expected) return undefined;
    this.#at += expected.length;
    return expected;
  }

  #text(length: number): string {
    return this.#bytes.toString('latin1', this.#at, this.#at + length);
  }
}
