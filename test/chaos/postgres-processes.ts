import { readFileSync } from 'node:fs';
import { findPostmaster } from '#core/db/embedded/postmaster.ts';

/** A Postgres of ours with all its processes, by the folder of its cluster. */
function postgresProcesses(cluster: string): number[] {
  const pid = findPostmaster(cluster)?.pid;
  if (!pid) return [];
  return [pid, ...readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)];
}

/** What ended meanwhile needs no signal. */
function signalAll(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** Stops it as a hanging disk or network would: nothing is broken, and nothing answers. The postmaster first, so that it makes no more. */
export function stopPostgres(cluster: string): () => void {
  const postmaster = findPostmaster(cluster)?.pid;
  if (postmaster) signalAll([postmaster], 'SIGSTOP');
  const pids = postgresProcesses(cluster);
  signalAll(pids, 'SIGSTOP');
  return () => signalAll(pids, 'SIGCONT');
}
