import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { visit } from '#testkit/clients/visit.ts';

const TIMEOUT_MS = 30_000;
const RETRY_MS = 100;

/** What was acknowledged, known apart from the platform. */
export class Oracle {
  readonly tickets = new Set<string>();
  readonly files = new Map<string, string>();
  readonly faults: string[] = [];
  readonly #api: string;
  readonly #token: string;
  readonly #teamId: string;
  readonly #fqdn: string;

  constructor(api: string, token: string, teamId: string, fqdn: string) {
    this.#api = api;
    this.#token = token;
    this.#teamId = teamId;
    this.#fqdn = fqdn;
  }

  /** Somebody who writes one ticket after another, each until it is known to be there. */
  async writeTickets(stop: AbortSignal, pauseMs: number): Promise<void> {
    while (!stop.aborted) {
      const subject = randomUUID();
      const body = JSON.stringify({ team_id: this.#teamId, subject, description: 'x' });
      const headers = { 'content-type': 'application/json', 'idempotency-key': subject };
      if (await this.#untilTaken('POST', '/support/ticket', headers, body, stop)) this.tickets.add(subject);
      await sleep(pauseMs);
    }
  }

  /** Somebody who uploads files to their site. */
  async writeFiles(stop: AbortSignal): Promise<void> {
    for (let number = 0; !stop.aborted; number++) {
      const path = `uploads/kept-${number % 200}.txt`;
      const text = randomUUID();
      const query = `/site/${this.#fqdn}/file/upload?path=${encodeURIComponent(path)}&replace=true`;
      // While its answer is not known either text may be there.
      this.files.delete(path);
      const headers = { 'content-type': 'application/octet-stream' };
      if (await this.#untilTaken('POST', query, headers, text, stop)) this.files.set(path, text);
      await sleep(100);
    }
  }

  /** False where it was given up, and nobody knows. A refusal with another status than 503 or 409 is a fault. */
  async #untilTaken(
    method: string,
    path: string,
    more: Record<string, string>,
    body: string,
    stop: AbortSignal,
  ): Promise<boolean> {
    const headers = { authorization: `Bearer ${this.#token}`, ...more };
    while (!stop.aborted) {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const answer = await fetch(`${this.#api}${path}`, { method, headers, body, signal })
        .then(async (response) => ({ status: response.status, text: await response.text() }))
        .catch(() => undefined);
      if (answer?.status === 200 || answer?.status === 201) return true;
      if (answer && ![409, 502, 503].includes(answer.status))
        this.faults.push(`${method} ${path}: ${answer.status} ${answer.text.slice(0, 200)}`);
      await sleep(RETRY_MS);
    }
    return false;
  }

  /** What is missing of all that was acknowledged. */
  async findLost(url: string, rows: (text: string) => Promise<Record<string, unknown>[]>): Promise<string[]> {
    const kept = new Map<string, number>();
    for (const { subject, count } of await rows('select subject, count(*)::int as count from tickets group by 1'))
      kept.set(String(subject), Number(count));
    const lost = [...this.tickets]
      .filter((subject) => kept.get(subject) !== 1)
      .map((subject) => `ticket ${subject}: ${kept.get(subject) ?? 0} times`);
    for (const [path, text] of this.files) {
      const seen = await visit({ url }, this.#fqdn, `/wp-content/${path}`);
      if (seen.text !== text) lost.push(`file ${path}: ${seen.status} ${seen.text.slice(0, 60)}`);
    }
    return lost;
  }
}

export function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? 0;
}
