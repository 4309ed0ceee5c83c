import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '#testkit/random.ts';

/** A change that somebody asked for, and what became known of it. Each carries a text that no other one has. */
export interface Write {
  kind: 'ticket' | 'reply' | 'invite' | 'team';
  mark: string;
  teamId: string;
  /** With a key it is repeated until it is acknowledged; without one it is left in doubt when the answer is lost. */
  key: string | undefined;
  acknowledged: boolean;
  attempts: number;
}

/** Everything that was asked for, and every answer that should not have been. */
export interface Ledger {
  writes: Write[];
  faults: string[];
}

const PASSWORD = 'a password for the kill proof';
const PAUSE_MS = 15;
const RETRY_MS = 50;
const TIMEOUT_MS = 20_000;

interface Request {
  method: 'POST' | 'PATCH';
  path: string;
  body: object;
}

/** Somebody with a team of their own who writes one thing after another, whatever happens to the service. */
export class Writer {
  readonly #api: string;
  readonly #ledger: Ledger;
  readonly #token: string;
  readonly #teamId: string;
  readonly #random: Random;
  #ticketId: string | undefined;
  #stopped = false;
  #givenUp = false;
  #running: Promise<void> | undefined;

  private constructor(api: string, ledger: Ledger, token: string, teamId: string, random: Random) {
    this.#api = api;
    this.#ledger = ledger;
    this.#token = token;
    this.#teamId = teamId;
    this.#random = random;
  }

  static async signUp(url: string, ledger: Ledger, name: string, random: Random): Promise<Writer> {
    const api = `${url}/f/api/v1`;
    const email = `${name}@writers.example`;
    await call(api, 'POST', '/register', { email, password: PASSWORD, first_name: name, last_name: 'Writer' });
    const grant = await call(api, 'POST', '/token', { username: email, password: PASSWORD });
    const token = String(grant.body.access_token);
    const teams = await call(api, 'GET', '/team', undefined, { authorization: `Bearer ${token}` });
    const [team] = teams.body.results as { id: string }[];
    return new Writer(api, ledger, token, team?.id as string, random);
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Resolves when the last write is acknowledged or in doubt. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  /** Ends at once, also in the middle of repeating a write: there is nobody left to answer. */
  giveUp(): void {
    this.#stopped = true;
    this.#givenUp = true;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      const write = this.#next();
      this.#ledger.writes.push(write);
      await this.#perform(write);
      await sleep(this.#random.below(PAUSE_MS));
    }
  }

  #next(): Write {
    const dice = this.#random.fraction();
    const kind = dice < 0.3 ? 'ticket' : dice < 0.5 && this.#ticketId ? 'reply' : dice < 0.8 ? 'invite' : 'team';
    const key = kind !== 'team' && this.#random.below(2) === 0 ? randomUUID() : undefined;
    return { kind, mark: randomUUID(), teamId: this.#teamId, key, acknowledged: false, attempts: 0 };
  }

  #toRequest({ kind, mark }: Write, ticketId: string | undefined): Request {
    switch (kind) {
      case 'ticket':
        return {
          method: 'POST',
          path: '/support/ticket',
          body: { team_id: this.#teamId, subject: mark, description: 'x' },
        };
      case 'reply':
        return { method: 'POST', path: `/support/ticket/${ticketId}/reply`, body: { description: mark } };
      case 'invite':
        return {
          method: 'POST',
          path: `/team/${this.#teamId}/invite`,
          body: { target_email: `${mark}@invited.example`, first_name: 'Guest' },
        };
      case 'team':
        return { method: 'PATCH', path: `/team/${this.#teamId}`, body: { name: mark } };
    }
  }

  async #perform(write: Write): Promise<void> {
    const request = this.#toRequest(write, this.#ticketId);
    const body = await this.#untilKnown(write, request);
    if (!body) return;
    write.acknowledged = true;
    if (write.kind === 'ticket') this.#ticketId = String(body.id);
    // Some come back with a key that was answered long ago: the answer must be that one, and the effect no second one.
    if (write.key === undefined || this.#random.fraction() > 0.2) return;
    const again = await this.#untilKnown(write, request);
    try {
      assert.deepEqual(again, body);
    } catch {
      this.#ledger.faults.push(`${write.kind} ${write.mark}: repeating its key brought another answer`);
    }
  }

  /** The answer's body, or undefined when the write has no key and its answer was lost. */
  async #untilKnown(write: Write, { method, path, body }: Request): Promise<Record<string, unknown> | undefined> {
    const headers = {
      authorization: `Bearer ${this.#token}`,
      ...(write.key !== undefined && { 'idempotency-key': write.key }),
    };
    while (!this.#givenUp) {
      write.attempts++;
      const answer = await call(this.#api, method, path, body, headers).catch(() => undefined);
      if (answer?.status === 200) return answer.body;
      const isLost = answer === undefined || answer.status === 503;
      const stillRuns = answer?.status === 409 && answer.body.code === 'idempotency.in_progress';
      if (!isLost && !stillRuns) {
        this.#ledger.faults.push(`${write.kind} ${write.mark}: ${answer.status} ${JSON.stringify(answer.body)}`);
        return undefined;
      }
      await sleep(RETRY_MS);
      if (write.key === undefined) return undefined;
    }
    return undefined;
  }
}

async function call(
  api: string,
  method: string,
  path: string,
  body: object | undefined,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${api}${path}`, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
