import { memoryFileBytes } from '#sandbox/held-files.ts';
import { memoryBytesOf, processesOf } from '#sandbox/processes.ts';

/** What the sandboxes of each site use, where the kernel does not count it: each is looked at by whoever started it. */
export class WatchedMemory {
  readonly #siteBytes: number;
  readonly #seen = new Map<string, Map<string, number>>();

  constructor(siteBytes: number) {
    this.#siteBytes = siteBytes;
  }

  /** Of a site that uses too much, it is the sandbox that uses most. */
  isTooMuch(siteId: string, name: string, pid: number, ownBytes: number): boolean {
    const pids = processesOf(pid);
    // Memory that is a file is in no process' count.
    const bytes = pids.reduce((sum, each) => sum + memoryBytesOf(each), memoryFileBytes(pids));
    const seen = this.#seen.get(siteId) ?? new Map<string, number>();
    this.#seen.set(siteId, seen.set(name, bytes));
    const all = [...seen.values()];
    const sum = all.reduce((before, each) => before + each, 0);
    return bytes > ownBytes || (sum > this.#siteBytes && bytes === Math.max(...all));
  }

  forget(siteId: string, name: string): void {
    const seen = this.#seen.get(siteId);
    seen?.delete(name);
    if (seen?.size === 0) this.#seen.delete(siteId);
  }
}
