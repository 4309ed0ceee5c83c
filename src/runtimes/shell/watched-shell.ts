import { randomBytes } from 'node:crypto';
import { posix } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { startProgram } from '#core/starter/starter.ts';
import { CollectedOutput } from '#runtimes/collected-output.ts';
import { TIMEOUT_EXIT_CODE } from '#runtimes/commands.ts';
import type { Command, CommandResult } from '#runtimes/runtime.ts';
import { endTree } from '#sandbox/ending.ts';
import { PATHS } from './paths.ts';
import type { ShellEntry } from './site-shells.ts';

/** What a signal's end looks like in a shell. */
const KILLED_EXIT_CODE = 137;
const CWD_EXIT_CODE = 125;
const MEMORY_LOOK_MS = 250;
const DISK_LOOK_MS = 2_000;
/** Looking at the disk takes at most this part of the time. */
/** A site of very many files could else write freely between two looks. */
const LONGEST_WAIT_MS = 30_000;
const DISK_LOOK_SHARE = 1 / 20;
/** What is no longer kept is read for so long, so that a program which says too much may end by itself. */
const FLOOD_BYTES = 32 * 1024 * 1024;

export interface ShellWatch {
  diskUsageBytes(): Promise<number>;
}

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
  watch: ShellWatch,
): Promise<CommandResult> {
  const startedAt = Date.now();
  const hasInput = command.stdin !== undefined;
  const program = await startProgram(file, args, { cwd: '/', env, hasInput }).catch(async (error) => {
    await leave();
    throw error;
  });
  feed(program.stdin, command.stdin);
  const stdout = new CollectedOutput(program.stdout, 'stdout', command);
  const stderr = new CollectedOutput(program.stderr, 'stderr', command);
  const ending = new Ending(program.pid);
  const stop = watchOver(
    program.pid,
    ending,
    command,
    { ...watch, usesTooMuch },
    () => stdout.readBytes + stderr.readBytes,
  );
  try {
    const [{ code }] = await Promise.all([program.closed, stdout.until(), stderr.until()]);
    const said = stderr.text;
    const durationMs = Date.now() - startedAt;
    if (code === CWD_EXIT_CODE && said === `${token}\n`)
      return { exitCode: code, stdout: '', stderr: '', truncated: false, durationMs, isCwdMissing: true };
    const why =
      ending.why ?? (code === null ? { exitCode: KILLED_EXIT_CODE, message: 'The command was ended.' } : null);
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

interface Why {
  exitCode: number;
  message: string;
}

/** Why a sandbox was ended from outside, where it was. */
class Ending {
  readonly #pid: number;
  why: Why | undefined;
  ended: Promise<void> | undefined;

  constructor(pid: number) {
    this.#pid = pid;
  }

  begin(message: string, exitCode = KILLED_EXIT_CODE): void {
    if (this.why) return;
    this.why = { exitCode, message };
    this.ended = endTree(this.#pid);
    this.ended.catch(() => {});
  }
}

function feed(stdin: Writable | undefined, input: Command['stdin']): void {
  if (input === undefined || !stdin) return;
  const stream = typeof input === 'string' ? Readable.from([Buffer.from(input)]) : input;
  // Whoever does not read it to its end may.
  stdin.on('error', () => stream.destroy());
  stream.on('error', () => stdin.end()).pipe(stdin);
}

/** Returns how to stop watching. */
function watchOver(
  pid: number,
  ending: Ending,
  { timeoutMs, signal, maxDiskBytes }: Command,
  { diskUsageBytes, usesTooMuch }: ShellWatch & Pick<ShellEntry, 'usesTooMuch'>,
  readBytes: () => number,
): () => void {
  const timers = [setTimeout(() => ending.begin('The command took too long.', TIMEOUT_EXIT_CODE), timeoutMs)];
  const abort = () => ending.begin('The command was called off.', TIMEOUT_EXIT_CODE);
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted) abort();
  const look = setInterval(() => {
    if (readBytes() > FLOOD_BYTES) ending.begin('The command wrote more than anybody reads, and was ended.');
    if (usesTooMuch(pid)) ending.begin('The command used more memory than it may, and was ended.');
  }, MEMORY_LOOK_MS);
  const stopDisk = watchDisk((message) => ending.begin(message), maxDiskBytes, diskUsageBytes);
  return () => {
    for (const timer of timers) clearTimeout(timer);
    clearInterval(look);
    stopDisk();
    signal?.removeEventListener('abort', abort);
  };
}

/** Says when the site takes up more than it may; one that has too much already may go on with that. Returns how to stop watching. */
export function watchDisk(
  tell: (message: string) => void,
  maxBytes: number | undefined,
  measure: () => Promise<number>,
): () => void {
  if (maxBytes === undefined) return () => {};
  let limit = maxBytes;
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const look = async (isFirst: boolean) => {
    const startedAt = performance.now();
    // Where it could not be told, it is looked at again.
    const bytes = await measure().catch(() => undefined);
    if (isOver) return;
    if (isFirst) limit = Math.max(limit, bytes ?? 0);
    if (bytes !== undefined && bytes > limit) tell('The site has no room left on its disk, and the command was ended.');
    const tookMs = performance.now() - startedAt;
    const waitMs = Math.min(Math.max(DISK_LOOK_MS, tookMs / DISK_LOOK_SHARE), LONGEST_WAIT_MS);
    timer = setTimeout(() => void look(false), waitMs);
  };
  void look(true);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
