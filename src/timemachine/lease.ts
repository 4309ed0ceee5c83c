import { randomBytes } from 'node:crypto';
import type { Store } from './stores/store.ts';

const DURATION_MS = 5 * 60_000;

/**
 * One writer for each site. A claim is an empty object `<expiry>-<nonce>`; who sees another living claim after putting its
 * own takes it back, so two can lose but never both win, without any conditional write. Nothing is lost should two
 * writers meet after all (a machine that stood still, a clock that is wrong): objects and snapshots are immutable.
 */
export class Lease {
  readonly #store: Store;
  readonly #prefix: string;
  readonly #nonce = randomBytes(9).toString('hex');
  #claim: { key: string; expiresMs: number } | undefined;

  constructor(store: Store, prefix: string) {
    this.#store = store;
    this.#prefix = prefix;
  }

  /** Takes the lease or prolongs it. Fails with LeaseBusy while another writer has it. */
  async hold(nowMs = Date.now()): Promise<void> {
    if (this.#claim && this.#claim.expiresMs - nowMs > DURATION_MS / 2) return;
    const before = this.#claim;
    if (!before) await this.#assertFree(nowMs);
    const expiresMs = nowMs + DURATION_MS;
    const key = `${this.#prefix}/${expiresMs}-${this.#nonce}`;
    await this.#store.put(key, []);
    this.#claim = { key, expiresMs };
    if (before) await this.#store.delete(before.key);
    try {
      await this.#assertFree(nowMs);
    } catch (error) {
      await this.release();
      throw error;
    }
  }

  async release(): Promise<void> {
    const claim = this.#claim;
    this.#claim = undefined;
    if (claim) await this.#store.delete(claim.key);
  }

  async #assertFree(nowMs: number): Promise<void> {
    for (const name of await this.#store.names(this.#prefix)) {
      const [expires, nonce] = name.split('-');
      if (nonce === this.#nonce) continue;
      if (Number(expires) > nowMs) throw new LeaseBusy(this.#prefix);
      await this.#store.delete(`${this.#prefix}/${name}`);
    }
  }
}

export class LeaseBusy extends Error {
  constructor(what: string) {
    super(`Another writer holds ${what}`);
    this.name = 'LeaseBusy';
  }
}
