import { readdirSync, readFileSync } from 'node:fs';

/** What the kernel knows of processes: their CPU time and their memory. Linux only, as the embedded Postgres is. */

/** Ticks of /proc/<pid>/stat are hundredths of a second on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

interface Stat {
  ppid: number;
  /** Seconds in user and kernel mode, of the process itself and of its children that ended. */
  own: number;
  ended: number;
}

function readStat(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in parentheses may hold anything, so fields are counted from its end.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const seconds = (index: number) => Number(fields[index]) / TICKS_PER_SECOND;
    return { ppid: Number(fields[1]), own: seconds(11) + seconds(12), ended: seconds(13) + seconds(14) };
  } catch {
    return undefined;
  }
}

export function cpuSecondsOf(pid: number): number {
  return readStat(pid)?.own ?? 0;
}

/** Of a process with all its descendants, those that ended included. */
export function cpuSecondsOfTree(pid: number): number {
  return descendants(pid).reduce((sum, each) => {
    const stat = readStat(each);
    return sum + (stat ? stat.own + stat.ended : 0);
  }, 0);
}

/** The process itself and everything below it. */
export function descendants(pid: number): number[] {
  const children = Map.groupBy(
    readdirSync('/proc')
      .map(Number)
      .filter((each) => each > 0),
    (each) => readStat(each)?.ppid,
  );
  const found = [pid];
  for (const each of found) found.push(...(children.get(each) ?? []));
  return found;
}

/** Proportional set size: memory that processes share counts once in their sum. */
export function pssBytesOf(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1');
    return Number(/^Pss: +(\d+) kB$/m.exec(text)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/** What the process itself has in memory. */
export function rssBytesOf(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}
