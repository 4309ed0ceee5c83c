/** Interval of the main thread's heartbeats and of the watchdog's checks. */
export const TICK_MS = 500;
/** A block that lasts so long is reported. */
const BLOCK_MS = 2_000;
/** Processor time without a heartbeat after which the process is killed and restarted. */
const HANG_CPU_MS = 30_000;

/** What the kernel has counted for a thread since it started (/proc/<pid>/task/<tid>/schedstat). */
export interface ThreadTimes {
  /** Spent on a processor. */
  cpuMs: number;
  /** Ready to run, but waiting for a processor. */
  waitMs: number;
}

type Verdict = { t: 'blocked'; ms: number } | { t: 'ended'; ms: number } | { t: 'hung'; cpuMs: number };

/**
 * Detects from missing heartbeats that the event loop is blocked. Wall-clock time alone would blame the process for a
 * machine that is suspended or overloaded. So one check adds at most one tick (a stopped process stops the watchdog
 * too), time in the kernel's run queue does not count, and only processor time makes a process count as hung.
 */
export class LoopMonitor {
  readonly #readTimes: () => ThreadTimes;
  #beats = -1;
  #block: { start: ThreadTimes; last: ThreadTimes; ms: number; isReported: boolean; isHung: boolean } | undefined;

  constructor(readTimes: () => ThreadTimes) {
    this.#readTimes = readTimes;
  }

  /** Called once per tick with the number of heartbeats so far. The times are read only while one is missing. */
  look(beats: number): Verdict | undefined {
    const block = this.#block;
    if (beats !== this.#beats) {
      this.#beats = beats;
      this.#block = undefined;
      return block?.isReported ? { t: 'ended', ms: block.ms } : undefined;
    }
    const now = this.#readTimes();
    if (!block) {
      this.#block = { start: now, last: now, ms: 0, isReported: false, isHung: false };
      return undefined;
    }
    block.ms += Math.max(0, TICK_MS - (now.waitMs - block.last.waitMs));
    block.last = now;
    const cpuMs = now.cpuMs - block.start.cpuMs;
    if (cpuMs >= HANG_CPU_MS && !block.isHung) {
      block.isHung = true;
      return { t: 'hung', cpuMs };
    }
    if (block.ms < BLOCK_MS || block.isReported) return undefined;
    block.isReported = true;
    return { t: 'blocked', ms: block.ms };
  }
}
