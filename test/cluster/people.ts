import { setTimeout as sleep } from 'node:timers/promises';
import type { Fleet } from './fleet.ts';

/** Visitors who look at sites ten times a second, one page in two from WordPress itself. */
export class Visitors {
  readonly #fleet: Fleet;
  readonly #stop = new AbortController();
  readonly #going: Promise<void>[];
  looks = 0;
  readonly failed: string[] = [];
  slowestMs = 0;
  lastFailureMs = 0;

  constructor(fleet: Fleet, names: string[]) {
    this.#fleet = fleet;
    this.#going = names.flatMap((name) => [
      this.#look(name, () => '/'),
      this.#look(name, () => `/?s=${Math.random()}`),
    ]);
  }

  async #look(name: string, path: () => string): Promise<void> {
    while (!this.#stop.signal.aborted) {
      this.looks++;
      const answer = await this.#fleet.visit(name, path(), 30_000).catch((error: Error) => error);
      const isFine = !(answer instanceof Error) && answer.status === 200;
      if (isFine) this.slowestMs = Math.max(this.slowestMs, answer.ms);
      else {
        this.lastFailureMs = performance.now();
        this.failed.push(answer instanceof Error ? answer.message : `${answer.status}: ${answer.text.slice(0, 100)}`);
      }
      await sleep(200);
    }
  }

  async leave() {
    this.#stop.abort();
    await Promise.all(this.#going);
    const { looks, failed, slowestMs, lastFailureMs } = this;
    return { looks, failed, slowestMs, lastFailureMs };
  }
}

interface Write {
  path: string;
  text: string;
  /** When it was acknowledged. */
  at: number;
}

/** Somebody who uploads one file after another, and remembers what was taken. */
export class Writer {
  readonly #fleet: Fleet;
  readonly #fqdn: string;
  readonly #writes: Write[] = [];
  readonly #going: Promise<void>;
  #isStopped = false;

  constructor(fleet: Fleet, fqdn: string) {
    this.#fleet = fleet;
    this.#fqdn = fqdn;
    this.#going = this.#write();
  }

  get count(): number {
    return this.#writes.length;
  }

  async #write(): Promise<void> {
    for (let number = 0; !this.#isStopped; number++) {
      const [path, text] = [`uploads/kept-${number}.txt`, `write ${number}`];
      const params = { fqdn: this.#fqdn };
      const taken = await this.#fleet.api
        .uploadSiteFile({ params, query: { path }, body: new Blob([text]), signal: AbortSignal.timeout(20_000) })
        .then(() => true)
        .catch(() => false);
      if (taken && !this.#isStopped) this.#writes.push({ path, text, at: Date.now() });
      await sleep(500);
    }
  }

  async stop(): Promise<{ acknowledged: number }> {
    this.#isStopped = true;
    await Promise.race([this.#going, sleep(1_000)]);
    return { acknowledged: this.#writes.length };
  }

  /** What was acknowledged and is not there. */
  async lost(): Promise<Write[]> {
    const lost: Write[] = [];
    for (const write of this.#writes) {
      const seen = await this.#fleet.visit(this.#fqdn, `/wp-content/${write.path}`);
      if (seen.text !== write.text) lost.push(write);
    }
    return lost;
  }
}
