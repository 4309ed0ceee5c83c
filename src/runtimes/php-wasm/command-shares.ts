import { setTimeout as sleep } from 'node:timers/promises';
import { Shares } from '#core/shares.ts';
import { SiteFailure } from '#runtimes/runtime.ts';

const WAIT_MS = 20_000;
const LOOK_AGAIN_MS = 100;

/** How many commands of one team have a process at a time: whoever starts more waits for their own, and nobody else does. */
export class CommandShares {
  readonly #shares: Shares;

  constructor(share: number) {
    this.#shares = new Shares(share);
  }

  /** Returns how to give the place back. */
  async take(team: string, signal?: AbortSignal, waitMs = WAIT_MS): Promise<() => void> {
    const deadline = performance.now() + waitMs;
    for (;;) {
      const release = this.#shares.take(team);
      if (release) return release;
      if (signal?.aborted) throw new SiteFailure('stopped', 'The command was called off.');
      if (performance.now() > deadline)
        throw new SiteFailure('overload', `At most ${this.#shares.limit} commands of a team run at a time.`);
      await sleep(LOOK_AGAIN_MS);
    }
  }
}
