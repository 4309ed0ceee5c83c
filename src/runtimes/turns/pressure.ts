import type { Log } from '#core/log.ts';

/** Whether the machine is large enough for the sites that are wanted at once, for metrics and for the operator. */
export interface PressureSigns {
  /** Who waits for room for a process right now, and for how long the first of them has. */
  waiting: number;
  longestMs: number;
  usedBytes: number;
  budgetBytes: number;
}

/** A site that has to wait so long for others is one more than fits. */
const TOO_LONG_MS = 3_000;
/** What was felt counts for so long. */
const FELT_MS = 5 * 60_000;

export class Pressure {
  readonly #log: Log;
  #feltAt = Number.NEGATIVE_INFINITY;
  #hasSaid = false;
  /** Since the start: requests that were refused for want of room, and those that were ended so that others got some. */
  turnedAway = 0;
  ended = 0;
  #seen = 0;

  constructor(log: Log) {
    this.#log = log;
  }

  isTooSmall(now = performance.now()): boolean {
    return now - this.#feltAt < FELT_MS;
  }

  /** To be called every now and then. It is said once until all has been well for a while. */
  look({ waiting, longestMs, usedBytes, budgetBytes }: PressureSigns, now: number): void {
    const refusals = this.turnedAway + this.ended;
    if (longestMs > TOO_LONG_MS || refusals > this.#seen) this.#feltAt = now;
    this.#seen = refusals;
    if (!this.isTooSmall(now)) this.#hasSaid = false;
    else if (!this.#hasSaid) {
      this.#hasSaid = true;
      const mb = (bytes: number) => Math.round(bytes / 1024 / 1024);
      this.#log.warn(
        { waiting, usedMb: mb(usedBytes), budgetMb: mb(budgetBytes) },
        'the memory for PHP (PHP_MEMORY_MB) is too small for the sites that are visited at once: they take turns, and some wait',
      );
    }
  }
}
