import type { StoreDescription } from '../stores/open-store.ts';
import { EMPTY_QUEUE, type QueueState } from '../stores/store.ts';
import { HelperProcess } from './helper-process.ts';

/** So long after a failure the store is tried again. */
const AGAIN_MS = 10_000;

/**
 * Brings what waits on this disk to a store that is far away, in a process of its own, for as long as something waits. Nobody waits for it: what is not there when this
 * ends goes on at the next start.
 */
export class Uploads {
  /** As of the last word from the process. */
  state: QueueState = EMPTY_QUEUE;
  readonly #helper: HelperProcess;
  readonly #onState: (state: QueueState, before: QueueState) => void;
  readonly #ending = new AbortController();
  #running: Promise<void> | undefined;
  #isWanted = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(store: StoreDescription, onState: (state: QueueState, before: QueueState) => void) {
    this.#helper = new HelperProcess(store, 'nice');
    this.#onState = onState;
  }

  /** Something may have been put. */
  soon(): void {
    this.#isWanted = true;
    if (this.#running || this.#ending.signal.aborted) return;
    clearTimeout(this.#timer);
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
      if (this.#ending.signal.aborted) return;
      if (this.state.trouble !== null) this.#timer = setTimeout(() => this.soon(), AGAIN_MS).unref();
      else if (this.#isWanted) this.soon();
    });
  }

  async #run(): Promise<void> {
    this.#isWanted = false;
    const before = this.state;
    try {
      this.state = await this.#helper.call('upload', [], { signal: this.#ending.signal });
    } catch (error) {
      if (this.#ending.signal.aborted) return;
      this.state = { ...before, trouble: (error as Error).message };
    }
    this.#onState(this.state, before);
  }

  /** Whether something waits, or may. */
  get isBusy(): boolean {
    return this.#running !== undefined || this.#isWanted || this.state.objects > 0 || this.state.trouble !== null;
  }

  get idleMs(): number {
    return this.#running ? 0 : this.#helper.idleMs;
  }

  /** Lets the process go; the next thing to upload starts another. */
  rest(): Promise<void> {
    return this.#helper.close();
  }

  async close(): Promise<void> {
    this.#ending.abort();
    clearTimeout(this.#timer);
    await this.#running;
    await this.#helper.close();
  }
}
