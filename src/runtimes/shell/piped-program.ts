import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { type Program, SiteFailure } from '#runtimes/runtime.ts';
import { endTree } from '#sandbox/ending.ts';
import { processesOf } from '#sandbox/processes.ts';
import type { Spawn } from '#sandbox/sandbox.ts';

export interface PipedProgram extends Program {
  readonly pid: number;
  /** Says something that the program did not. */
  say(text: string): void;
}

/** A program in a sandbox with a pipe for each of its streams. It ends with us, and with it all that it started (sandbox.ts). */
export function startPiped({ file, args, env }: Spawn): PipedProgram {
  const child = spawn(file, args, { cwd: '/', env, detached: true, stdio: 'pipe' });
  let isOver = false;
  const closed = endOf(child);
  void closed.then(() => {
    isOver = true;
  });
  requireStreams(child);
  const { stdin, stdout, stderr, pid = 0 } = child;
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
    pid,
    say: (text) => tell(Buffer.from(text), 'stderr'),
    onOutput: (take) => void listeners.push(take),
    write: (bytes) => new Promise((resolve) => stdin.write(bytes, () => resolve())),
    endInput: () => void stdin.end(),
    signal(name) {
      // Its number may be somebody else's by then.
      if (isOver) return;
      // The first two are what makes the sandbox.
      for (const each of processesOf(pid).slice(2)) kill(each, name);
    },
    pause() {
      stdout.pause();
      stderr.pause();
    },
    resume,
    end() {
      if (isOver) return;
      // Who does not read would keep what is left, and with that the end, from being heard of.
      resume();
      ending ??= endTree(pid).catch(() => {});
    },
    // Not before all that ran in it is gone.
    ended: closed.then(async (code) => {
      await ending;
      return code;
    }),
  };
}

/** The exit code, as a shell says it. To be asked for at once: what could not be spawned says so a moment later, to whoever listens. */
export function endOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once('error', () => resolve(127));
    child.once('close', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
}

/** A machine that has no more files to open gives a process without any. */
export function requireStreams({ stdin, stdout, stderr }: ChildProcess): void {
  if (!stdin || !stdout || !stderr) throw new SiteFailure('start', 'The program could not be started.');
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended in this very moment.
  }
}
