import { randomBytes } from 'node:crypto';
import { posix } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { type StartedProgram, startProgram } from '#core/starter/starter.ts';
import { CollectedOutput } from '#runtimes/collected-output.ts';
import { TIMEOUT_EXIT_CODE } from '#runtimes/commands.ts';
import type { Command, CommandResult } from '#runtimes/runtime.ts';
import { endTree } from '#sandbox/ending.ts';
import { DELETE_ONLY, type DiskSeat } from './disk-watch.ts';
import { PATHS } from './paths.ts';
import type { ShellEntry } from './site-shells.ts';

/** What a signal's end looks like in a shell. */
const KILLED_EXIT_CODE = 137;
const CWD_EXIT_CODE = 125;
const MEMORY_LOOK_MS = 250;

/** Where a command starts, as the site sees it. */
export function folderInside(cwd = '.'): string {
  return posix.resolve(PATHS.content, cwd);
}

/** The arguments of a program that starts in a folder; where that is not there, it says the token and ends. */
export function startingIn(cwd: string, args: readonly string[]): { args: string[]; token: string } {
  const token = randomBytes(12).toString('hex');
  const script = `cd -- "$1" 2>/dev/null || { echo ${token} >&2; exit ${CWD_EXIT_CODE}; }; unset OLDPWD; shift; exec "$@"`;
  return { args: ['/bin/sh', '-c', script, 'sh', cwd, ...args], token };
}

/** Runs what was prepared, and ends it, with everything that it started, at the limits of time, memory, output and disk. */
export async function runWatched(
  { spawn: { file, args, env }, usesTooMuch, leave }: ShellEntry,
  token: string,
  command: Command,
  seat: DiskSeat,
): Promise<CommandResult> {
  const startedAt = performance.now();
  const hasInput = command.stdin !== undefined;
  // One more than is kept tells that there was more.
  const keptBytes = command.maxOutputBytes + 1;
  const program = await startProgram(file, args, { cwd: '/', env, hasInput, keptBytes }).catch(async (error) => {
    await leave();
    throw error;
  });
  feed(program.stdin, command.stdin);
  const stdout = new CollectedOutput(program.stdout, 'stdout', command);
  const stderr = new CollectedOutput(program.stderr, 'stderr', command);
  const ending = new Ending(program);
  const stop = watchOver(program, ending, command, { seat, usesTooMuch });
  try {
    const [{ code }] = await Promise.all([program.closed, stdout.until(), stderr.until()]);
    const said = stderr.text;
    const durationMs = Math.round(performance.now() - startedAt);
    if (code === CWD_EXIT_CODE && said === `${token}\n`)
      return { exitCode: code, stdout: '', stderr: '', truncated: false, durationMs, isCwdMissing: true };
    const why = ending.why ?? whyOf(code, seat);
    if (why) await command.onOutput?.('stderr', Buffer.from(`${why.message}\n`));
    return {
      exitCode: why?.exitCode ?? code ?? KILLED_EXIT_CODE,
      stdout: stdout.text,
      stderr: why ? `${why.message}\n${said}` : said,
      truncated: stdout.truncated || stderr.truncated,
      durationMs,
    };
  } finally {
    stop();
    await ending.ended?.catch(() => {});
    await leave();
  }
}

/** What a command says of its own end is all that is said, unless it could not know. */
function whyOf(code: number | null, { room }: DiskSeat): Why | undefined {
  if (code === null) return { exitCode: KILLED_EXIT_CODE, message: 'The command was ended.' };
  return code !== 0 && room.fileBytes === 0 ? { exitCode: code, message: DELETE_ONLY } : undefined;
}

interface Why {
  exitCode: number;
  message: string;
}

/** Why a sandbox was ended from outside, where it was. */
class Ending {
  readonly #program: StartedProgram;
  why: Why | undefined;
  ended: Promise<void> | undefined;

  constructor(program: StartedProgram) {
    this.#program = program;
  }

  begin(message: string, exitCode = KILLED_EXIT_CODE): void {
    if (this.why || this.#program.isOver) return;
    this.why = { exitCode, message };
    this.ended = endTree(this.#program.pid);
    this.ended.catch(() => {});
  }
}

/** Gives a program what it is to read. */
export function feed(stdin: Writable | undefined, input: Command['stdin']): void {
  if (input === undefined || !stdin) return;
  const stream = typeof input === 'string' ? Readable.from([Buffer.from(input)]) : input;
  // Whoever does not read it to its end may.
  stdin.on('error', () => stream.destroy());
  stream.on('error', () => stdin.end()).pipe(stdin);
}

/** Returns how to stop watching. */
function watchOver(
  program: StartedProgram,
  ending: Ending,
  { timeoutMs, signal }: Command,
  { seat, usesTooMuch }: Pick<ShellEntry, 'usesTooMuch'> & { seat: DiskSeat },
): () => void {
  const timers = [setTimeout(() => ending.begin('The command took too long.', TIMEOUT_EXIT_CODE), timeoutMs)];
  const abort = () => ending.begin('The command was called off.', TIMEOUT_EXIT_CODE);
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted) abort();
  void program.flooded.then(() => ending.begin('The command wrote more than anybody reads, and was ended.'));
  const look = setInterval(() => {
    if (!program.isOver && usesTooMuch(program.pid))
      ending.begin('The command used more memory than it may, and was ended.');
  }, MEMORY_LOOK_MS);
  const stopDisk = seat.watch({
    pid: () => (program.isOver ? undefined : program.pid),
    tell: (message) => ending.begin(message),
  });
  return () => {
    for (const timer of timers) clearTimeout(timer);
    clearInterval(look);
    stopDisk();
    signal?.removeEventListener('abort', abort);
  };
}
