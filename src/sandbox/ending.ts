import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { nextTurn } from '#core/turns.ts';
import { processesOf, readText } from './processes.ts';

const END_LIMIT_MS = 5_000;
const LOOK_AGAIN_MS = 10;
const LOOKS_AT_ONCE = 10;
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

async function processesNaming(path: string): Promise<number[]> {
  const all = await nextLook();
  return [...all].filter(([, args]) => args.some((argument) => argument.startsWith(path))).map(([pid]) => pid);
}

type Arguments = ReadonlyMap<number, readonly string[]>;
let looking: Promise<Arguments> | undefined;
let next: Promise<Arguments> | undefined;

/** A look that begins from now on. Whoever asks while one goes on shares the one after it: many sandboxes end at once where many were begun so. */
function nextLook(): Promise<Arguments> {
  if (!looking) return look();
  next ??= looking.then(look, look);
  return next;
}

function look(): Promise<Arguments> {
  next = undefined;
  const mine = argumentsOfAll().finally(() => {
    if (looking === mine) looking = undefined;
  });
  looking = mine;
  return mine;
}

/** A machine may have thousands, and visitors wait while we look: so a few at a time. */
async function argumentsOfAll(): Promise<Arguments> {
  const found = new Map<number, readonly string[]>();
  let looked = 0;
  for (const pid of (await readdir('/proc')).map(Number)) {
    if (!(pid > 0) || pid === process.pid) continue;
    if (++looked % LOOKS_AT_ONCE === 0) await nextTurn();
    found.set(pid, readText(`/proc/${pid}/cmdline`).split('\0'));
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
