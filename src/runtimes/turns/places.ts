import { SiteFailure } from '#runtimes/runtime.ts';
import type { Leaving } from './leaving.ts';
import type { Pressure } from './pressure.ts';

/** Somebody who needs a process of their own, for which there has to be room. */
export interface Claim {
  /** The site, or what else it is for. Whoever was turned away keeps their turn under this name. */
  key: string;
  team: string;
  /** False where nobody waits for it any more. */
  isWanted(): boolean;
  signal?: AbortSignal | undefined;
}

/** As it stands in the row. */
export interface Waiting extends Claim {
  /** Since when it has gone without, those times included in which it was turned away. */
  since: number;
}

/** Where the places are. */
export interface Ground {
  /** What is on its way out. */
  readonly leaving: Leaving;
  /** What a start takes, up to its first answer. */
  readonly startMs: number;
  /** Whether one more process may start, or one stands ready. */
  hasPlace(): boolean;
  /** Has something go that is needed less, now or when it is done with what it does; resolves when it is gone. Undefined where all is needed. */
  giveWay(claim: Waiting, waiting: number): Promise<unknown> | undefined;
  /** Ends something that is at work, where it has had its time and this claim has waited long enough for that. */
  endBusy(claim: Waiting, now: number): Promise<unknown> | undefined;
}

/** So long a visitor waits at the edge. Whoever could not be answered by then any more is turned away before anything starts for them. */
const PATIENCE_MS = 30_000;
const LOOK_MS = 100;
/** Who was turned away and does not come back in this time has lost their turn. */
const REMEMBER_MS = 120_000;

interface Standing extends Waiting {
  enteredAt: number;
  grant(): void;
  fail(failure: SiteFailure): void;
}

/** Who waits for room for a process: whoever has gone without for longest is next, whatever others do. */
export class Places {
  readonly #ground: Ground;
  readonly #pressure: Pressure;
  #standing: Standing[] = [];
  #ending: Promise<unknown> | undefined;
  /** Since when those have gone without that were turned away. */
  readonly #turnedAway = new Map<string, { since: number; at: number }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(ground: Ground, pressure: Pressure) {
    this.#ground = ground;
    this.#pressure = pressure;
  }

  get waiting(): number {
    return this.#standing.length;
  }

  /** For how long somebody in the row has been waiting. */
  longestMs(now: number): number {
    return Math.max(0, ...this.#standing.map(({ enteredAt }) => now - enteredAt));
  }

  /** Calls `use` in the very moment in which there is room; it has to take it at once. */
  take<T>(claim: Claim, use: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const now = performance.now();
      const leave = () => {
        this.#standing = this.#standing.filter((each) => each !== standing);
        claim.signal?.removeEventListener('abort', abort);
      };
      const standing: Standing = {
        ...claim,
        enteredAt: now,
        since: this.#turnedAway.get(claim.key)?.since ?? now,
        grant: () => {
          leave();
          this.#turnedAway.delete(claim.key);
          use().then(resolve, reject);
        },
        fail: (failure) => {
          leave();
          reject(failure);
        },
      };
      const abort = () => standing.fail(new SiteFailure('stopped', 'The site was stopped.'));
      if (claim.signal?.aborted) return abort();
      claim.signal?.addEventListener('abort', abort, { once: true });
      this.#standing.push(standing);
      this.#standing.sort((a, b) => a.since - b.since);
      this.look();
    });
  }

  /** To be called when something has ended, or is needed less than before. */
  look(): void {
    const now = performance.now();
    for (const standing of this.#standing) if (!standing.isWanted()) this.#turnAway(standing, now);
    for (let [next] = this.#standing; next && this.#ground.hasPlace(); [next] = this.#standing) next.grant();
    const waitMs = PATIENCE_MS - this.#ground.startMs;
    for (const standing of this.#standing) if (now - standing.enteredAt > waitMs) this.#turnAway(standing, now);
    this.#makeRoom(now);
    this.#lookAgain();
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const standing of this.#standing) standing.fail(new SiteFailure('stopped', 'The service stops.'));
  }

  #makeRoom(now: number): void {
    // Of those in the row, so many are not served by what leaves already.
    for (const claim of this.#standing.slice(this.#ground.leaving.soon)) {
      const left = this.#ground.giveWay(claim, this.#standing.length);
      if (!left) break;
      void left.then(() => this.look());
    }
    const [first] = this.#standing;
    if (!first || this.#ending) return;
    this.#ending = this.#ground.endBusy(first, now)?.finally(() => {
      this.#ending = undefined;
      this.look();
    });
  }

  #turnAway(standing: Standing, now: number): void {
    for (const [key, { at }] of this.#turnedAway) if (now - at > REMEMBER_MS) this.#turnedAway.delete(key);
    // Who left by themselves has no turn to keep.
    if (standing.isWanted()) {
      this.#turnedAway.set(standing.key, { since: standing.since, at: now });
      this.#pressure.turnedAway++;
    }
    standing.fail(new SiteFailure('overload', 'Too many sites are at work on this machine.'));
  }

  #lookAgain(): void {
    clearTimeout(this.#timer);
    if (this.#standing.length > 0) this.#timer = setTimeout(() => this.look(), LOOK_MS);
  }
}
