import { createHash } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '#core/remove-folder.ts';
import { endAllNaming } from '#sandbox/ending.ts';

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

/** Makes the folder in which this process keeps what its sandboxes need, below one that it may share with others. */
export async function makeRunFolder(shared: string): Promise<string> {
  await mkdir(shared, { recursive: true, mode: 0o700 });
  await endOrphans(shared);
  // What stands under our own number is of somebody who had it before.
  const own = join(shared, String(process.pid));
  await endIn(own);
  await mkdir(own, { mode: 0o700 });
  return own;
}

/** Processes die with their service; what is left of a killed one are folders, unless the kernel is still at it. */
export async function endOrphans(shared: string): Promise<void> {
  for (const owner of await readdir(shared)) if (!isRunning(Number(owner))) await endIn(join(shared, owner));
}

/** Ends the sandboxes of a run folder, and removes it. */
export async function endIn(runFolder: string): Promise<void> {
  await endAllNaming(`${runFolder}/`);
  await removeFolder(runFolder);
}
