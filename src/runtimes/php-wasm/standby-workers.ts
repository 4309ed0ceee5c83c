import type { Log } from '#core/log.ts';
import type { WorkerProcess } from './worker-process.ts';
import type { Workers } from './workers.ts';

/** After a failure; doubled by each further one up to the longest. */
const REFILL_AFTER_FAILURE_MS = 30_000;
const LONGEST_REFILL_DELAY_MS = 15 * 60_000;

/**
 * A few workers that wait, warm, for the next site to wake. PHP takes seconds to start, nearly all of it spent on
 * compiling, and a warm worker has that behind it. Whoever takes one keeps it: a worker serves one site, ever.
 */
export class StandbyWorkers {
  readonly #workers: Workers;
  readonly #wanted: number;
  readonly #log: Log;
  readonly #waiting: { worker: WorkerProcess; coreVersion: string; isReady: boolean }[] = [];
  #version: string | undefined;
  #isRefilling = false;
  #refillAfter = 0;
  #failureCount = 0;

  constructor(workers: Workers, wanted: number, log: Log) {
    this.#workers = workers;
    this.#wanted = wanted;
    this.#log = log;
  }

  get count(): number {
    return this.#waiting.filter(({ worker }) => worker.alive).length;
  }

  /** Somebody has said which version is wanted. */
  get isKept(): boolean {
    return this.#version !== undefined;
  }

  get readyCount(): number {
    return this.#waiting.filter(({ isReady }) => isReady).length;
  }

  /** Keeps warm workers of this version at hand. */
  keep(coreVersion: string): void {
    if (this.#version === coreVersion) return;
    this.#version = coreVersion;
    for (const { worker } of this.#waiting) worker.kill('stopped', 'Another version is wanted.');
    void this.refill();
  }

  /** Nobody is expected any more. */
  keepNone(): void {
    this.#version = undefined;
    for (const { worker } of this.#waiting) worker.kill('stopped', 'No site is left.');
  }

  /** The warmest; one that is still being warmed is nearer to its first page than one that is yet to be started. */
  take(coreVersion: string): WorkerProcess | undefined {
    const fitting = this.#waiting.filter((one) => one.coreVersion === coreVersion && one.worker.alive);
    const taken = fitting.find(({ isReady }) => isReady) ?? fitting[0];
    if (!taken) return undefined;
    this.#waiting.splice(this.#waiting.indexOf(taken), 1);
    taken.worker.setPriority('normal');
    return taken.worker;
  }

  /** Gives the memory of one back, which nobody else is given then; resolves when it is gone. Undefined where there is none. */
  drop(): Promise<void> | undefined {
    const spare = this.#waiting.find(({ worker }) => worker.alive);
    if (!spare) return undefined;
    this.#waiting.splice(this.#waiting.indexOf(spare), 1);
    spare.worker.kill('stopped', 'Its memory is needed.');
    return spare.worker.closed;
  }

  /** One after another, so that warming never takes the machine away from visitors. */
  async refill(): Promise<void> {
    const version = this.#version;
    const isFull = this.count >= this.#wanted;
    if (!version || isFull || this.#isRefilling || this.#workers.isClosed) return;
    if (performance.now() < this.#refillAfter || this.#workers.room <= 0) return;
    this.#isRefilling = true;
    try {
      await this.#add(version);
      this.#failureCount = 0;
    } catch (error) {
      const delayMs = Math.min(REFILL_AFTER_FAILURE_MS * 2 ** this.#failureCount++, LONGEST_REFILL_DELAY_MS);
      this.#refillAfter = performance.now() + delayMs;
      if (!this.#workers.isClosed) this.#log.warn({ err: error }, 'a worker could not be warmed');
    } finally {
      this.#isRefilling = false;
    }
  }

  async #add(version: string): Promise<void> {
    const worker = await this.#workers.spawn(version, 'serve');
    if (this.#version !== version) return worker.kill('stopped', 'It is wanted no longer.');
    const entry = { worker, coreVersion: version, isReady: false };
    const isWaiting = () => this.#waiting.includes(entry);
    this.#waiting.push(entry);
    worker.closed.then(() => {
      if (isWaiting()) this.#waiting.splice(this.#waiting.indexOf(entry), 1);
    });
    worker.startInBackground();
    try {
      // A site may take it while it is cold.
      await this.#workers.warm(worker, version, isWaiting);
      entry.isReady = true;
    } catch (error) {
      // From here on it is the site's, and whoever waits for that one is told.
      if (!isWaiting()) return;
      worker.kill('start', 'It could not be warmed.');
      throw error;
    }
  }
}
