import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { visit } from '#testkit/clients/visit.ts';

const PAUSE_MS = 10;
/** Above whatever shakes the platform: the visitor stands for somebody with a machine of their own. */
const PRIORITY = -10;

/** How long one look at the page took; nothing where there was no answer, or none of the cache. */
interface Look {
  isAnswered: boolean;
  cachedMs?: number;
}

/** A neighbour's visitor, who looks at a page from the cache again and again. In a process of its own, so that it waits for the service alone. */
export class Neighbour {
  calmMs: number[] = [];
  shakenMs: number[] = [];
  failures = 0;
  #isShaken = false;
  readonly #visitor: ChildProcess;

  constructor(url: string, fqdn: string) {
    this.#visitor = fork(import.meta.filename, [url, fqdn], { execArgv: ['--disable-warning=ExperimentalWarning'] });
    this.#visitor.on('message', ({ isAnswered, cachedMs }: Look) => {
      if (!isAnswered) this.failures++;
      else if (cachedMs !== undefined) (this.#isShaken ? this.shakenMs : this.calmMs).push(cachedMs);
    });
  }

  shake(): void {
    this.#isShaken = true;
  }

  async leave(): Promise<void> {
    this.#visitor.disconnect();
    await once(this.#visitor, 'exit');
  }
}

async function lookOn(url: string, fqdn: string): Promise<void> {
  while (process.connected) {
    const begunMs = performance.now();
    const seen = await visit({ url }, fqdn, '/').catch(() => undefined);
    const tookMs = performance.now() - begunMs;
    const look: Look = { isAnswered: seen?.status === 200 };
    if (seen?.headers['x-cache'] === 'HIT') look.cachedMs = tookMs;
    if (process.connected) process.send?.(look);
    await sleep(PAUSE_MS);
  }
}

const [url, fqdn] = process.argv.slice(2);
if (import.meta.main && url && fqdn) {
  setPriority(PRIORITY);
  await lookOn(url, fqdn);
}
