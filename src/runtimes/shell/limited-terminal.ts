import { randomBytes } from 'node:crypto';
import type { Command, CommandResult, Terminal, TerminalOptions, TerminalSize } from '#runtimes/runtime.ts';
import { LineEditor } from './line-editor.ts';
import { PATHS } from './paths.ts';

const LIMIT_MS = 120_000;
const MAX_OUTPUT_BYTES = 1024 * 1024;
const GREETING =
  'This machine has no sandbox, so this is a limited shell: one line at a time, and no programs that fill the screen.\n';

/** A terminal where there is no real shell: a line at a time goes to an interpreter, and what that says is shown when it is done. */
export class LimitedTerminal implements Terminal {
  readonly ended: Promise<number>;
  readonly #end: (exitCode: number) => void;
  readonly #run: (command: Command) => Promise<CommandResult>;
  readonly #listeners: ((bytes: Buffer) => void)[] = [];
  readonly #editor: LineEditor;
  /** What was said while nobody could take it. */
  #waiting: string[] = [];
  #isPaused = false;
  #cwd: string = PATHS.content;
  #status = 0;
  #running: AbortController | undefined;
  #isOver = false;

  constructor({ columns, maxDiskBytes, command }: TerminalOptions, run: (command: Command) => Promise<CommandResult>) {
    this.#run = (command) => run({ ...command, ...(maxDiskBytes !== undefined && { maxDiskBytes }) });
    const { promise, resolve } = Promise.withResolvers<number>();
    this.ended = promise;
    this.#end = resolve;
    this.#editor = new LineEditor({
      show: (text) => this.#show(text),
      enter: (line) => void this.#enter(line),
      leave: () => this.#over(this.#status),
    });
    this.#editor.resize(columns);
    // Whoever opened it listens by then.
    setImmediate(() => {
      if (command !== undefined) return void this.#interpret(command).then(() => this.#over(this.#status));
      this.#show(lines(GREETING));
      this.#editor.prompt(this.#prompt());
    });
  }

  onOutput(take: (bytes: Buffer) => void): void {
    this.#listeners.push(take);
  }

  write(bytes: Buffer): void {
    const text = bytes.toString();
    if (this.#running && text.includes('\x03')) this.#running.abort();
    else this.#editor.type(text);
  }

  resize({ columns }: TerminalSize): void {
    this.#editor.resize(columns);
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    for (const text of this.#waiting.splice(0)) this.#show(text);
  }

  end(): void {
    this.#running?.abort();
    this.#over(137);
  }

  async #enter(line: string): Promise<void> {
    const leaving = /^\s*exit(?:\s+(\d{1,3}))?\s*$/.exec(line);
    if (leaving) return this.#over(leaving[1] === undefined ? this.#status : Number(leaving[1]) % 256);
    if (line.trim() !== '') await this.#interpret(line);
    if (!this.#isOver) this.#editor.prompt(this.#prompt());
  }

  async #interpret(line: string): Promise<void> {
    this.#running = new AbortController();
    const { signal } = this.#running;
    const token = randomBytes(12).toString('hex');
    // Each line is a shell of its own, so where it ended is where the next one begins.
    const script = `${line}\nstatus=$?; echo; echo ${token}$PWD; exit $status`;
    try {
      const result = await this.#run({
        args: ['bash', '-c', script],
        cwd: this.#cwd,
        timeoutMs: LIMIT_MS,
        maxOutputBytes: MAX_OUTPUT_BYTES,
        signal,
      });
      const at = result.stdout.lastIndexOf(`\n${token}`);
      if (at >= 0) this.#cwd = result.stdout.slice(at + 1 + token.length).trimEnd();
      const said = at >= 0 ? result.stdout.slice(0, at) : result.stdout;
      this.#status = result.exitCode;
      for (const text of [said, signal.aborted ? '^C\n' : result.stderr]) if (text !== '') this.#show(onOwnLines(text));
    } catch (error) {
      this.#show(lines(`${(error as Error).message}\n`));
    } finally {
      this.#running = undefined;
    }
  }

  #prompt(): string {
    return `\x1b[34m${this.#cwd.slice(this.#cwd.lastIndexOf('/') + 1) || '/'}\x1b[0m $ `;
  }

  #show(text: string): void {
    if (this.#isPaused) return void this.#waiting.push(text);
    for (const take of this.#listeners) take(Buffer.from(text));
  }

  #over(exitCode: number): void {
    this.#isOver = true;
    this.#end(exitCode);
  }
}

const lines = (text: string) => text.replaceAll(/\r?\n/g, '\r\n');
const onOwnLines = (text: string) => lines(text.endsWith('\n') ? text : `${text}\n`);
