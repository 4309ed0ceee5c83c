import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { type StartedProgram, startProgram } from '#core/starter/starter.ts';
import { SiteFailure } from '#runtimes/runtime.ts';
import { endTree } from '#sandbox/ending.ts';
import { mainProcessOf, memoryBytesOf, processesOf, readText } from '#sandbox/processes.ts';
import type { PhpEntry } from './php-home.ts';

const START_LIMIT_MS = 20_000;
const READY = 'ready to handle connections';
const KEPT_BYTES = 16 * 1024;
/** Opens a socket's name without connecting to it (Linux, the same number everywhere). */
const O_PATH = 0o10000000;

/** The PHP-FPM of one site that is awake, and its processes. */
export class FpmMaster {
  readonly #program: StartedProgram;
  readonly #door: number;
  /** When nothing of it is left. */
  readonly closed: Promise<void>;
  #isClosing = false;

  private constructor(program: StartedProgram, entry: PhpEntry, door: number) {
    this.#program = program;
    this.#door = door;
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
    return !this.#program.isOver && !this.#isClosing;
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

  get memoryBytes(): number {
    const master = this.#pid;
    return master === undefined ? 0 : processesOf(master).reduce((sum, pid) => sum + memoryBytesOf(pid), 0);
  }

  /** One that was stopped by somebody never answers; the next one takes its request, which it has not begun. */
  endStopped(): void {
    const master = this.#pid;
    if (master === undefined) return;
    if (isStopped(master)) return void this.kill();
    for (const pid of processesOf(master).slice(1)) if (isStopped(pid)) endNow(pid);
  }

  /** Ends it at once, with all that it started; resolves when nothing is left. */
  async kill(): Promise<void> {
    this.#isClosing = true;
    if (!this.#program.isOver) await endTree(this.#program.pid).catch(() => {});
    await this.closed;
  }

  get #pid(): number | undefined {
    return this.#program.isOver ? undefined : mainProcessOf(this.#program.pid);
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
