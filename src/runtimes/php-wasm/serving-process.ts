import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Lease } from '#runtimes/runtime.ts';
import { SiteFailure } from '#runtimes/runtime.ts';
import type { TimeLimit } from './time-limit.ts';
import type { LogMessage, RequestEnd } from './worker-message.ts';
import type { WorkerProcess } from './worker-process.ts';

export interface ServingLimits {
  /** How long PHP may work on a request. */
  requestTimeoutMs: number;
  /** How long it may be until PHP begins with a request that somebody was told to send. */
  beginTimeoutMs: number;
}

export interface ServingEvents {
  /** PHP may be about to run, or has just ended, however it did. */
  touched(): void;
  /** PHP has finished a request. */
  finished(end: RequestEnd): void;
  /** PHP wrote to its error log, at this request. */
  logged(messages: LogMessage[], request: string | null): void;
  /** The process ended in the middle of this request. */
  broken(failure: SiteFailure | undefined, request: string | null): void;
  /** It can take a request again, or never will. */
  freed(): void;
}

/** So long after PHP has ended, somebody may still read its answer from the process. */
const READ_LIMIT_MS = 10 * 60_000;
/** A connection breaks a moment before we hear that the process behind it ended. */
const NEWS_MS = 500;
const STOP_LOOK_MS = 10;

/** One of a site's processes, and the request that it has: PHP answers one at a time. */
export class ServingProcess {
  readonly worker: WorkerProcess;
  readonly #limits: ServingLimits;
  readonly #events: ServingEvents;
  /** The lease whose request PHP may be working on. */
  #current: { hasBegun: boolean } | undefined;
  /** What PHP works on, or worked on last. */
  #request: string | null = null;
  #limit: TimeLimit | undefined;
  /** When PHP last worked, by a clock that nobody sets. */
  lastUsedAt = performance.now();
  requests = 0;
  /** It has used up what a process may; another is to take its place. */
  isSpent = false;
  /** In one of its requests, after which it may not have all that it had. */
  ranOutOfMemory = false;
  #isLeaving = false;
  #graceMs = 0;
  /** Answers that are not read to their end. */
  #unread = 0;

  constructor(worker: WorkerProcess, limits: ServingLimits, events: ServingEvents) {
    this.worker = worker;
    this.#limits = limits;
    this.#events = events;
    worker.onBegin = (request) => this.#begun(request);
    worker.onLog = (messages) => events.logged(messages, this.#request);
    worker.onEnd = (end) => {
      this.requests++;
      events.finished(end);
      this.#done();
    };
    worker.closed.then(() => {
      if (this.#current?.hasBegun) events.broken(worker.failure, this.#request);
      this.#done();
    });
  }

  get isAtWork(): boolean {
    return this.#current !== undefined;
  }

  /** Nobody misses it: PHP is done, and so are those who read what it said. */
  get isQuiet(): boolean {
    return !this.isAtWork && (this.#unread === 0 || performance.now() - this.lastUsedAt > READ_LIMIT_MS);
  }

  /** How long PHP has worked on its request, without what it waited for a processor; undefined where it is at none. */
  get spentMs(): number | undefined {
    return this.#current?.hasBegun ? this.#limit?.spentMs() : undefined;
  }

  /** It is at a page that can be asked for again without harm. An offline site does not say. */
  get isRead(): boolean {
    return /^(GET|HEAD) /.test(this.#request ?? '');
  }

  /** It takes no more requests. */
  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  /** It runs and takes requests. */
  get isStaying(): boolean {
    return this.worker.alive && !this.#isLeaving;
  }

  lease(): Lease {
    const current = { hasBegun: false };
    const { worker } = this;
    let isReleased = false;
    this.#unread++;
    this.#begin(current);
    // Ended so, it has not begun with this request, which then goes to the next process.
    this.#limit = worker.watch(this.#limits.beginTimeoutMs, 'stopped', 'PHP did not begin with a request in time.');
    return {
      door: worker.socketPath,
      connect: () => connect(worker.socketPath),
      failure: async () => {
        if (worker.alive) await Promise.race([worker.closed, sleep(NEWS_MS, undefined, { ref: false })]);
        if (worker.alive) return undefined;
        // What it said last may still be on its way to us, and whether it began is what decides.
        await worker.closed;
        if (!current.hasBegun) return new SiteFailure('stopped', 'The site was stopped before it was asked.');
        const isStopped = worker.failure?.reason === 'stopped';
        return isStopped ? new SiteFailure('interrupted', 'The site was stopped while it answered.') : worker.failure;
      },
      release: () => {
        if (!isReleased) this.#unread--;
        isReleased = true;
        // What PHP has begun it also ends, whether anybody still listens or not; only an unused lease is over by this.
        if (this.#current === current && !current.hasBegun) this.#done();
      },
    };
  }

  /** Takes no more requests; the one that it has is answered, and then it ends. */
  leave(graceMs: number): void {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    this.#graceMs = graceMs;
    if (!this.isAtWork) this.worker.retire(graceMs);
  }

  /** Lets what runs finish for a moment; resolves when the process is gone. */
  async stop(graceMs: number): Promise<void> {
    this.#isLeaving = true;
    this.#graceMs = graceMs;
    // Whoever has been told to send a request may be about to: it is let begin and end.
    for (const end = performance.now() + graceMs; this.isAtWork && this.worker.alive && performance.now() < end; )
      await sleep(STOP_LOOK_MS);
    await this.worker.end(graceMs);
  }

  #begin(current: { hasBegun: boolean }): void {
    this.#current = current;
    this.lastUsedAt = performance.now();
    // Before the request is sent, so that nothing PHP writes comes sooner.
    this.#events.touched();
  }

  #begun(request: string | null): void {
    this.#request = request;
    if (this.#current) this.#current.hasBegun = true;
    // Whoever sent it has let go of their lease already.
    else this.#begin({ hasBegun: true });
    const { requestTimeoutMs } = this.#limits;
    const seconds = Math.round(requestTimeoutMs / 1000);
    this.#limit?.stop();
    this.#limit = this.worker.watch(
      requestTimeoutMs,
      'timeout',
      `The site took longer than ${seconds} seconds to answer.`,
    );
  }

  #done(): void {
    this.#limit?.stop();
    // A process that ends while it is idle has written nothing.
    if (this.#current) this.#events.touched();
    this.#current = undefined;
    this.lastUsedAt = performance.now();
    if (this.#isLeaving && this.worker.alive) this.worker.retire(this.#graceMs);
    this.#events.freed();
  }
}
