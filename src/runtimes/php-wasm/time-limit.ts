import { readFile } from 'node:fs/promises';

/** However busy the machine is, what takes so many times its limit has ended. */
const LONGEST_STRETCH = 10;

/**
 * Calls `act` when the process has had so much time, unless it is told otherwise. What it waits for a processor, on a machine that is
 * short of time, does not count. Returns how to tell.
 */
export function whenTimeIsUp(
  process: { readonly pid: number; readonly alive: boolean },
  limitMs: number,
  act: () => void,
): () => void {
  const startedAt = performance.now();
  const starvedBefore = starvedMs(process.pid);
  let isOver = false;
  const look = async () => {
    const starved = (await starvedMs(process.pid)) - (await starvedBefore);
    if (isOver || !process.alive) return;
    const passedMs = performance.now() - startedAt;
    const leftMs = Math.min(limitMs - passedMs + starved, limitMs * LONGEST_STRETCH - passedMs);
    if (leftMs > 0) timer = setTimeout(look, leftMs);
    else act();
  };
  let timer = setTimeout(look, limitMs);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

/** For how long it could have run and had no processor. Time that others took is not the site's. */
async function starvedMs(pid: number): Promise<number> {
  const [, waitedNs] = (await readFile(`/proc/${pid}/schedstat`, 'utf8').catch(() => '')).split(' ');
  return Number(waitedNs ?? 0) / 1e6;
}
