import { setTimeout as sleep } from 'node:timers/promises';
import type { Account } from './account.ts';
import { ServerLog } from './server-log.ts';

export interface RunningServer {
  pid: number;
  alive(): boolean;
}

interface Kind {
  name: string;
  logFile: string;
  isReady(running: RunningServer): boolean | Promise<boolean>;
  /** Starts it with `begin`, after whatever has to be done before. */
  launch(): Promise<RunningServer>;
  end(running: RunningServer): Promise<void>;
  say(line: string): void;
}

const POLL_MS = 10;
const WATCH_MS = 250;
const REVIVE_MS = 1000;
const SLOW_MS = 10_000;

/**
 * A database server beside the service, started again whenever it dies. It outlives a service that is killed, which finds it again. What is
 * particular about one is for whoever knows it.
 */
export class Supervised {
  readonly log: ServerLog;
  readonly #kind: Kind;
  #running: RunningServer | undefined;
  #watch: NodeJS.Timeout | undefined;
  #revival: Promise<void> | undefined;
  #isStopping = false;

  constructor(kind: Kind) {
    this.#kind = kind;
    this.log = new ServerLog(kind.logFile);
  }

  /** Rejects where it ends before it is ready, with what it said. */
  async begin(account: Account, program: string, args: string[]): Promise<RunningServer> {
    this.log.mark();
    const { fd } = this.log;
    const child = account.spawn(program, args, { stdio: ['ignore', fd, fd], detached: true });
    let fault: Error | undefined;
    child.once('error', (error) => {
      fault = error;
    });
    // Our process may end without stopping it; the next start then finds it.
    child.unref();
    const { pid } = child;
    const running = pid && { pid, alive: () => child.exitCode === null && child.signalCode === null };
    if (running && (await this.untilReady(running))) return running;
    const end = fault?.message ?? child.signalCode ?? `exit code ${child.exitCode}`;
    throw new Error(`${this.#kind.name} did not start (${end}). It says in ${this.log.path}:\n${this.log.tail()}`);
  }

  /**
   * Waits as long as the process lives: recovery after a crash may take its time, and a kill would only lengthen it. Who is stopped meanwhile
   * waits no longer; false is one that died.
   */
  async untilReady(running: RunningServer): Promise<boolean> {
    const { name, isReady, say } = this.#kind;
    let nextNotice = performance.now() + SLOW_MS;
    while (running.alive() && !this.#isStopping) {
      if (await isReady(running)) return true;
      if (performance.now() > nextNotice) {
        say(`${name} is still starting: ${this.log.tail().split('\n').at(-1)}`);
        nextNotice = performance.now() + SLOW_MS;
      }
      await sleep(POLL_MS);
    }
    return running.alive();
  }

  /** From now on it is there until it is stopped. */
  keep(running: RunningServer): void {
    this.#running = running;
    this.#watch = setInterval(() => {
      if (running.alive()) return;
      clearInterval(this.#watch);
      this.#running = undefined;
      this.#revival = this.#revive();
    }, WATCH_MS).unref();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#watch);
    await this.#revival;
    // Begun again in the very moment of the stop.
    clearInterval(this.#watch);
    if (this.#running) await this.#kind.end(this.#running);
    this.log.close();
  }

  async #revive(): Promise<void> {
    const { name, launch, say } = this.#kind;
    say(`${name} died; starting it again.`);
    while (!this.#isStopping) {
      try {
        this.keep(await launch());
        return say(`${name} runs again.`);
      } catch (error) {
        say((error as Error).message);
        await sleep(REVIVE_MS);
      }
    }
  }
}

/** Asks it to end, and after a while more firmly, which has to be safe as well: the next start recovers from its logs. */
export async function endServer(
  running: RunningServer,
  [ask, insist]: readonly [NodeJS.Signals, NodeJS.Signals],
  patienceMs: number,
): Promise<void> {
  const startedAt = performance.now();
  signal(running.pid, ask);
  let isInsisting = false;
  while (running.alive()) {
    if (!isInsisting && performance.now() - startedAt > patienceMs) {
      isInsisting = true;
      signal(running.pid, insist);
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
