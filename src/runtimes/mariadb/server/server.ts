import { setTimeout as sleep } from 'node:timers/promises';
import type { Account } from '#core/db/embedded/account.ts';
import { ServerLog } from '#core/db/embedded/server-log.ts';
import { connect, type ServerAccess } from '../server-access.ts';
import { end, findServer, type RunningServer } from './process.ts';

interface ServerOptions {
  account: Account;
  program: string;
  args: string[];
  cluster: string;
  pidFile: string;
  logFile: string;
  access: ServerAccess;
  say: (line: string) => void;
}

const POLL_MS = 20;
const WATCH_MS = 250;
const REVIVE_MS = 1000;
const SLOW_MS = 10_000;

/** One MariaDB, started again whenever it dies. Call it only under the lock of the data dir. */
export class Server {
  readonly #options: ServerOptions;
  readonly #log: ServerLog;
  #running: RunningServer | undefined;
  #watch: NodeJS.Timeout | undefined;
  #revival: Promise<void> | undefined;
  #stopping = false;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#log = new ServerLog(options.logFile);
  }

  async start(): Promise<void> {
    const { pidFile, cluster } = this.#options;
    try {
      const orphan = findServer(pidFile, cluster);
      if (!orphan || !(await this.#adopt(orphan))) {
        if (orphan) await end(orphan);
        await this.#launch();
      }
    } catch (error) {
      this.#log.close();
      throw error;
    }
    this.#startWatching();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    clearInterval(this.#watch);
    await this.#revival;
    if (this.#running) await end(this.#running);
    this.#log.close();
  }

  /** One with other settings, or of another installation, is not what was asked for; nor is one that knows another password. */
  async #adopt(orphan: RunningServer & { command: string[] }): Promise<boolean> {
    const { program, args, say } = this.#options;
    if ([program, ...args].join('\0') !== orphan.command.join('\0')) return false;
    this.#log.mark();
    if (!(await this.#answers())) return false;
    say(`Adopted the MariaDB that a killed Siteyard left running (pid ${orphan.pid}).`);
    this.#running = orphan;
    return true;
  }

  async #launch(): Promise<void> {
    const { account, program, args } = this.#options;
    this.#log.mark();
    const { fd } = this.#log;
    const child = account.spawn(program, args, { stdio: ['ignore', fd, fd], detached: true });
    let fault: Error | undefined;
    child.once('error', (error) => {
      fault = error;
    });
    // Our process may end without stopping it; the next start then finds it.
    child.unref();
    const { pid } = child;
    const running = pid && { pid, alive: () => child.exitCode === null && child.signalCode === null };
    if (running && (await this.#untilReady(running))) {
      this.#running = running;
      return;
    }
    const ending = fault?.message ?? child.signalCode ?? `exit code ${child.exitCode}`;
    throw new Error(`MariaDB did not start (${ending}). It says in ${this.#log.path}:\n${this.#log.tail()}`);
  }

  /** Waits as long as the process lives: recovery after a crash may take its time, and a kill would only lengthen it. */
  async #untilReady(running: RunningServer): Promise<boolean> {
    let nextNotice = performance.now() + SLOW_MS;
    while (running.alive() && !this.#stopping) {
      if (await this.#answers()) return true;
      if (performance.now() > nextNotice) {
        this.#options.say(`MariaDB is still starting: ${this.#log.tail().split('\n').at(-1)}`);
        nextNotice = performance.now() + SLOW_MS;
      }
      await sleep(POLL_MS);
    }
    return running.alive();
  }

  async #answers(): Promise<boolean> {
    try {
      const connection = await connect(this.#options.access);
      await connection.end();
      return true;
    } catch {
      return false;
    }
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
    this.#options.say('MariaDB died; starting it again.');
    while (!this.#stopping) {
      try {
        await this.#launch();
        this.#options.say('MariaDB runs again.');
        return this.#startWatching();
      } catch (error) {
        this.#options.say((error as Error).message);
        await sleep(REVIVE_MS);
      }
    }
  }
}
