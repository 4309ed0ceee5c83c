import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { type StartedProgram, startProgram } from '#core/starter/starter.ts';
import { SiteFailure } from '#runtimes/runtime.ts';
import { endTree } from '#sandbox/ending.ts';
import { mainProcessOf, memoryBytesOfAll, processesOf, readText } from '#sandbox/processes.ts';
import type { PhpEntry } from './php-home.ts';

const START_LIMIT_MS = 20_000;
const READY = 'ready to handle connections';
const KEPT_BYTES = 16 * 1024;
const KNOCK_MS = 100;
/** Opens a socket's name without connecting to it (Linux, the same number everywhere). */
const O_PATH = 0o10000000;

/** The PHP-FPM of one site that is awake, and its processes. */
export class FpmMaster {
  readonly #program: StartedProgram;
  /** The master's own, by which it is known that it ended before anybody tells us: sites can end it. */
  readonly #number: number;
  readonly #door: number;
  readonly runFolder: string;
  /** When nothing of it is left. */
  readonly closed: Promise<void>;
  #isClosing = false;
  /** When it last ended a process that had been stopped. */
  endedStoppedAt = Number.NEGATIVE_INFINITY;

  private constructor(program: StartedProgram, entry: PhpEntry, door: number) {
    this.#program = program;
    this.#number = mainProcessOf(program.pid) ?? 0;
    this.#door = door;
    this.runFolder = entry.runFolder;
    this.closed = program.closed.then(async () => {
      closeSync(door);
      await entry.leave();
    });
    this.closed.catch(() => {});
  }

  /** Resolves when it takes requests. */
  static async start(entry: PhpEntry): Promise<FpmMaster> {
    const { file, args, env } = entry.spawn;
    let program: StartedProgram | undefined;
    try {
      program = await startProgram(file, args, { cwd: '/', env, keptBytes: KEPT_BYTES });
      await readiness(program);
      const door = pin(join(entry.runFolder, 'fpm.sock'));
      entry.closeRunFolder();
      return new FpmMaster(program, entry, door);
    } catch (error) {
      if (program && !program.isOver) await endTree(program.pid).catch(() => {});
      await entry.leave();
      throw error;
    }
  }

  get isAlive(): boolean {
    return !this.#program.isOver && !this.#isClosing && isThere(this.#number);
  }

  connect(): Socket {
    return connect(`/proc/self/fd/${this.#door}`);
  }

  /** Those that answer; the master itself where there are none right now. */
  get pids(): number[] {
    const master = this.#pid;
    if (master === undefined) return [];
    const workers = processesOf(master).slice(1);
    return workers.length > 0 ? workers : [master];
  }

  /** All that runs in its sandbox: what PHP forks and leaves is no child of the master any more. */
  get allPids(): number[] {
    return this.#program.isOver ? [] : processesOf(this.#program.pid);
  }

  get memoryBytes(): number {
    return memoryBytesOfAll(this.allPids);
  }

  /** Ends those that somebody has stopped, which would never answer; the next one takes the requests that wait for them. */
  endStopped(failed: (error: unknown) => void): void {
    const master = this.#pid;
    if (master === undefined) return;
    if (isStopped(master)) return void this.kill().catch(failed);
    const stopped = processesOf(master).slice(1).filter(isStopped);
    if (stopped.length === 0) return;
    this.endedStoppedAt = performance.now();
    for (const pid of stopped) endNow(pid);
    // The master looks for who waits when somebody comes.
    setTimeout(() => this.#knock(), KNOCK_MS).unref();
  }

  #knock(): void {
    if (!this.isAlive) return;
    const socket = this.connect();
    socket.on('error', () => {}).once('connect', () => socket.destroy());
  }

  /** Ends it at once, with all that it started; resolves when nothing is left. */
  async kill(): Promise<void> {
    this.#isClosing = true;
    if (!this.#program.isOver) await endTree(this.#program.pid).catch(() => {});
    await this.closed;
  }

  get #pid(): number | undefined {
    return this.isAlive ? this.#number : undefined;
  }
}

/** It says so itself, before anything of the site runs. */
function readiness(program: StartedProgram): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = '';
    const fail = (why: string) => reject(new SiteFailure('start', `PHP could not be started: ${why}`));
    const timer = setTimeout(() => fail('it took too long'), START_LIMIT_MS);
    program.stdout.resume();
    program.stderr.on('data', (piece: Buffer) => {
      if (said.length < KEPT_BYTES) said += piece.toString();
      if (!said.includes(READY)) return;
      clearTimeout(timer);
      resolve();
    });
    void program.closed.then(() => {
      clearTimeout(timer);
      fail(said.trim().slice(-500) || 'it ended');
    });
  });
}

/** By its number, and not by its name: whoever is inside could put something else in its place. */
function pin(file: string): number {
  const door = openSync(file, O_PATH | constants.O_NOFOLLOW);
  if (fstatSync(door).isSocket()) return door;
  closeSync(door);
  throw new SiteFailure('start', 'PHP could not be started: it made no socket.');
}

function isThere(pid: number): boolean {
  return /^\d+ \(.*\) [^ZX] /s.test(readText(`/proc/${pid}/stat`));
}

function isStopped(pid: number): boolean {
  return /^\d+ \(.*\) [Tt] /s.test(readText(`/proc/${pid}/stat`));
}

function endNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended in this very moment.
  }
}
