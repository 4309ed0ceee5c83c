import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The operating system takes 107 bytes, of which the slot and the name of the socket need some. */
const LONGEST_RUN_FOLDER = 70;

/** A socket's path can not be long, so for a data folder deep down the sockets are elsewhere, always in the same place. */
export function shortFolder(folder: string): string {
  if (Buffer.byteLength(folder) <= LONGEST_RUN_FOLDER) return folder;
  return join(tmpdir(), `siteyard-${createHash('sha256').update(folder).digest('hex').slice(0, 12)}`);
}

/** Whether a process of this number runs on this machine. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
