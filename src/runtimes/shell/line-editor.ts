export interface LineEditorOptions {
  show(text: string): void;
  enter(line: string): void;
  /** Ctrl-D on an empty line. */
  leave(): void;
}

const HISTORY_LINES = 200;
const LONGEST_LINE = 16 * 1024;
const ESCAPE = '\x1b';
/** What keys send, and what is written between them. */
const KEYS = new RegExp(`${ESCAPE}\\[[0-9;]*[A-Za-z~]|${ESCAPE}O[A-Z]|\\p{Cc}|\\P{Cc}+`, 'gu');
const STYLES = new RegExp(`${ESCAPE}\\[[0-9;]*m`, 'g');

/** A line to type, with the keys that everybody expects, and the lines before it. */
export class LineEditor {
  readonly #options: LineEditorOptions;
  readonly #history: string[] = [];
  #prompt = '';
  /** By characters, not by what they are made of. */
  #line: string[] = [];
  #at = 0;
  #past = 0;
  /** Whether the line is shown otherwise than it is. It is drawn once for all keys of a message. */
  #isStale = false;
  #columns = 80;
  /** In which row of the line the cursor is. */
  #row = 0;
  /** Nobody waits for a line: what is typed counts for the next one. */
  #isWaiting = false;
  #ahead = '';

  constructor(options: LineEditorOptions) {
    this.#options = options;
  }

  resize(columns: number): void {
    this.#columns = columns;
  }

  prompt(prompt: string): void {
    this.#prompt = prompt;
    this.#row = 0;
    this.#isWaiting = true;
    this.#past = this.#history.length;
    this.#set('');
    const ahead = this.#ahead;
    this.#ahead = '';
    this.type(ahead);
  }

  type(text: string): void {
    const keys = text.match(KEYS) ?? [];
    for (const [index, key] of keys.entries()) {
      if (!this.#isWaiting) {
        this.#ahead = (this.#ahead + keys.slice(index).join('')).slice(0, LONGEST_LINE);
        return;
      }
      this.#press(key);
    }
    this.#redraw();
  }

  #press(key: string): void {
    const act = this.#actions[key];
    if (act) act();
    else if (!/^\p{Cc}/u.test(key)) this.#insert(key);
  }

  readonly #actions: Record<string, (() => void) | undefined> = {
    '\r': () => this.#enter(),
    '\n': () => this.#enter(),
    '\x7f': () => this.#remove(this.#at - 1),
    '\b': () => this.#remove(this.#at - 1),
    '\x1b[3~': () => this.#remove(this.#at),
    '\x1b[D': () => this.#move(this.#at - 1),
    '\x1b[C': () => this.#move(this.#at + 1),
    '\x1b[H': () => this.#move(0),
    '\x01': () => this.#move(0),
    '\x1b[F': () => this.#move(this.#line.length),
    '\x05': () => this.#move(this.#line.length),
    '\x1b[A': () => this.#recall(this.#past - 1),
    '\x1b[B': () => this.#recall(this.#past + 1),
    '\x15': () => this.#set(this.#line.slice(this.#at).join(''), 0),
    '\x0b': () => this.#set(this.#line.slice(0, this.#at).join('')),
    '\x0c': () => {
      this.#options.show('\x1b[H\x1b[2J');
      this.#row = 0;
      this.#isStale = true;
    },
    '\x03': () => {
      this.#redraw();
      this.#options.show('^C\r\n');
      this.#row = 0;
      this.#set('');
    },
    '\x04': () => {
      if (this.#line.length > 0) return this.#remove(this.#at);
      this.#isWaiting = false;
      this.#redraw();
      this.#options.show('exit\r\n');
      this.#options.leave();
    },
  };

  #enter(): void {
    const line = this.#line.join('');
    if (line.trim() !== '' && line !== this.#history.at(-1)) this.#history.push(line);
    if (this.#history.length > HISTORY_LINES) this.#history.shift();
    this.#move(this.#line.length);
    this.#redraw();
    this.#options.show('\r\n');
    this.#isWaiting = false;
    this.#options.enter(line);
  }

  #insert(text: string): void {
    const characters = [...text].slice(0, Math.max(0, LONGEST_LINE - this.#line.length));
    this.#line.splice(this.#at, 0, ...characters);
    this.#at += characters.length;
    this.#isStale = true;
  }

  #remove(at: number): void {
    if (at < 0 || at >= this.#line.length) return;
    this.#line.splice(at, 1);
    this.#at = at;
    this.#isStale = true;
  }

  #move(to: number): void {
    this.#at = Math.min(this.#line.length, Math.max(0, to));
    this.#isStale = true;
  }

  #recall(to: number): void {
    if (to < 0 || to > this.#history.length) return;
    this.#past = to;
    this.#set(this.#history[to] ?? '');
  }

  #set(line: string, at?: number): void {
    this.#line = [...line];
    this.#at = at ?? this.#line.length;
    this.#isStale = true;
  }

  /** From where it began, which is some rows further up where the line needs several. */
  #redraw(): void {
    if (!this.#isStale) return;
    this.#isStale = false;
    const line = this.#line.join('');
    const up = (rows: number) => (rows > 0 ? `\x1b[${rows}A` : '');
    const start = this.#prompt.replaceAll(STYLES, '').length;
    const [end, cursor] = [start + this.#line.length, start + this.#at];
    const rowOf = (place: number) => Math.floor(place / this.#columns);
    // The cursor stays behind the last column until something follows it.
    const wrap = end > 0 && end % this.#columns === 0 ? '\r\n' : '';
    const right = cursor % this.#columns;
    this.#options.show(
      `${up(this.#row)}\r\x1b[J${this.#prompt}${line}${wrap}${up(rowOf(end) - rowOf(cursor))}\r${right > 0 ? `\x1b[${right}C` : ''}`,
    );
    this.#row = rowOf(cursor);
  }
}
