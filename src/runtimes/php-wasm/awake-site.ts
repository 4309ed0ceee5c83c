import type { Lease, LeaseOptions, RunningSite } from '#runtimes/runtime.ts';
import { SiteFailure } from '#runtimes/runtime.ts';
import { type ServingEvents, type ServingLimits, ServingProcess } from './serving-process.ts';
import { Waiters } from './waiters.ts';
import type { WorkerProcess } from './worker-process.ts';

/**
 * A site that is awake: its processes and the requests that wait for one. The first process is there for as long as the
 * site is awake; when visitors wait for too long, and memory allows it, there are more for a while. PHP answers one
 * request at a time, so the queue is here and not in a process: when a request takes its process down, those behind it
 * go to the next one.
 */
export interface AwakeLimits extends ServingLimits {
  /** Processes for visitors. What the site asks of itself may have one more: its caller waits in one of the others. */
  processes: number;
  /** A visitor has waited so long when another process is started for them. */
  growAfterMs: number;
  /** All but the first end after so long without a request. */
  extraIdleMs: number;
  /** A process that has grown beyond this, or answered so many requests, makes way for another. */
  recycleAboveBytes: number;
  recycleAfterRequests: number;
  /** There may be another one to be had that is better. */
  isOutdated(worker: WorkerProcess): boolean;
}

/**
 * Why a process is wanted. `first`: without it nobody is answered. `another`: somebody waits for those that are there.
 * `successor`: one of them is to be replaced, and until the new one is warm it goes on. `better`: likewise, and where there is none it stays.
 */
export type Need = 'first' | 'another' | 'successor' | 'better';

/** Why a process is to be replaced: its memory can not be had back, it answered its share of requests, or there may be a quicker one. */
type Spent = 'full' | 'worn' | 'slow';

export interface AwakeEvents extends Omit<ServingEvents, 'freed'> {
  /** Starts a process for the site; undefined where there is no room for one that is not the first. */
  start(need: Need, signal: AbortSignal): Promise<WorkerProcess | undefined>;
}

/** Whoever still reads an answer of a process that leaves gets so long for the rest. */
export const LEAVE_GRACE_MS = 10_000;
/** Where there was no room for another process, it is asked for again. */
const GROW_AGAIN_MS = 1_000;
/** A start that failed took time from everybody. */
const REPLACE_AGAIN_MS = 30_000;

export class AwakeSite implements RunningSite {
  readonly #limits: AwakeLimits;
  readonly #events: AwakeEvents;
  /** The first of them gets a request before the second does, so that those at the end are the ones that are not needed. */
  #processes: ServingProcess[] = [];
  readonly #waiters = new Waiters();
  #starting: { need: Need; done: Promise<void> } | undefined;
  readonly #replacing = new Set<Promise<void>>();
  #growth: NodeJS.Timeout | undefined;
  #growNotBefore = 0;
  /** For what can go on as well. */
  #replaceNotBefore = 0;
  #hasStarted = false;
  readonly #ending = new AbortController();
  /** When PHP last worked, which tells how idle the site is. */
  #lastUsedAt = performance.now();

  constructor(limits: AwakeLimits, events: AwakeEvents) {
    this.#limits = limits;
    this.#events = events;
  }

  get lastUsedAt(): number {
    return Math.max(this.#lastUsedAt, ...this.#processes.map((process) => process.lastUsedAt));
  }

  /** Nobody wants anything of it. A site that is yet to start is about to be asked. */
  get isIdle(): boolean {
    const isQuiet = this.waitingCount === 0 && !this.#starting && this.#replacing.size === 0;
    return isQuiet && this.#hasStarted && !this.#processes.some((process) => process.isAtWork);
  }

  get isAwake(): boolean {
    return this.#processes.some(({ worker }) => worker.alive);
  }

  get workers(): WorkerProcess[] {
    return this.#processes.map(({ worker }) => worker).filter(({ alive }) => alive);
  }

  /** How many processes it has, or is about to have, besides the first. */
  get extraCount(): number {
    return this.#extras.length + (this.#starting?.need === 'another' ? 1 : 0);
  }

  /** Since when the longest unused of them has had nothing to do; undefined where all are at work. */
  get extraIdleSince(): number | undefined {
    const idle = this.#extras.filter((process) => !process.isAtWork);
    return idle.length === 0 ? undefined : Math.min(...idle.map(({ lastUsedAt }) => lastUsedAt));
  }

  /** How many requests wait for a process. */
  get waitingCount(): number {
    return this.#waiters.count;
  }

  /** It has a process that takes requests. */
  get isServing(): boolean {
    return this.#staying.length > 0;
  }

  /** Those that are at a request, and for how long. */
  get busy(): { worker: WorkerProcess; spentMs: number; isRead: boolean }[] {
    return this.#processes.flatMap(({ worker, spentMs, isRead }) =>
      spentMs === undefined ? [] : [{ worker, spentMs, isRead }],
    );
  }

  /** One of them is on its way out already. */
  get isShrinking(): boolean {
    return this.#processes.some((process) => process.isLeaving);
  }

  lease(signal: AbortSignal, { isOwnCall = false }: LeaseOptions = {}): Promise<Lease> {
    if (this.#isStopped) return Promise.reject(new SiteFailure('stopped', 'The site was stopped.'));
    const lease = this.#waiters.join(signal, isOwnCall);
    this.#pump();
    return lease;
  }

  /** Lets go of the extra processes that nobody has needed for a while. */
  trim(now: number): void {
    for (const process of this.#extras) {
      if (process.isQuiet && now - process.lastUsedAt > this.#limits.extraIdleMs) process.leave(LEAVE_GRACE_MS);
    }
  }

  /** Lets go of one extra process, the longest unused or else the last one when it is done; resolves when it is gone. */
  async shrink(): Promise<void> {
    // Somebody else needs the memory: who still reads an answer gets what LEAVE_GRACE_MS gives.
    const idle = this.#extras
      .filter((process) => !process.isAtWork)
      .sort((a, b) => Number(b.isQuiet) - Number(a.isQuiet) || a.lastUsedAt - b.lastUsedAt);
    const leaving = idle[0] ?? this.#extras.at(-1);
    leaving?.leave(LEAVE_GRACE_MS);
    await leaving?.worker.closed;
  }

  /** Its turn is over: every process leaves when it is done with its request. Who waits behind that waits for the next turn. */
  async yield(): Promise<void> {
    const leaving = this.#staying;
    for (const process of leaving) process.leave(LEAVE_GRACE_MS);
    if (this.waitingCount > 0) this.#grow();
    await Promise.all(leaving.map(({ worker }) => worker.closed));
  }

  /** Lets what runs finish for a moment, then ends every process. Whoever still waits is told. */
  async stop(graceMs: number): Promise<void> {
    this.#ending.abort();
    clearTimeout(this.#growth);
    this.#waiters.failAll(new SiteFailure('stopped', 'The site was stopped.'));
    await Promise.all([
      this.#starting?.done,
      ...this.#replacing,
      ...this.#processes.map((process) => process.stop(graceMs)),
    ]);
  }

  get #isStopped(): boolean {
    return this.#ending.signal.aborted;
  }

  get #staying(): ServingProcess[] {
    return this.#processes.filter((process) => process.isStaying);
  }

  get #extras(): ServingProcess[] {
    return this.#staying.slice(1);
  }

  #pump(): void {
    if (this.#isStopped) return;
    for (const [waiters, most] of [
      [this.#waiters.ownCalls, this.#limits.processes + 1],
      [this.#waiters.visitors, this.#limits.processes],
    ] as const) {
      for (const waiter of waiters) {
        const process = this.#freeOf(most);
        if (!process) break;
        waiter.grant(process.lease());
      }
    }
    if (this.waitingCount > 0) this.#grow();
  }

  /** A process for one more request, where not so many are at work already. */
  #freeOf(most: number): ServingProcess | undefined {
    const free = this.#staying.filter((process) => !process.isAtWork);
    return this.#staying.length - free.length < most ? free[0] : undefined;
  }

  /** Sees to it that those who wait get another process, when it is time for that. */
  #grow(): void {
    clearTimeout(this.#growth);
    if (this.#starting) return;
    if (this.#staying.length === 0) this.#start('first');
    else this.#growWhenDue(this.#staying.length);
  }

  #growWhenDue(count: number): void {
    const [ownCall] = this.#waiters.ownCalls;
    const [visitor] = this.#waiters.visitors;
    // What the site asks of itself does not get a process by waiting: whoever asks holds one until it is answered.
    const times = [
      ...(ownCall && count <= this.#limits.processes ? [ownCall.since] : []),
      ...(visitor && count < this.#limits.processes ? [visitor.since + this.#limits.growAfterMs] : []),
    ];
    if (times.length === 0) return;
    const waitMs = Math.max(Math.min(...times), this.#growNotBefore) - performance.now();
    if (waitMs <= 0) this.#start('another');
    else this.#growth = setTimeout(() => this.#pump(), waitMs);
  }

  #start(need: 'first' | 'another'): void {
    const done = Promise.resolve()
      .then(() => this.#events.start(need, this.#ending.signal))
      .then(async (worker) => {
        if (worker) await this.#join(worker);
        else this.#growNotBefore = performance.now() + GROW_AGAIN_MS;
      })
      .catch((error: unknown) => {
        this.#growNotBefore = performance.now() + GROW_AGAIN_MS;
        if (need === 'first') this.#waiters.failAll(error);
      })
      .finally(() => {
        this.#starting = undefined;
        this.#pump();
      });
    this.#starting = { need, done };
  }

  async #join(worker: WorkerProcess): Promise<void> {
    if (this.#isStopped) {
      worker.kill('stopped', 'The site was stopped.');
      return worker.closed;
    }
    const process: ServingProcess = new ServingProcess(worker, this.#limits, {
      touched: () => this.#events.touched(),
      logged: (messages, request) => this.#events.logged(messages, request),
      broken: (failure, request) => this.#events.broken(failure, request),
      finished: (end) => {
        this.#events.finished(end);
        if (end.ranOutOfMemory) process.ranOutOfMemory = true;
        const spent = process.isSpent ? undefined : this.#spentBy(process);
        if (spent) this.#replace(process, spent);
      },
      freed: () => this.#pump(),
    });
    this.#hasStarted = true;
    this.#processes.push(process);
    worker.closed.then(() => this.#remove(process));
    this.#rank();
  }

  #remove(process: ServingProcess): void {
    this.#lastUsedAt = Math.max(this.#lastUsedAt, process.lastUsedAt);
    this.#processes = this.#processes.filter((each) => each !== process);
    this.#rank();
  }

  /** The first process of a site comes before what others have besides theirs. */
  #rank(): void {
    for (const [index, { worker }] of this.#staying.entries()) worker.setPriority(index === 0 ? 'normal' : 'extra');
  }

  /** What WebAssembly has once taken it never gives back. */
  #spentBy({ requests, worker, ranOutOfMemory }: ServingProcess): Spent | undefined {
    const { recycleAboveBytes, recycleAfterRequests, isOutdated } = this.#limits;
    if (ranOutOfMemory || worker.memoryBytes > recycleAboveBytes) return 'full';
    if (requests >= recycleAfterRequests && performance.now() >= this.#replaceNotBefore) return 'worn';
    return isOutdated(worker) ? 'slow' : undefined;
  }

  /** The process goes on until its successor is ready, so that nobody waits; one of several needs none. */
  #replace(process: ServingProcess, spent: Spent): void {
    process.isSpent = true;
    const need = spent === 'slow' ? 'better' : 'successor';
    const isAlone = this.#staying.length === 1;
    const succession = (isAlone ? this.#events.start(need, this.#ending.signal) : Promise.resolve(undefined))
      .then(async (worker) => {
        if (worker) await this.#join(worker);
        return worker ? 'succeeded' : 'no room';
      })
      .catch(() => 'failed')
      .then((outcome) => {
        // What has the memory that another would get leaves all the same, and the next request starts that one. What can go on does so: on a busy
        // machine a successor may not be warm in time, and is tried again a while later.
        const mayStay = spent === 'slow' ? outcome !== 'succeeded' : outcome === 'failed';
        const goesOn = isAlone && mayStay && this.#spentBy(process) !== 'full';
        if (outcome === 'failed') this.#replaceNotBefore = performance.now() + REPLACE_AGAIN_MS;
        if (goesOn) process.isSpent = false;
        else process.leave(LEAVE_GRACE_MS);
        this.#rank();
        this.#replacing.delete(succession);
        this.#pump();
      });
    this.#replacing.add(succession);
  }
}
