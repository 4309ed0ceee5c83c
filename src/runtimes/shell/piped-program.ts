import { constants } from 'node:os';
import type { Writable } from 'node:stream';
import { startProgram } from '#core/starter/starter.ts';
import { type Program, SiteFailure } from '#runtimes/runtime.ts';
import { endTree } from '#sandbox/ending.ts';
import { processesOf } from '#sandbox/processes.ts';
import type { Spawn } from '#sandbox/sandbox.ts';

export interface PipedProgram extends Program {
  /** None once it has ended: the number may be somebody else's then. */
  readonly pid: number | undefined;
  /** Says something that the program did not. */
  say(text: string): void;
}

/** A program in a sandbox with a pipe for each of its streams. It ends with us, and with it all that it started (sandbox.ts). */
export async function startPiped({ file, args, env }: Spawn): Promise<PipedProgram> {
  const program = await startProgram(file, args, { cwd: '/', env, hasInput: true }).catch(() => {
    throw new SiteFailure('start', 'The program could not be started.');
  });
  const closed = program.closed.then(({ code, signal }) => codeOf(code, signal));
  const { stdout, stderr, pid } = program;
  const stdin = program.stdin as Writable;
  const listeners: Parameters<Program['onOutput']>[0][] = [];
  const tell = (bytes: Buffer, stream: 'stdout' | 'stderr') => {
    for (const take of listeners) take(bytes, stream);
  };
  stdout.on('data', (bytes: Buffer) => tell(bytes, 'stdout'));
  stderr.on('data', (bytes: Buffer) => tell(bytes, 'stderr'));
  // Whoever does not read its input to the end may.
  stdin.on('error', () => stdin.destroy());
  const resume = () => {
    stdout.resume();
    stderr.resume();
  };
  let ending: Promise<void> | undefined;
  return {
    get pid() {
      return program.isOver ? undefined : pid;
    },
    say: (text) => tell(Buffer.from(text), 'stderr'),
    onOutput: (take) => void listeners.push(take),
    write: (bytes) => new Promise((resolve) => stdin.write(bytes, () => resolve())),
    endInput: () => void stdin.end(),
    signal(name) {
      if (program.isOver) return;
      // The first two are what makes the sandbox.
      for (const each of processesOf(pid).slice(2)) kill(each, name);
    },
    pause() {
      stdout.pause();
      stderr.pause();
    },
    resume,
    end() {
      // Who does not read would keep what is left, and with that the end, from being heard of.
      resume();
      if (program.isOver) return;
      ending ??= endTree(pid).catch(() => {});
    },
    // Not before all that ran in it is gone.
    ended: closed.then(async (code) => {
      await ending;
      return code;
    }),
  };
}

/** As a shell says it. */
export function codeOf(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + (signal ? constants.signals[signal] : 0);
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended in this very moment.
  }
}
