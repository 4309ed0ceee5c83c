import { readFileSync } from 'node:fs';

/** However busy the machine is, what takes so many times its limit has ended. */
const LONGEST_STRETCH = 10;

/**
 * Calls `act` when the process has had so much time, unless it is told otherwise. What it waits for a processor, on a machine that is
 * short of time, does not count.
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

/** For how long it could have run and had no processor. Time that others took is not the site's. */
function starvedMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1] ?? 0) / 1e6;
  } catch {
    return 0;
  }
}
