import { setTimeout as sleep } from 'node:timers/promises';
import type { Lease, RunningSite } from '#runtimes/runtime.ts';
import { SiteFailure } from '#runtimes/runtime.ts';
import type { RequestEnd, WorkerProcess } from './worker-process.ts';

/**
 * A site that is awake: its worker and the requests that wait for it. PHP answers one request at a time, so the queue is
 * here and not in the worker: when a request takes its worker down, those behind it go to the next one.
 */
export interface AwakeLimits {
  requestTimeoutMs: number;
  /** A worker that has grown beyond this is replaced between two requests. */
  recycleAboveBytes: number;
}

export interface AwakeEvents {
  /** Starts a worker for the site. */
  startWorker(): Promise<WorkerProcess>;
  /** PHP may be about to run, or has just ended, however it did. */
  touched(): void;
  /** PHP has finished a request. */
  finished(end: RequestEnd): void;
}

const RETIRE_GRACE_MS = 10_000;

interface Waiter {
  grant(lease: Lease): void;
  fail(failure: SiteFailure): void;
}

export class AwakeSite implements RunningSite {
  readonly #limits: AwakeLimits;
  readonly #events: AwakeEvents;
  readonly #waiting = new Set<Waiter>();
  #worker: WorkerProcess | undefined;
  #starting: Promise<void> | undefined;
  /** The lease whose request the worker may be working on. */
  #current: { hasBegun: boolean } | undefined;
  #watchdog: { timer: NodeJS.Timeout; wake(): void } | undefined;
  #stopped = false;
  /** When PHP last worked, which tells how idle the site is. */
  lastUsedAt = Date.now();

  constructor(limits: AwakeLimits, events: AwakeEvents) {
    this.#limits = limits;
    this.#events = events;
  }

  /** It runs, and nobody wants anything of it. A site that is yet to start is about to be asked. */
  get isIdle(): boolean {
    return this.#worker !== undefined && !this.#current && this.#waiting.size === 0 && !this.#starting;
  }

  get isAwake(): boolean {
    return this.#worker?.alive ?? false;
  }

  get worker(): WorkerProcess | undefined {
    return this.#worker;
  }

  /** Resolves when the site can take a request. */
  async #ready(): Promise<void> {
    while (!this.#worker?.alive) {
      if (this.#stopped) throw new SiteFailure('stopped', 'The site was stopped.');
      this.#starting ??= this.#start().finally(() => {
        this.#starting = undefined;
      });
      await this.#starting;
    }
  }

  lease(signal: AbortSignal): Promise<Lease> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        grant: (lease) => finish(() => resolve(lease)),
        fail: (failure) => finish(() => reject(failure)),
      };
      const abort = () => waiter.fail(new SiteFailure('overload', 'The site had no time for this request.'));
      const finish = (end: () => void) => {
        this.#waiting.delete(waiter);
        signal.removeEventListener('abort', abort);
        end();
      };
      if (this.#stopped) return waiter.fail(new SiteFailure('stopped', 'The site was stopped.'));
      if (signal.aborted) return abort();
      signal.addEventListener('abort', abort, { once: true });
      this.#waiting.add(waiter);
      this.#pump();
    });
  }

  /** Lets what runs finish for a moment, then ends the worker. Whoever still waits is told. */
  async stop(graceMs: number): Promise<void> {
    this.#stopped = true;
    for (const waiter of this.#waiting) waiter.fail(new SiteFailure('stopped', 'The site was stopped.'));
    await this.#starting?.catch(() => {});
    // Whoever has been told to send a request may be about to: it is let begin and end.
    for (const end = Date.now() + graceMs; this.#current && this.#worker?.alive && Date.now() < end; ) await sleep(10);
    this.#worker?.retire(graceMs);
    await this.#worker?.exited;
    this.#unwatch();
  }

  #pump(): void {
    if (this.#current || this.#waiting.size === 0 || this.#stopped) return;
    if (!this.#worker?.alive) {
      this.#ready().then(
        () => this.#pump(),
        (error) => this.#failAll(error),
      );
      return;
    }
    const [waiter] = this.#waiting;
    waiter?.grant(this.#makeLease(this.#worker));
  }

  #makeLease(worker: WorkerProcess): Lease {
    const current = { hasBegun: false };
    this.#current = current;
    this.lastUsedAt = Date.now();
    // Before the request is sent, so that nothing PHP writes comes sooner.
    this.#events.touched();
    return {
      socketPath: worker.socketPath,
      failure: () => {
        if (worker.alive) return undefined;
        return current.hasBegun
          ? worker.failure
          : new SiteFailure('stopped', 'The site was stopped before it was asked.');
      },
      release: () => {
        // What PHP has begun it also ends, whether anybody still listens or not; only an unused lease is over by this.
        if (this.#current === current && !current.hasBegun) this.#done();
      },
    };
  }

  async #start(): Promise<void> {
    const worker = await this.#events.startWorker();
    if (this.#stopped) return worker.kill('stopped', 'The site was stopped.');
    this.#worker = worker;
    worker.onBegin = () => this.#begun(worker);
    worker.onEnd = (end) => {
      const { memoryBytes, ranOutOfMemory } = end;
      this.#events.finished(end);
      // What WebAssembly has once taken it never gives back.
      if (ranOutOfMemory || memoryBytes > this.#limits.recycleAboveBytes) worker.retire(RETIRE_GRACE_MS);
      this.#done();
    };
    worker.exited.then(() => {
      if (this.#worker === worker) this.#done();
    });
  }

  #begun(worker: WorkerProcess): void {
    if (this.#current) this.#current.hasBegun = true;
    else {
      // Whoever sent it has let go of their lease already.
      this.#current = { hasBegun: true };
      this.#events.touched();
    }
    void this.#watch(worker);
  }

  /** Ends a request that takes too long. On a machine that is short of time, waiting for a processor does not count. */
  async #watch(worker: WorkerProcess): Promise<void> {
    const current = this.#current;
    const { requestTimeoutMs } = this.#limits;
    const startedAt = Date.now();
    const starvedBefore = await worker.starvedMs();
    for (let leftMs = requestTimeoutMs; leftMs > 0; ) {
      await new Promise<void>((wake) => {
        this.#watchdog = { timer: setTimeout(wake, leftMs), wake };
      });
      if (this.#current !== current || !worker.alive) return;
      const starvedMs = (await worker.starvedMs()) - starvedBefore;
      leftMs = requestTimeoutMs - (Date.now() - startedAt - starvedMs);
    }
    worker.kill('timeout', `The site took longer than ${Math.round(requestTimeoutMs / 1000)} seconds to answer.`);
  }

  #unwatch(): void {
    clearTimeout(this.#watchdog?.timer);
    this.#watchdog?.wake();
    this.#watchdog = undefined;
  }

  #done(): void {
    // A worker that ends while it is idle has written nothing.
    if (this.#current) this.#events.touched();
    this.#current = undefined;
    this.#unwatch();
    this.lastUsedAt = Date.now();
    this.#pump();
  }

  #failAll(error: unknown): void {
    const failure = error instanceof SiteFailure ? error : new SiteFailure('start', 'The site could not be started.');
    for (const waiter of this.#waiting) waiter.fail(failure);
  }
}
