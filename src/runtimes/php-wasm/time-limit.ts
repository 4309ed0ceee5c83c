import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The bound in real time, as a multiple of the limit, however busy the machine is. */
const LONGEST_STRETCH = 10;

/**
 * Calls `act` once the process has used `limitMs`, unless the limit is stopped first. Time that the process waits for a
 * processor on an overloaded machine does not count.
 */
export function whenTimeIsUp(
  process: { readonly pid: number; readonly alive: boolean },
  limitMs: number,
  act: () => void,
): TimeLimit {
  const startedAt = performance.now();
  const starvedBefore = starvedMs(process.pid);
  const spentMs = () => performance.now() - startedAt - (starvedMs(process.pid) - starvedBefore);
  const look = () => {
    if (!process.alive) return;
    const passedMs = performance.now() - startedAt;
    const leftMs = Math.min(limitMs - spentMs(), limitMs * LONGEST_STRETCH - passedMs);
    if (leftMs > 0) timer = setTimeout(look, leftMs);
    else act();
  };
  let timer = setTimeout(look, limitMs);
  return { spentMs, stop: () => clearTimeout(timer) };
}

export interface TimeLimit {
  /** What it has had by now. */
  spentMs(): number;
  /** All is well. */
  stop(): void;
}

/**
 * Returns how long the threads of a process have waited for a processor, added up. All of them count: while PHP starts, its main thread sleeps and
 * other threads compile.
 */
export function starvedMs(pid: number, proc = '/proc'): number {
  const tasks = join(proc, String(pid), 'task');
  try {
    return readdirSync(tasks).reduce((sum, task) => sum + readWaitMs(join(tasks, task, 'schedstat')), 0);
  } catch {
    return 0;
  }
}

function readWaitMs(schedstat: string): number {
  try {
    return Number(readFileSync(schedstat, 'utf8').split(' ')[1] ?? 0) / 1e6;
  } catch {
    // The thread has ended.
    return 0;
  }
}
