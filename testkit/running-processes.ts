import { readdirSync, readFileSync } from 'node:fs';

/** Whether a process of this machine has this among its words. */
export function runs(mark: string): boolean {
  return readdirSync('/proc').some((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(mark);
    } catch {
      return false;
    }
  });
}
