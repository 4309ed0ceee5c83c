import { readdirSync, readFileSync } from 'node:fs';

/** Every process of a sandbox, from outside: what leaves its parent inside becomes a child of the first one there, so nobody is missed. */
export function processesOf(pid: number): number[] {
  const pids = [pid];
  for (let at = 0; at < pids.length; at++) pids.push(...childrenOf(pids[at] ?? 0));
  return pids;
}

/** The program that a sandbox was started for: the child of its first process, which is the only child of ours. */
export function mainProcessOf(pid: number): number | undefined {
  const [first] = childrenOf(pid);
  return first && childrenOf(first)[0];
}

export function memoryBytesOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readText(`/proc/${pid}/status`))?.[1] ?? 0) * 1024;
}

/** Of processes that come from one another: what they share is counted once, as much as the one has that has most of it. */
export function memoryBytesOfAll(pids: readonly number[]): number {
  let [own, shared] = [0, 0];
  for (const pid of pids) {
    const parts = [...readText(`/proc/${pid}/status`).matchAll(/^Rss(Anon|File|Shmem):\s+(\d+) kB$/gm)];
    const sumOf = (isOwn: boolean) =>
      parts.reduce((sum, [, kind, kilobytes]) => sum + ((kind === 'Anon') === isOwn ? Number(kilobytes) * 1024 : 0), 0);
    own += sumOf(true);
    shared = Math.max(shared, sumOf(false));
  }
  return own + shared;
}

/** Without what it shares with others that run the same program: that is there once, however many they are. */
export function ownMemoryBytesOf(pid: number): number {
  const parts = [...readText(`/proc/${pid}/status`).matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm)];
  return parts.reduce((sum, [, kilobytes]) => sum + Number(kilobytes) * 1024, 0);
}

/** Each thread has those that it started itself; the first thread's come first. */
function childrenOf(pid: number): number[] {
  return threadsOf(pid).flatMap((thread) =>
    readText(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  );
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
