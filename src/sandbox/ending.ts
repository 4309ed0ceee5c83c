import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { processesOf } from './processes.ts';

const END_LIMIT_MS = 5_000;
const LOOK_AGAIN_MS = 10;
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
  for (pids = await stillThere(pids); pids.length > 0; pids = await stillThere(pids)) {
    if (performance.now() > deadline) throw new Error('a sandbox does not end');
    await sleep(LOOK_AGAIN_MS);
  }
}

/** What is read of a process that is busy or about to end may take long, and visitors wait for us: so it is read beside. */
async function processesNaming(path: string): Promise<number[]> {
  const found: number[] = [];
  for (const pid of (await readdir('/proc')).map(Number)) {
    if (!(pid > 0) || pid === process.pid) continue;
    const args = (await readText(`/proc/${pid}/cmdline`)).split('\0');
    if (args.some((argument) => argument.startsWith(path))) found.push(pid);
  }
  return found;
}

/** What has ended and waits for its parent to notice runs no more. */
async function stillThere(pids: readonly number[]): Promise<number[]> {
  const there: number[] = [];
  for (const pid of pids) {
    const state = /^\d+ \(.*\) (\w)/s.exec(await readText(`/proc/${pid}/stat`))?.[1];
    if (state !== undefined && state !== 'Z' && state !== 'X') there.push(pid);
  }
  return there;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended in this very moment.
  }
}

function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}
