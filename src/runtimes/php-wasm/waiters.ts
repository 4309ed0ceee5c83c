import type { Lease } from '#runtimes/runtime.ts';
import { SiteFailure } from '#runtimes/runtime.ts';

interface Waiter {
  since: number;
  grant(lease: Lease): void;
  fail(failure: SiteFailure): void;
}

/** Those who wait for a process of one site. */
export class Waiters {
  /** What the site asks of itself comes before visitors: a process waits for it. */
  readonly ownCalls = new Set<Waiter>();
  readonly visitors = new Set<Waiter>();

  get count(): number {
    return this.ownCalls.size + this.visitors.size;
  }

  join(signal: AbortSignal, isOwnCall: boolean): Promise<Lease> {
    return new Promise((resolve, reject) => {
      const queue = isOwnCall ? this.ownCalls : this.visitors;
      const waiter: Waiter = {
        since: performance.now(),
        grant: (lease) => finish(() => resolve(lease)),
        fail: (failure) => finish(() => reject(failure)),
      };
      const abort = () => waiter.fail(new SiteFailure('overload', 'The site had no time for this request.'));
      const finish = (end: () => void) => {
        queue.delete(waiter);
        signal.removeEventListener('abort', abort);
        end();
      };
      if (signal.aborted) return abort();
      signal.addEventListener('abort', abort, { once: true });
      queue.add(waiter);
    });
  }

  failAll(error: unknown): void {
    const failure = error instanceof SiteFailure ? error : new SiteFailure('start', 'The site could not be started.');
    for (const waiter of [...this.ownCalls, ...this.visitors]) waiter.fail(failure);
  }
}
