/** What the main thread gives to the watchdog. */
export interface WatchdogData {
  /** The heartbeats of the main thread, and the blocks that the watchdog has counted, as Int32. */
  counters: SharedArrayBuffer;
  logLevel: string;
}

/** Positions in `counters`. */
export const BEATS = 0;
export const BLOCKS = 1;
