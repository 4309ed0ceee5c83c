import type { WorkerProcess } from './worker-process.ts';

interface Kept {
  siteId: string;
  /** What the site was when the process began: another description needs another process. */
  fingerprint: string;
  worker: WorkerProcess;
  timer: NodeJS.Timeout;
}

const KEEP_MS = 60_000;
/** Beyond that a new one costs the machine less. */
const TOO_LARGE_BYTES = 700 * 1024 * 1024;

/**
 * Processes that ran wp-cli for a site and wait a minute for its next command: what PHP has compiled by then is most of what a command costs. One
 * for each site, and the first to go where memory is needed.
 */
export class WarmRunners {
  readonly #kept = new Map<string, Kept>();

  take(siteId: string, fingerprint: string): WorkerProcess | undefined {
    const kept = this.#kept.get(siteId);
    if (!kept?.worker.alive || kept.fingerprint !== fingerprint) return undefined;
    this.#forget(kept);
    return kept.worker;
  }

  /** The process has ended a command, and runs no other. */
  keep(siteId: string, fingerprint: string, worker: WorkerProcess): void {
    if (!worker.alive || worker.memoryBytes > TOO_LARGE_BYTES) {
      worker.kill('stopped', 'The command is over.');
      return;
    }
    const known = this.#kept.get(siteId);
    if (known) this.#end(known);
    const timer = setTimeout(() => this.#end(kept), KEEP_MS).unref();
    const kept: Kept = { siteId, fingerprint, worker, timer };
    this.#kept.set(siteId, kept);
    worker.closed.then(() => this.#forget(kept));
  }

  /** Gives the memory of the one back that waits longest; resolves when it is gone. Undefined where there is none. */
  drop(): Promise<void> | undefined {
    const [oldest] = this.#kept.values();
    if (!oldest) return undefined;
    this.#end(oldest);
    return oldest.worker.closed;
  }

  async end(siteId: string): Promise<void> {
    const kept = this.#kept.get(siteId);
    if (!kept) return;
    this.#end(kept);
    await kept.worker.closed;
  }

  #end(kept: Kept): void {
    this.#forget(kept);
    kept.worker.kill('stopped', 'No command came.');
  }

  #forget(kept: Kept): void {
    clearTimeout(kept.timer);
    if (this.#kept.get(kept.siteId) === kept) this.#kept.delete(kept.siteId);
  }
}
