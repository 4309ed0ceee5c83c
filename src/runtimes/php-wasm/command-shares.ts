import { setTimeout as sleep } from 'node:timers/promises';
import { SiteFailure } from '#runtimes/runtime.ts';

const WAIT_MS = 20_000;
const LOOK_AGAIN_MS = 100;

/** How many commands of one team have a process at a time: whoever starts more waits for their own, and nobody else does. */
export class CommandShares {
  readonly #share: number;
  readonly #running = new Map<string, number>();

  constructor(share: number) {
    this.#share = share;
  }

  /** Returns how to give the place back. */
  async take(team: string, signal?: AbortSignal, waitMs = WAIT_MS): Promise<() => void> {
    const deadline = performance.now() + waitMs;
    while (this.#of(team) >= this.#share) {
      if (signal?.aborted) throw new SiteFailure('stopped', 'The command was called off.');
      if (performance.now() > deadline)
        throw new SiteFailure('overload', `At most ${this.#share} commands of a team run at a time.`);
      await sleep(LOOK_AGAIN_MS);
    }
    this.#running.set(team, this.#of(team) + 1);
    return () => {
      const left = this.#of(team) - 1;
      if (left > 0) this.#running.set(team, left);
      else this.#running.delete(team);
    };
  }

  #of(team: string): number {
    return this.#running.get(team) ?? 0;
  }
}
