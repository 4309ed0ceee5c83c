import { setTimeout as sleep } from 'node:timers/promises';
import { type Lease, type LeaseOptions, type RunningSite, SiteFailure } from '#runtimes/runtime.ts';
import { Desk, type DeskEvents } from './desk.ts';

export interface AwakeEvents extends Omit<DeskEvents, 'freed'> {
  /** A path for a socket that nobody has. */
  newSocket(): string;
  /** Resolves when the site can answer; fails where there is none. */
  ready(): Promise<void>;
}

export interface AwakeLimits {
  requestTimeoutMs: number;
  /** How many requests at once. What the site asks of itself may be one more: its caller waits in one of the others. */
  desks: number;
}

interface Waiter {
  isOwnCall: boolean;
  grant(desk: Desk): void;
  fail(failure: SiteFailure): void;
}

const STOP_LOOK_MS = 5;

/** A site that is awake: its desks, and the requests that wait for one. */
export class AwakeSite implements RunningSite {
  #limits: AwakeLimits;
  readonly #events: AwakeEvents;
  #desks: Desk[] = [];
  readonly #opening = new Set<Promise<void>>();
  readonly #waiting = new Set<Waiter>();
  #isStopped = false;
  #isResting = false;
  #lastUsedAt = performance.now();

  constructor(limits: AwakeLimits, events: AwakeEvents) {
    this.#limits = limits;
    this.#events = events;
  }

  get isAwake(): boolean {
    return this.#desks.length > 0;
  }

  get deskCount(): number {
    return this.#desks.length;
  }

  /** Since when nobody has wanted anything of it, also where its last desk was ended; undefined while somebody does. */
  get idleSince(): number | undefined {
    const isBusy = this.#waiting.size > 0 || this.#opening.size > 0 || this.#isAtWork;
    return isBusy ? undefined : this.#lastUsedAt;
  }

  /** Whether anybody wants something of it now. */
  get isWanted(): boolean {
    return this.#waiting.size > 0 || this.#isAtWork;
  }

  /** How many requests at once from now on. */
  allow(desks: number): void {
    this.#limits = { ...this.#limits, desks };
  }

  lease(signal: AbortSignal, { isOwnCall = false }: LeaseOptions = {}): Promise<Lease> {
    return new Promise((resolve, reject) => {
      const finish = (end: () => void) => {
        this.#waiting.delete(waiter);
        signal.removeEventListener('abort', abort);
        end();
      };
      const waiter: Waiter = {
        isOwnCall,
        grant: (desk) => finish(() => resolve(desk.lease())),
        fail: (failure) => finish(() => reject(failure)),
      };
      const abort = () => waiter.fail(new SiteFailure('overload', 'The site had no time for this request.'));
      if (this.#isStopped) return waiter.fail(new SiteFailure('stopped', 'The site was stopped.'));
      if (signal.aborted) return abort();
      signal.addEventListener('abort', abort, { once: true });
      this.#waiting.add(waiter);
      this.#pump();
    });
  }

  /** Lets what runs finish for a moment, then ends it. Whoever still waits is told. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopped = true;
    for (const waiter of this.#waiting) waiter.fail(new SiteFailure('stopped', 'The site was stopped.'));
    await Promise.all(this.#opening);
    // Whoever has been told to send a request may be about to: it is let begin and end.
    await this.#untilQuiet(graceMs);
    const desks = this.#desks;
    this.#desks = [];
    await Promise.all(desks.map((desk) => desk.end('stopped', 'The site was stopped.')));
  }

  /**
   * Makes way for others: it takes no more requests and ends those that it has, at the latest after `graceMs`. When `end` has ended what answered, it
   * goes on with whoever still waits. Resolves with how many requests it broke off.
   */
  async rest(graceMs: number, why: string, end: () => Promise<void>): Promise<number> {
    if (this.#isStopped || this.#isResting) return 0;
    this.#isResting = true;
    try {
      await Promise.all(this.#opening);
      await this.#untilQuiet(graceMs);
      const desks = this.#desks;
      this.#desks = [];
      const brokenOff = desks.filter(({ isAtWork }) => isAtWork).length;
      await Promise.all(desks.map((desk) => desk.end('yielded', why)));
      await end();
      return brokenOff;
    } finally {
      this.#isResting = false;
      this.#pump();
    }
  }

  async #untilQuiet(graceMs: number): Promise<void> {
    for (const end = performance.now() + graceMs; this.#isAtWork && performance.now() < end; )
      await sleep(STOP_LOOK_MS);
  }

  get #isAtWork(): boolean {
    return this.#desks.some(({ isAtWork }) => isAtWork);
  }

  /** Whenever somebody wants something, or has had it. */
  #pump(): void {
    this.#lastUsedAt = performance.now();
    if (this.#isStopped) return;
    this.#desks = this.#desks.filter(({ isOpen }) => isOpen);
    for (const waiter of this.#waiting) {
      // What the site asks of itself is a part of what it ends.
      if (this.#isResting && !waiter.isOwnCall) continue;
      const most = this.#limits.desks + (waiter.isOwnCall ? 1 : 0);
      const free = this.#desks.filter(({ isAtWork }) => !isAtWork);
      const isAllowed = this.#desks.length - free.length < most;
      if (free[0] && isAllowed) waiter.grant(free[0]);
      else if (isAllowed && this.#desks.length + this.#opening.size < most) this.#open();
    }
  }

  #open(): void {
    const desk = new Desk(this.#events.newSocket(), this.#limits.requestTimeoutMs, {
      touched: () => this.#events.touched(),
      answer: (request, response, signal) => this.#events.answer(request, response, signal),
      broken: (failure, request) => this.#events.broken(failure, request),
      freed: () => this.#pump(),
    });
    const opening = Promise.all([this.#events.ready(), desk.open()])
      .then(() => {
        this.#desks.push(desk);
      })
      .catch((error: unknown) => {
        void desk.end('stopped', 'The site could not be started.');
        const isKnown = error instanceof SiteFailure;
        const failure = isKnown ? error : new SiteFailure('start', 'The site could not be started.');
        for (const waiter of this.#waiting) waiter.fail(failure);
      })
      .finally(() => {
        this.#opening.delete(opening);
        this.#pump();
      });
    this.#opening.add(opening);
  }
}
