import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Account } from './account.ts';
import { clearRecycledPid, findPostmaster, isPostmaster, type Postmaster } from './postmaster.ts';
import { endServer, type RunningServer, Supervised } from './supervised.ts';

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
const RETRY_MS = 200;
/** Processes of a killed server notice within moments that it is gone; until then Postgres refuses to start anew. */
const LEFTOVERS_MS = 10_000;
/** After this a fast shutdown hangs, and an immediate one is asked for. */
const STOP_MS = 30_000;

/** One Postgres on a finished cluster, started again whenever it dies. Call it only under the lock of the data dir. */
export class Server {
  readonly #options: ServerOptions;
  readonly #supervised: Supervised;
  #socketDir = '';

  constructor(options: ServerOptions) {
    this.#options = options;
    const { cluster, logFile, say } = options;
    this.#supervised = new Supervised({
      name: 'Postgres',
      logFile,
      say,
      launch: () => this.#launch(),
      isReady({ pid }) {
        const postmaster = findPostmaster(cluster);
        return postmaster?.pid === pid && postmaster.status === 'ready';
      },
      end,
    });
  }

  /** Stays the same over the restarts of Postgres. */
  get socketDir(): string {
    return this.#socketDir;
  }

  async start(): Promise<void> {
    try {
      const orphan = findPostmaster(this.#options.cluster);
      this.#supervised.keep((orphan && (await this.#adopt(orphan))) ?? (await this.#startAnew()));
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.#supervised.stop();
    const { runDir } = this.#options;
    if (this.#socketDir && this.#socketDir !== runDir) rmSync(this.#socketDir, { recursive: true, force: true });
  }

  /** A server with other settings or from another installation is not what was asked for, so it is not adopted. */
  async #adopt(orphan: Postmaster): Promise<RunningServer | undefined> {
    const { cluster, postgres, say } = this.#options;
    const wanted = [postgres, ...this.#args(orphan.socketDir)];
    if (wanted.join('\0') !== orphan.command.join('\0')) return undefined;
    const running = asRunning(orphan.pid, cluster);
    this.#supervised.log.mark();
    if (!(await this.#supervised.untilReady(running))) return undefined;
    if (!existsSync(join(orphan.socketDir, SOCKET_NAME))) return undefined;
    say(`Adopted the Postgres that a killed Siteyard left running (pid ${orphan.pid}).`);
    this.#socketDir = orphan.socketDir;
    return running;
  }

  async #startAnew(): Promise<RunningServer> {
    await endOrphan(this.#options.cluster);
    this.#socketDir = this.#makeSocketDir();
    return this.#launch();
  }

  async #launch(): Promise<RunningServer> {
    const { account, cluster, postgres } = this.#options;
    const diedBefore = existsSync(join(cluster, 'postmaster.pid'));
    const deadline = performance.now() + LEFTOVERS_MS;
    for (;;) {
      clearRecycledPid(cluster);
      // The socket has a lock file with a pid of its own, which may be recycled too. Our lock rules out a live owner.
      for (const name of [SOCKET_NAME, `${SOCKET_NAME}.lock`]) rmSync(join(this.#socketDir, name), { force: true });
      try {
        return await this.#supervised.begin(account, postgres, this.#args(this.#socketDir));
      } catch (error) {
        if (!diedBefore || performance.now() > deadline) throw error;
      }
      await sleep(RETRY_MS);
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
}

/** Ends the Postgres that still serves the cluster although no Siteyard does. */
export async function endOrphan(cluster: string): Promise<void> {
  const orphan = findPostmaster(cluster);
  if (orphan) await end(asRunning(orphan.pid, cluster));
}

function asRunning(pid: number, cluster: string): RunningServer {
  return { pid, alive: () => isPostmaster(pid, cluster) };
}

const end = (running: RunningServer) => endServer(running, ['SIGINT', 'SIGQUIT'], STOP_MS);

function fits(socketDir: string): boolean {
  return Buffer.byteLength(join(socketDir, SOCKET_NAME)) <= MAX_SOCKET_PATH_BYTES;
}
