import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Account } from './account.ts';
import { clearRecycledPid, findPostmaster, isPostmaster, type Postmaster } from './postmaster.ts';
import { ServerLog } from './server-log.ts';

export type Settings = Record<string, string | number>;

export interface ServerOptions {
  account: Account;
  postgres: string;
  cluster: string;
  /** Where the socket goes, when its path is short enough. */
  runDir: string;
  logFile: string;
  settings: Settings;
  say: (line: string) => void;
}

// The port is only a part of the socket's name.
const SOCKET_NAME = '.s.PGSQL.5432';
/** The kernel keeps a socket's path in 108 bytes, with a zero at its end. */
const MAX_SOCKET_PATH_BYTES = 107;
const POLL_MS = 10;
const WATCH_MS = 250;
const RETRY_MS = 200;
const REVIVE_MS = 1000;
const SLOW_MS = 10_000;
/** Processes of a killed server notice within moments that it is gone; until then Postgres refuses to start anew. */
const LEFTOVERS_MS = 10_000;
/** After this a fast shutdown hangs. An immediate one is safe as well: the next start recovers from the log. */
const STOP_MS = 30_000;

interface RunningPostgres {
  pid: number;
  alive(): boolean;
}

/** One Postgres on a finished cluster, started again whenever it dies. Call it only under the lock of the data dir. */
export class Server {
  readonly #options: ServerOptions;
  readonly #log: ServerLog;
  #socketDir = '';
  #running: RunningPostgres | undefined;
  #watch: NodeJS.Timeout | undefined;
  #revival: Promise<void> | undefined;
  #stopping = false;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#log = new ServerLog(options.logFile);
  }

  /** Stays the same over the restarts of Postgres. */
  get socketDir(): string {
    return this.#socketDir;
  }

  async start(): Promise<void> {
    try {
      const orphan = findPostmaster(this.#options.cluster);
      if (!orphan || !(await this.#adopt(orphan))) {
        await endOrphan(this.#options.cluster);
        this.#socketDir = this.#makeSocketDir();
        await this.#launch();
      }
    } catch (error) {
      this.#close();
      throw error;
    }
    this.#startWatching();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    clearInterval(this.#watch);
    await this.#revival;
    if (this.#running) await end(this.#running);
    this.#close();
  }

  /** A server with other settings or from another installation is not what was asked for, so it is not adopted. */
  async #adopt(orphan: Postmaster): Promise<boolean> {
    const { cluster, postgres, say } = this.#options;
    const wanted = [postgres, ...this.#args(orphan.socketDir)];
    if (wanted.join('\0') !== orphan.command.join('\0')) return false;
    const running = asRunning(orphan.pid, cluster);
    this.#log.mark();
    if (!(await this.#untilReady(running)) || !existsSync(join(orphan.socketDir, SOCKET_NAME))) return false;
    say(`Adopted the Postgres that a killed Siteyard left running (pid ${orphan.pid}).`);
    this.#running = running;
    this.#socketDir = orphan.socketDir;
    return true;
  }

  async #launch(): Promise<void> {
    const { account, cluster, postgres } = this.#options;
    const diedBefore = existsSync(join(cluster, 'postmaster.pid'));
    const deadline = performance.now() + LEFTOVERS_MS;
    for (;;) {
      clearRecycledPid(cluster);
      // The socket has a lock file with a pid of its own, which may be recycled too. Our lock rules out a live owner.
      for (const name of [SOCKET_NAME, `${SOCKET_NAME}.lock`]) rmSync(join(this.#socketDir, name), { force: true });
      this.#log.mark();
      const { fd } = this.#log;
      const child = account.spawn(postgres, this.#args(this.#socketDir), { stdio: ['ignore', fd, fd], detached: true });
      let fault: Error | undefined;
      child.once('error', (error) => {
        fault = error;
      });
      // Our process may end without stopping Postgres; the next start then finds it.
      child.unref();
      const { pid } = child;
      const running = pid && { pid, alive: () => child.exitCode === null && child.signalCode === null };
      if (running && (await this.#untilReady(running))) {
        this.#running = running;
        return;
      }
      if (!diedBefore || performance.now() > deadline) {
        const end = fault?.message ?? child.signalCode ?? `exit code ${child.exitCode}`;
        throw new Error(`Postgres did not start (${end}). It says in ${this.#log.path}:\n${this.#log.tail()}`);
      }
      await sleep(RETRY_MS);
    }
  }

  /** Waits as long as the process lives: recovery after a crash may take its time, and a kill would only lengthen it. */
  async #untilReady(running: RunningPostgres): Promise<boolean> {
    let nextNotice = performance.now() + SLOW_MS;
    while (running.alive()) {
      const postmaster = findPostmaster(this.#options.cluster);
      if (postmaster?.pid === running.pid && postmaster.status === 'ready') return true;
      if (performance.now() > nextNotice) {
        this.#options.say(`Postgres is still starting: ${this.#log.tail().split('\n').at(-1)}`);
        nextNotice = performance.now() + SLOW_MS;
      }
      await sleep(POLL_MS);
    }
    return false;
  }

  #startWatching(): void {
    this.#watch = setInterval(() => {
      if (this.#running?.alive()) return;
      clearInterval(this.#watch);
      this.#running = undefined;
      this.#revival = this.#revive();
    }, WATCH_MS).unref();
  }

  async #revive(): Promise<void> {
    this.#options.say('Postgres died; starting it again.');
    while (!this.#stopping) {
      try {
        await this.#launch();
        this.#options.say('Postgres runs again.');
        return this.#startWatching();
      } catch (error) {
        this.#options.say((error as Error).message);
        await sleep(REVIVE_MS);
      }
    }
  }

  #args(socketDir: string): string[] {
    // The setting is a list, in which quotes keep commas and spaces of a path together.
    const settings = { ...this.#options.settings, unix_socket_directories: `"${socketDir.replaceAll('"', '""')}"` };
    const pairs = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    return ['-D', this.#options.cluster, ...pairs];
  }

  /** A long path gets a short directory with a name nobody can foresee, and so nobody can occupy. */
  #makeSocketDir(): string {
    const { runDir, account } = this.#options;
    if (fits(runDir)) return runDir;
    const name = 'siteyard-pg-';
    const parent = fits(join(tmpdir(), `${name}XXXXXX`)) ? tmpdir() : '/tmp';
    const dir = mkdtempSync(join(parent, name));
    account.own(dir);
    return dir;
  }

  #close(): void {
    this.#log.close();
    const { runDir } = this.#options;
    if (this.#socketDir && this.#socketDir !== runDir) rmSync(this.#socketDir, { recursive: true, force: true });
  }
}

/** Ends the Postgres that still serves the cluster although no Siteyard does. */
export async function endOrphan(cluster: string): Promise<void> {
  const orphan = findPostmaster(cluster);
  if (orphan) await end(asRunning(orphan.pid, cluster));
}

function asRunning(pid: number, cluster: string): RunningPostgres {
  return { pid, alive: () => isPostmaster(pid, cluster) };
}

async function end(running: RunningPostgres): Promise<void> {
  const startedAt = performance.now();
  signal(running.pid, 'SIGINT');
  let escalated = false;
  while (running.alive()) {
    if (!escalated && performance.now() - startedAt > STOP_MS) {
      escalated = true;
      signal(running.pid, 'SIGQUIT');
    }
    await sleep(POLL_MS);
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // It may end between our look and the signal.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function fits(socketDir: string): boolean {
  return Buffer.byteLength(join(socketDir, SOCKET_NAME)) <= MAX_SOCKET_PATH_BYTES;
}
