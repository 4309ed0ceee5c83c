import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * How far a process gives way to others (0 to 19). Where sessions share the machine evenly (autogroup), the number counts within one alone unless
 * the session has it too: so this is for processes that have a session of their own.
 */
export function setSessionPriority(pid: number, nice: number): void {
  try {
    setPriority(pid, nice);
    writeFileSync(`/proc/${pid}/autogroup`, String(nice));
  } catch {
    // It ended in this very moment, or there are no such groups here.
  }
}
