import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

const AGAIN_MS = 100;

/**
 * Locks that only one process of the platform can hold at a time, by name. They live as long as one connection of this
 * process, so what a killed process held is free at once, and they hold no transaction open.
 */
export class Locks {
  readonly #pool: pg.Pool;
  readonly #held = new Set<string>();
  #client: Promise<pg.PoolClient> | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #lost = new AbortController();

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /**
   * Does the work alone. Fails with LockBusy where somebody else has the lock for longer than one may wait. The signal says
   * that the lock is lost: the work has to end, for another process may have begun.
   */
  async alone<T>(name: string, waitMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const deadline = performance.now() + waitMs;
    while (!(await this.#take(name))) {
      if (performance.now() >= deadline) throw new LockBusy(name);
      await sleep(AGAIN_MS);
    }
    try {
      return await work(this.#lost.signal);
    } finally {
      await this.#give(name);
    }
  }

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    this.#client = undefined;
    client?.release(true);
  }

  async #take(name: string): Promise<boolean> {
    // For the database all of this process is one and the same, and would get the lock twice.
    if (this.#held.has(name)) return false;
    this.#held.add(name);
    try {
      const { rows } = await this.#ask('select pg_try_advisory_lock($1) as taken', name);
      if (rows[0].taken) return true;
    } catch (error) {
      this.#held.delete(name);
      throw error;
    }
    this.#held.delete(name);
    return false;
  }

  async #give(name: string): Promise<void> {
    try {
      await this.#ask('select pg_advisory_unlock($1)', name);
    } catch {
      // The connection is gone, and the lock with it.
    } finally {
      this.#held.delete(name);
    }
  }

  /** One after another, as pg wants it. */
  #ask(statement: string, name: string): Promise<pg.QueryResult> {
    const answer = this.#last.then(async () => (await this.#connection()).query(statement, [numberOf(name)]));
    this.#last = answer.catch(() => {});
    return answer;
  }

  #connection(): Promise<pg.PoolClient> {
    if (this.#client) return this.#client;
    const connecting = this.#pool.connect();
    this.#client = connecting;
    const forget = () => {
      if (this.#client === connecting) this.#client = undefined;
    };
    connecting.then((client) => {
      client.once('error', () => {
        // Given back already; only its farewell to the database came too late.
        if (this.#client !== connecting) return;
        forget();
        this.#lost.abort();
        this.#lost = new AbortController();
        client.release(true);
      });
    }, forget);
    return connecting;
  }
}

export class LockBusy extends Error {
  constructor(name: string) {
    super(`Somebody else has the ${name}`);
    this.name = 'LockBusy';
  }
}

/** Advisory locks are numbers; this much of a hash does not meet another one by chance. */
function numberOf(name: string): string {
  return createHash('sha256').update(name).digest().readBigInt64LE(0).toString();
}
