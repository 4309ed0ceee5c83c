import type { Terminal, TerminalSize } from '#runtimes/runtime.ts';
import type { TerminalEnd, TerminalWish } from '../site-host.ts';
import { Scrollback } from './scrollback.ts';

/** So much may be under way to whoever looks on; then the programs wait, and nobody collects what they write. */
const UNDER_WAY_BYTES = 256 * 1024;
const GO_ON_BYTES = 64 * 1024;
/** At least what can be under way, so that nothing is lost with a connection. */
const KEPT_BYTES = UNDER_WAY_BYTES * 2;
/** What programs say that have the whole screen to themselves, and when they give it back. */
const SCREEN_TAKEN = '\x1b[?1049h';
const SCREEN_GIVEN = '\x1b[?1049l';
/** A chunk for whoever takes up a terminal again. */
const PIECE_BYTES = 64 * 1024;

export interface SessionTimes {
  /** How long a terminal that nobody looks at goes on. */
  unattendedMs: number;
  /** How long one in which nothing happens stays. */
  idleMs: number;
}

type Watcher = Pick<TerminalWish, 'onOutput'> & { leave(end: TerminalEnd): void };

/** A terminal with whoever looks at it: one at a time, or for a while nobody. */
export class TerminalSession {
  readonly openedAt = new Date();
  readonly ended: Promise<TerminalEnd>;
  readonly #terminal: Terminal;
  readonly #times: SessionTimes;
  readonly #shown = new Scrollback(KEPT_BYTES);
  #watcher: Watcher | undefined;
  #underWay = 0;
  #isPaused = false;
  #hasFullScreen = false;
  #reason: TerminalEnd | undefined;
  #unattended: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout;

  constructor(terminal: Terminal, times: SessionTimes) {
    this.#terminal = terminal;
    this.#times = times;
    this.#idle = setTimeout(() => this.end({ why: 'idle' }), times.idleMs).unref();
    terminal.onOutput((bytes) => {
      this.#idle.refresh();
      this.#shown.add(bytes);
      this.#noteScreen(bytes);
      if (this.#watcher) this.#send(this.#watcher, bytes);
    });
    this.ended = terminal.ended.then((exitCode) => this.#over(this.#reason ?? { why: 'exit', exitCode }));
  }

  get isAttended(): boolean {
    return this.#watcher !== undefined;
  }

  end(reason: TerminalEnd): void {
    this.#reason ??= reason;
    this.#terminal.end();
  }

  /** Shows the terminal to somebody, from where they have it; whoever had it before is sent away. */
  async attend(wish: TerminalWish, isNew: boolean): Promise<TerminalEnd> {
    this.#watcher?.leave({ why: 'taken' });
    clearTimeout(this.#unattended);
    const { promise, resolve } = Promise.withResolvers<TerminalEnd>();
    const watcher: Watcher = { onOutput: wish.onOutput, leave: resolve };
    const onAbort = () => resolve({ why: 'left' });
    wish.signal?.addEventListener('abort', onAbort, { once: true });
    this.#underWay = 0;
    this.#watcher = watcher;
    const { place, bytes } = this.#shown.since(wish.from ?? 0);
    // Not waited for: what it shows comes right after it over the same connection.
    void wish.onOpen(
      { place, isNew },
      (typed) => this.#type(watcher, typed),
      (size) => this.#resize(watcher, size),
    );
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) this.#send(watcher, bytes.subarray(at, at + PIECE_BYTES));
    this.#flow();
    if (place !== wish.from && this.#hasFullScreen) this.#redraw(wish);
    if (wish.signal?.aborted) onAbort();
    void this.ended.then(resolve);
    const end = await promise;
    wish.signal?.removeEventListener('abort', onAbort);
    if (end.why === 'left' && this.#watcher === watcher) this.#leaveAlone();
    return end;
  }

  #type(watcher: Watcher, bytes: Buffer): void {
    if (this.#watcher !== watcher) return;
    this.#idle.refresh();
    this.#terminal.write(bytes);
  }

  #resize(watcher: Watcher, size: TerminalSize): void {
    if (this.#watcher === watcher) this.#terminal.resize(size);
  }

  #noteScreen(bytes: Buffer): void {
    const [taken, given] = [bytes.lastIndexOf(SCREEN_TAKEN), bytes.lastIndexOf(SCREEN_GIVEN)];
    if (taken !== given) this.#hasFullScreen = taken > given;
  }

  /** A program that fills the screen draws it anew when the size changes, and only then. */
  #redraw({ columns, rows }: TerminalSize): void {
    this.#terminal.resize({ columns, rows: rows + 1 });
    this.#terminal.resize({ columns, rows });
  }

  #send(watcher: Watcher, bytes: Buffer): void {
    this.#underWay += bytes.length;
    const arrived = () => {
      if (this.#watcher !== watcher) return;
      this.#underWay -= bytes.length;
      this.#flow();
    };
    // Who can not be told any more is about to leave.
    Promise.resolve(watcher.onOutput(bytes)).then(arrived, () => watcher.leave({ why: 'left' }));
    this.#flow();
  }

  #flow(): void {
    if (!this.#isPaused && this.#underWay > UNDER_WAY_BYTES) {
      this.#isPaused = true;
      this.#terminal.pause();
    } else if (this.#isPaused && this.#underWay < GO_ON_BYTES) {
      this.#isPaused = false;
      this.#terminal.resume();
    }
  }

  /** Programs go on, and what they write is kept as far as it fits. */
  #leaveAlone(): void {
    this.#watcher = undefined;
    this.#underWay = 0;
    this.#flow();
    const end = () => this.end({ why: 'idle' });
    this.#unattended = setTimeout(end, this.#times.unattendedMs).unref();
  }

  #over(end: TerminalEnd): TerminalEnd {
    clearTimeout(this.#unattended);
    clearTimeout(this.#idle);
    return end;
  }
}
