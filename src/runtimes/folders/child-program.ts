import { type ChildProcess, spawn } from 'node:child_process';
import { ArchiveRefused } from '#core/archive/archive-refused.ts';
import { endTree } from '#sandbox/ending.ts';
import { type Entered, OWN_FILES, type ProgramRoom } from './program-room.ts';

type ChildReply = { value: unknown } | { error: string; isRefusal?: boolean };

export interface ChildOptions {
  /** In the sandbox, where this machine has one. */
  room?: ProgramRoom | undefined;
  /** The folders that it may write to. */
  folders: readonly string[];
  /** Paths that it is told when it starts. */
  paths?: readonly string[];
  flags?: readonly string[];
  complaint: string;
}

/**
 * A program for what sites and strangers wrote: it runs in a process of its own that sees our programs and the folders that it is given,
 * and ends when it takes too long. It answers one message after another.
 */
export class ChildProgram {
  readonly #child: ChildProcess;
  readonly #complaint: string;
  /** What a path is called in there. */
  readonly inside: (path: string) => string;
  #last: Promise<unknown> = Promise.resolve();

  constructor(program: string, { room, folders, paths = [], flags = [], complaint }: ChildOptions) {
    this.#complaint = complaint;
    const args = (inside: (path: string) => string) => [
      '--permission',
      ...[...OWN_FILES, ...folders].map((path) => `--allow-fs-read=${inside(path)}`),
      ...folders.map((path) => `--allow-fs-write=${inside(path)}`),
      ...flags,
      '--disable-warning=ExperimentalWarning',
      '--disable-warning=SecurityWarning',
      ...[program, ...paths].map(inside),
    ];
    const entered = room?.enter(folders, args) ?? beside(args);
    this.inside = entered.inside;
    const { file, args: all, env } = entered.spawn;
    this.#child = spawn(file, all, {
      cwd: '/',
      env,
      detached: room !== undefined,
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#child.on('error', () => {}).once('close', entered.leave);
  }

  ask(message: object, limitMs: number): Promise<unknown> {
    const answer = this.#last.then(() => this.#askNow(message, limitMs));
    this.#last = answer.catch(() => {});
    return answer;
  }

  /** Resolves when it is gone: what it was at work on may be removed. */
  async close(): Promise<void> {
    await endTree(this.#child.pid ?? 0);
  }

  #askNow(message: object, limitMs: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const child = this.#child;
      const timer = setTimeout(() => void this.close().catch(() => {}), limitMs);
      const end = (tell: () => void) => {
        clearTimeout(timer);
        child.off('message', onReply).off('close', onEnd);
        tell();
      };
      const onReply = (reply: ChildReply) =>
        end(() => ('error' in reply ? reject(errorOf(reply)) : resolve(reply.value)));
      const onEnd = () => end(() => reject(new Error(this.#complaint)));
      // What could not be spawned has no exit.
      child.on('message', onReply).once('close', onEnd);
      if (child.exitCode !== null || child.signalCode !== null || !child.connected) onEnd();
      else child.send(message);
    });
  }
}

/** Where this machine has no sandbox: what a process may open is then Node's permission model's alone. */
function beside(args: (inside: (path: string) => string) => string[]): Entered {
  const inside = (path: string) => path;
  return { spawn: { file: process.execPath, args: args(inside), env: {} }, inside, leave: () => {} };
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
