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
