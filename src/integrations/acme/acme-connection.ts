import type { KeyObject } from 'node:crypto';
import type { Outbound, OutboundAnswer } from '#core/outbound.ts';
import { signMessage } from './jws.ts';

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 256 * 1024;
const NONCES = 32;
const NONCE_TRIES = 5;
const LONGEST_PAUSE_MS = 8 * 86_400_000;

/** What the authority said in place of an answer (RFC 7807). */
export class AcmeProblem extends Error {
  /** The last part of its type, such as `rateLimited`. */
  readonly kind: string;
  readonly retryAfterMs: number | undefined;
  constructor(kind: string, message: string, retryAfterMs?: number) {
    super(message);
    this.name = 'AcmeProblem';
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}

export interface Directory {
  newNonce: string;
  newAccount: string;
  newOrder: string;
  renewalInfo?: string;
}

export interface AcmeAnswer<T> {
  body: T;
  text: string;
  location: string | undefined;
  retryAfterMs: number | undefined;
}

/** Signed requests to one authority in the name of one account. Nonces are used once and kept until then. */
export class AcmeConnection {
  readonly #outbound: Outbound;
  readonly #directoryUrl: string;
  readonly key: KeyObject;
  account: string | undefined;
  readonly #nonces: string[] = [];
  #directory: Promise<Directory> | undefined;

  constructor(outbound: Outbound, directoryUrl: string, key: KeyObject, account?: string) {
    this.#outbound = outbound;
    this.#directoryUrl = directoryUrl;
    this.key = key;
    this.account = account;
  }

  directory(): Promise<Directory> {
    this.#directory ??= this.get<Directory>(this.#directoryUrl).then(({ body }) => body);
    this.#directory.catch(() => {
      this.#directory = undefined;
    });
    return this.#directory;
  }

  async get<T>(url: string): Promise<AcmeAnswer<T>> {
    return read<T>(await this.#outbound.fetch(url, { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, redirects: 3 }));
  }

  async post<T>(url: string, payload?: unknown): Promise<AcmeAnswer<T>> {
    for (let left = NONCE_TRIES; ; left--) {
      const nonce = this.#nonces.pop() ?? (await this.#newNonce());
      const answer = await this.#outbound.fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/jose+json' },
        body: signMessage(this.key, { url, nonce, account: this.account }, payload),
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_BYTES,
      });
      this.#keepNonce(answer);
      try {
        return read<T>(answer);
      } catch (error) {
        if (!(error instanceof AcmeProblem) || error.kind !== 'badNonce' || left <= 1) throw error;
      }
    }
  }

  async #newNonce(): Promise<string> {
    const { newNonce } = await this.directory();
    const { headers } = await this.#outbound.fetch(newNonce, {
      method: 'HEAD',
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
    });
    const nonce = headers['replay-nonce'];
    if (typeof nonce !== 'string') throw new AcmeProblem('malformed', 'The authority gave no nonce.');
    return nonce;
  }

  #keepNonce({ headers }: OutboundAnswer): void {
    const nonce = headers['replay-nonce'];
    if (typeof nonce === 'string' && this.#nonces.length < NONCES) this.#nonces.push(nonce);
  }
}

function read<T>({ status, headers, body }: OutboundAnswer): AcmeAnswer<T> {
  const text = body.toString();
  const isJson = /\bjson\b/.test(headers['content-type'] ?? '');
  const retryAfterMs = pauseOf(headers['retry-after']);
  if (status >= 400) {
    const problem = isJson ? (JSON.parse(text) as { type?: string; detail?: string }) : {};
    const kind = problem.type?.split(':').at(-1) ?? (status === 429 ? 'rateLimited' : 'serverInternal');
    throw new AcmeProblem(kind, problem.detail ?? `The authority answered with status ${status}.`, retryAfterMs);
  }
  return { body: (isJson ? JSON.parse(text) : undefined) as T, text, location: headers.location, retryAfterMs };
}

/** Seconds, or a date. */
function pauseOf(retryAfter: string | undefined): number | undefined {
  if (retryAfter === undefined) return undefined;
  const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), LONGEST_PAUSE_MS);
}
