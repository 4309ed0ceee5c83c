import type { ChildProcess } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A later service finds the process by this note. Where the disk is too full for it, nobody would ever end the process. */
export function notePid(slot: string, child: ChildProcess): void {
  try {
    if (child.pid) writeFileSync(join(slot, 'pid'), String(child.pid));
  } catch (error) {
    child.kill('SIGKILL');
    rmSync(slot, { recursive: true, force: true });
    throw error;
  }
}

/** Ends what a killed service left running in its slots, which would go on for ever, and removes them when it is gone. */
export async function clearSlots(folder: string): Promise<void> {
  for (const slot of await readdir(folder).catch(() => [])) {
    const pid = Number(await readFile(join(folder, slot, 'pid'), 'utf8').catch(() => ''));
    if (pid) await endWorker(pid, join(folder, slot));
  }
  await rm(folder, { recursive: true, force: true });
}

const END_LIMIT_MS = 5_000;
const END_AGAIN_MS = 20;

async function endWorker(pid: number, slot: string): Promise<void> {
  const deadline = performance.now() + END_LIMIT_MS;
  // A pid may belong to anything by now, so its arguments have to name the slot; what has ended has no arguments any more.
  while ((await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).includes(slot)) {
    if (performance.now() > deadline) throw new Error(`PHP process ${pid} of a killed service does not end`);
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended in this very moment.
    }
    await sleep(END_AGAIN_MS);
  }
}
