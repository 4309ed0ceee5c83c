import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { ArchiveRefused } from '#core/archive/archive-refused.ts';
import { PROGRAM_FOLDER } from '#core/program.ts';

const PACKAGE_FILE = join(import.meta.dirname, '../../../package.json');

type ChildReply = { value: unknown } | { error: string; isRefusal?: boolean };

/**
 * A program for what sites and strangers wrote: it runs in a process of its own that sees our programs and what it is given, and
 * ends when it takes too long. It answers one message after another.
 */
export class ChildProgram {
  readonly #child: ChildProcess;
  readonly #complaint: string;
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    program: string,
    options: { args?: string[]; reads?: string[]; writes: string[]; flags?: string[]; complaint: string },
  ) {
    const { args = [], reads = [], writes, flags = [], complaint } = options;
    this.#complaint = complaint;
    this.#child = fork(program, args, {
      execArgv: [
        '--permission',
        ...[PROGRAM_FOLDER, PACKAGE_FILE, ...reads, ...writes].map((path) => `--allow-fs-read=${path}`),
        ...writes.map((path) => `--allow-fs-write=${path}`),
        ...flags,
        '--disable-warning=ExperimentalWarning',
        '--disable-warning=SecurityWarning',
      ],
      env: {},
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#child.on('error', () => {});
  }

  ask(message: object, limitMs: number): Promise<unknown> {
    const answer = this.#last.then(() => this.#askNow(message, limitMs));
    this.#last = answer.catch(() => {});
    return answer;
  }

  close(): void {
    this.#child.kill('SIGKILL');
  }

  #askNow(message: object, limitMs: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const child = this.#child;
      const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
      const end = (tell: () => void) => {
        clearTimeout(timer);
        child.off('message', onReply).off('exit', onExit);
        tell();
      };
      const onReply = (reply: ChildReply) =>
        end(() => ('error' in reply ? reject(errorOf(reply)) : resolve(reply.value)));
      const onExit = () => end(() => reject(new Error(this.#complaint)));
      child.on('message', onReply).once('exit', onExit);
      if (child.exitCode !== null || child.signalCode !== null || !child.connected) onExit();
      else child.send(message);
    });
  }
}

const errorOf = ({ error, isRefusal }: Extract<ChildReply, { error: string }>) =>
  isRefusal ? new ArchiveRefused(error) : new Error(error);

/** The other side of it: answers each message with what `perform` makes of it, and ends with its parent. */
export function answerParent<Message>(perform: (message: Message) => Promise<unknown>): void {
  process.on('disconnect', () => process.exit(0));
  process.on('message', async (message: Message) => {
    const reply: ChildReply = await perform(message).then(
      (value) => ({ value }),
      (error: Error) => ({ error: error.message, isRefusal: error instanceof ArchiveRefused }),
    );
    process.send?.(reply);
  });
}
