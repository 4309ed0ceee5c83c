import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The bound in real time, as a multiple of the limit, however busy the machine is. */
const LONGEST_STRETCH = 10;

/** Which threads a caller waits for: PHP serves a request in its main thread, and while it starts, others compile for it. */
export type AwaitedThreads = 'main' | 'all';

/**
 * Calls `act` once the process has used `limitMs`, unless the limit is stopped first. Time that the awaited threads wait
 * for a processor on an overloaded machine does not count.
 */
export function whenTimeIsUp(
  process: { readonly pid: number; readonly alive: boolean },
  limitMs: number,
  threads: AwaitedThreads,
  act: () => void,
): TimeLimit {
  const startedAt = performance.now();
  const starvedBefore = starvedMs(process.pid, threads);
  const spentMs = () => Math.max(0, performance.now() - startedAt - (starvedMs(process.pid, threads) - starvedBefore));
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
 * Returns how long a process has waited for a processor: its main thread and, with 'all', also the other thread that has
 * waited longest. Others compile in parallel while the main thread sleeps, so their sum would count the same time twice.
 */
export function starvedMs(pid: number, threads: AwaitedThreads, proc = '/proc'): number {
  const tasks = join(proc, String(pid), 'task');
  const waitOf = (thread: string) => readWaitMs(join(tasks, thread, 'schedstat'));
  const main = String(pid);
  if (threads === 'main') return waitOf(main);
  try {
    const others = readdirSync(tasks).filter((thread) => thread !== main);
    return waitOf(main) + Math.max(0, ...others.map(waitOf));
  } catch {
    return 0;
  }
}

function readWaitMs(schedstat: string): number {
  try {
    return Number(readFileSync(schedstat, 'utf8').split(' ')[1] ?? 0) / 1e6;
  } catch {
    // The thread or its process has ended.
    return 0;
  }
}
