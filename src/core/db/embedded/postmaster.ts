import { readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';

/** What postmaster.pid says about the Postgres that serves a cluster. */
export interface Postmaster {
  pid: number;
  /** The program and its arguments, as the kernel has them. */
  command: string[];
  socketDir: string;
  status: string;
}

/**
 * The live Postgres of this cluster, or undefined. A pid alone proves nothing (after a restart of the machine or the
 * container another program has it), so its command line must name postgres and this very cluster. The command line is
 * used since every user may read it; /proc/<pid>/exe and cwd are closed even to root inside a container.
 */
export function findPostmaster(cluster: string): Postmaster | undefined {
  const lines = readPidFile(cluster);
  const pid = Number.parseInt(lines?.[0] ?? '', 10);
  const command = readCommand(pid);
  if (!lines || !command || !serves(command, cluster)) return undefined;
  return { pid, command, socketDir: lines[4] ?? '', status: (lines[7] ?? '').trim() };
}

/**
 * Postgres itself clears a pid file whose process is gone, after it made sure that no process of that former server
 * still works on the data. It takes a foreign process that was given the same pid for a server, though.
 */
export function clearRecycledPid(cluster: string): void {
  const pid = Number.parseInt(readPidFile(cluster)?.[0] ?? '', 10);
  if (readCommand(pid) && !isPostmaster(pid, cluster)) rmSync(join(cluster, 'postmaster.pid'), { force: true });
}

/** Postgres removes its pid file a moment before it ends, so that waiting for the end needs this. */
export function isPostmaster(pid: number, cluster: string): boolean {
  const command = readCommand(pid);
  return command !== undefined && serves(command, cluster);
}

function serves(command: string[], cluster: string): boolean {
  return basename(command[0] ?? '') === 'postgres' && command[1] === '-D' && command[2] === cluster;
}

function readPidFile(cluster: string): string[] | undefined {
  try {
    return readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function readCommand(pid: number): string[] | undefined {
  try {
    // Empty for a process that has ended and waits for its parent to notice.
    const text = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return text === '' ? undefined : text.replace(/\0$/, '').split('\0');
  } catch {
    return undefined;
  }
}
