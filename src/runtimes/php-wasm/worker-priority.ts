import { setPriority } from 'node:os';
import { setSessionPriority } from '#core/priority.ts';

/**
 * How far a process gives way to others. What somebody waits for gives way to the service by a hair, and to nothing else on the machine; what a
 * site has besides its first process, and what waits for a site, comes after it, with its whole session.
 */
const NICE = { normal: 1, extra: 10, background: 15 } as const;
/** Whoever is not root can lower a priority and never raise it again: all have the same then, so that no site stays behind for good. */
const MAY_CHANGE_PRIORITY = process.getuid?.() === 0;

export type Priority = keyof typeof NICE;

export class WorkerPriority {
  #wanted: Priority = 'normal';
  #isSessionLowered = false;

  /** What it should have, as soon as the process is there. */
  set(pid: number | undefined, wanted: Priority = this.#wanted): void {
    this.#wanted = wanted;
    if (pid === undefined) return;
    const priority = MAY_CHANGE_PRIORITY ? wanted : 'normal';
    const isSessionLowered = priority !== 'normal';
    if (isSessionLowered) setSessionPriority(pid, NICE[priority]);
    else {
      if (this.#isSessionLowered) setSessionPriority(pid, 0);
      setOwnPriority(pid, NICE.normal);
    }
    this.#isSessionLowered = isSessionLowered;
  }
}

function setOwnPriority(pid: number, nice: number): void {
  try {
    setPriority(pid, nice);
  } catch {
    // It ended in this very moment.
  }
}
