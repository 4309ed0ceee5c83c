import { spawn } from '@lydell/node-pty';

const PATIENCE_MS = 30_000;

interface Options {
  env: Record<string, string>;
  cwd?: string;
}

/** A program at a real terminal, and somebody who reads and types. */
export class AtTerminal {
  readonly #pty: ReturnType<typeof spawn>;
  /** How it ended. */
  readonly exit: Promise<{ code: number; text: string }>;
  #raw = '';
  #heard = () => {};

  constructor(program: string, args: string[], { env, cwd = '/' }: Options) {
    this.#pty = spawn(program, args, { env: { TERM: 'xterm-256color', ...env }, cwd, cols: 120, rows: 40 });
    this.#pty.onData((data) => {
      this.#raw += data;
      this.#heard();
    });
    this.exit = new Promise((resolve) => {
      this.#pty.onExit(({ exitCode, signal }) => resolve({ code: signal ? 128 + signal : exitCode, text: this.text }));
    });
  }

  /** What was shown, without colours and movements of the cursor. */
  get text(): string {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
    return this.#raw.replaceAll(/\x1b\[[0-9;?]*[A-Za-z]/g, '').replaceAll('\r', '');
  }

  /** Waits until this is shown; where it never is, the program is ended. */
  async shows(what: RegExp): Promise<RegExpExecArray> {
    const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
    const look = () => {
      const found = what.exec(this.text);
      if (found) resolve(found);
    };
    const giveUp = () => reject(new Error(`${what} was not shown, but: ${this.text}`));
    const timer = setTimeout(() => {
      this.kill();
      giveUp();
    }, PATIENCE_MS);
    this.#heard = look;
    look();
    void this.exit.then(giveUp);
    return promise.finally(() => clearTimeout(timer));
  }

  type(text: string): void {
    this.#pty.write(text);
  }

  resize(columns: number, rows: number): void {
    this.#pty.resize(columns, rows);
  }

  kill(): void {
    this.#pty.kill('SIGKILL');
  }
}
