import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { mkdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Makes a group where there is none yet. */
export function makeGroup(base: string, name: string): string | undefined {
  const folder = join(base, name);
  try {
    if (!existsSync(folder)) mkdirSync(folder);
    return folder;
  } catch {
    return undefined;
  }
}

/** The same, in a thread: the kernel makes groups one after another, and whoever asks may wait for twenty milliseconds. */
export async function makeGroupLater(base: string, name: string): Promise<string | undefined> {
  const folder = join(base, name);
  return mkdir(folder).then(
    () => folder,
    () => undefined,
  );
}

/** One in which somebody or another group still is can not be removed. */
function removeGroup(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch {
    return !existsSync(folder);
  }
}

/** The same, in a thread. */
export async function removeGroupLater(folder: string): Promise<boolean> {
  return rmdir(folder).then(
    () => true,
    () => !existsSync(folder),
  );
}

/** Ends every process of a group and of those in it. They may be there for a moment still. */
export function endProcessesIn(folder: string): void {
  for (const pid of processesIn(folder)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended in this very moment.
    }
  }
  for (const group of groupsIn(folder)) endProcessesIn(join(folder, group));
}

/** Somebody else may just have removed it. */
export function groupsIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch {
    return [];
  }
}

/** With the groups in it. */
export function removeGroups(folder: string): void {
  for (const group of groupsIn(folder)) removeGroups(join(folder, group));
  removeGroup(folder);
}

export function writeValue(folder: string, file: string, value: string): boolean {
  try {
    // Some machines have fewer files than others, and none can be made.
    if (!existsSync(join(folder, file))) return false;
    writeFileSync(join(folder, file), value);
    return true;
  } catch {
    return false;
  }
}

/** Of those that can be seen from here. */
export function processesIn(folder: string): number[] {
  try {
    return readFileSync(join(folder, 'cgroup.procs'), 'utf8')
      .split('\n')
      .map(Number)
      .filter((pid) => pid > 0);
  } catch {
    return [];
  }
}
