import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const SQLITE_BUSY = 5;

export class DataDirInUseError extends Error {
  readonly pid: number | undefined;

  constructor(dataDir: string, pid: number | undefined) {
    super(
      `Another Siteyard${pid === undefined ? '' : ` (pid ${pid})`} already runs on ${dataDir}. ` +
        'Stop it first, or give this one another DATA_DIR.',
    );
    this.name = 'DataDirInUseError';
    this.pid = pid;
  }
}

/**
 * One live process per data directory. Node offers no flock, so the lock is the one SQLite takes on an empty database
 * file: the kernel holds it and drops it with the process, however that ends, so there is no stale lock to judge, no
 * recycled pid to mistake for the owner, and no window in which two starts both take over. The pid beside it only
 * serves the message. The trap of such locks: they fall when this process closes any other descriptor of the file, so
 * nothing here may open it again.
 */
export function lockDataDir(dataDir: string): { release(): void } {
  const pidFile = join(dataDir, 'siteyard.pid');
  const lockFile = join(dataDir, 'siteyard.lock');
  // Who may read the file may lock it, so it is made for us alone.
  if (!existsSync(lockFile)) writeFileSync(lockFile, '', { mode: 0o600, flag: 'a' });
  const lock = new DatabaseSync(lockFile);
  try {
    lock.exec('begin exclusive');
    writeFileSync(pidFile, `${process.pid}\n`);
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    throw new DataDirInUseError(dataDir, readPid(pidFile));
  }
  return { release: () => lock.close() };
}

function readPid(pidFile: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(pidFile, 'utf8'), 10) || undefined;
  } catch {
    return undefined;
  }
}
