import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { siteHostParts } from '#core/cluster.ts';
import type { Services } from '#core/services.ts';
import type { PlatformProcess } from './hold.sql.ts';

/** A process that was not heard of for so long is gone, and its PHP with it. */
export const SILENT_SECONDS = 60;
const HEARD_EVERY_MS = 5_000;
/** Of pods there are as many as sites that are awake, and the cluster tells sooner than their silence which nodes are lost. */
const POD_HEARD_EVERY_MS = 20_000;

/** So often a process with this host says that it lives. */
export const heardEveryMs = (host: string | null | undefined): number =>
  host && siteHostParts(host) ? POD_HEARD_EVERY_MS : HEARD_EVERY_MS;

/** So often a process looks whether there is something to say. */
export const LOOK_EVERY_MS = 5_000;

/** Whether a process says again that it lives: when it is time, and when it came to rest or rests no more, by which it may be put to sleep. */
export function isTimeToSay(process: PlatformProcess, said: PlatformProcess, saidForMs: number): boolean {
  // A timer may be early.
  if (saidForMs > heardEveryMs(process.host) - LOOK_EVERY_MS / 2) return true;
  return process.idle_since?.getTime() !== said.idle_since?.getTime();
}

/** This process, as others know it. */
export function thisProcess({ processId, localHost }: Pick<Services, 'processId' | 'localHost'>): PlatformProcess {
  return {
    id: processId,
    machine: MACHINE,
    pid: process.pid,
    host: localHost?.name ?? null,
    address: localHost?.address ?? null,
    idle_since: localHost?.idleSince ?? null,
  };
}

/** Surely gone. Of another machine's nobody can tell but by its silence. */
export function hasEnded({ machine, pid }: Pick<PlatformProcess, 'machine' | 'pid'>): boolean {
  if (machine !== MACHINE) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** Within one of these a process number means one process: it tells containers apart, and the times before and after a boot. */
const MACHINE = [
  hostname(),
  read(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
  read(() => readlinkSync('/proc/self/ns/pid')),
].join(' ');

/** Only Linux has them. */
function read(look: () => string): string {
  try {
    return look();
  } catch {
    return '';
  }
}
