import { readdirSync } from 'node:fs';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { processesOf, readText } from './processes.ts';

const END_LIMIT_MS = 5_000;
const LOOK_AGAIN_MS = 10;
const LOOKS_AT_ONCE = 20;
const PAUSE_ROUNDS = 5;

/** Ends every process whose arguments name the path, with all that they started; resolves when nothing of it is left. */
export async function endAllNaming(path: string): Promise<void> {
  const deadline = performance.now() + END_LIMIT_MS;
  // Whoever was forked while we looked is found by the next look.
  for (let pids = await processesNaming(path); pids.length > 0; pids = await processesNaming(path)) {
    await endTrees(pids, deadline);
  }
}

/** Ends a sandbox by the pid that was spawned for it. */
export async function endTree(pid: number): Promise<void> {
  // What could not be spawned has none; to the system zero is our own group.
  if (!(pid > 0)) return;
  return endTrees([pid], performance.now() + END_LIMIT_MS);
}

/** Stops a sandbox until `resumeTree`. One whose processes are forked faster than we look may go on with some. */
export function pauseTree(pid: number): void {
  const stopped = new Set<number>();
  for (let round = 0; round < PAUSE_ROUNDS; round++) {
    // Parents first: a shell that sees its program stop would take that for somebody's wish.
    const running = processesOf(pid).filter((each) => !stopped.has(each));
    if (running.length === 0) return;
    for (const each of running) {
      signal(each, 'SIGSTOP');
      stopped.add(each);
    }
  }
}

export function resumeTree(pid: number): void {
  for (const each of processesOf(pid).reverse()) signal(each, 'SIGCONT');
}

async function endTrees(roots: readonly number[], deadline: number): Promise<void> {
  let pids = roots.flatMap(processesOf);
  // The first process of a namespace takes the rest with it, at once: no fork outruns that.
  for (const pid of pids) signal(pid, 'SIGKILL');
  for (pids = pids.filter(isThere); pids.length > 0; pids = pids.filter(isThere)) {
    if (performance.now() > deadline) throw new Error('a sandbox does not end');
    await sleep(LOOK_AGAIN_MS);
  }
}

/** A machine may have thousands, and visitors wait while we look: so a few at a time. */
async function processesNaming(path: string): Promise<number[]> {
  const found: number[] = [];
  let looked = 0;
  for (const pid of readdirSync('/proc').map(Number)) {
    if (!(pid > 0) || pid === process.pid) continue;
    if (++looked % LOOKS_AT_ONCE === 0) await setImmediate();
    const args = readText(`/proc/${pid}/cmdline`).split('\0');
    if (args.some((argument) => argument.startsWith(path))) found.push(pid);
  }
  return found;
}

/** What has ended and waits for its parent to notice runs no more. */
function isThere(pid: number): boolean {
  const state = /^\d+ \(.*\) (\w)/s.exec(readText(`/proc/${pid}/stat`))?.[1];
  return state !== undefined && state !== 'Z' && state !== 'X';
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended in this very moment.
  }
}
