import type { Route, Transport } from './client.ts';
import { sleep } from './sleep.ts';

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8_000;
/** Whoever is told to wait longer is told so, instead of seeming to hang. */
const LONGEST_RETRY_AFTER_SECONDS = 90;
const IN_PROGRESS = 'idempotency.in_progress';

export interface RetryOptions {
  /** How often a request is sent again; 3 unless said otherwise, 0 for never. */
  retries?: number;
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/**
 * Sends again what did not get through and what it was too early for. A POST gets an idempotency key, so that the second
 * one finds the first one's answer and nothing is done twice. What else changes something is sent again only when the
 * answer says that nothing was done.
 */
export function retrying({ retries = 3, fetch: given }: RetryOptions): Transport {
  return async (url, init, route) => {
    const repeatable = isRepeatable(route);
    if (route.method === 'POST' && repeatable) init.headers['idempotency-key'] ??= crypto.randomUUID();
    for (let attempt = 0; ; attempt++) {
      const isLast = attempt >= retries || isSpent(init.body);
      try {
        const response = await (given ?? fetch)(url, init);
        const waitMs = isLast ? undefined : await waitAfter(response, repeatable, attempt);
        if (waitMs === undefined) return response;
        await response.body?.cancel();
        await sleep(waitMs, init.signal);
      } catch (error) {
        if (isLast || !repeatable || init.signal?.aborted) throw error;
        await sleep(backoff(attempt), init.signal);
      }
    }
  };
}

const isRepeatable = ({ method, once }: Route) => method === 'GET' || method === 'HEAD' || (method === 'POST' && !once);
/** A stream is gone once it was read. */
const isSpent = (body: RequestInit['body']) => typeof ReadableStream === 'function' && body instanceof ReadableStream;

/** How long to wait before the next attempt, or undefined where the answer stands. */
async function waitAfter(response: Response, repeatable: boolean, attempt: number): Promise<number | undefined> {
  const { status, headers } = response;
  const after = secondsOf(headers.get('retry-after'));
  if (status === 429 || status === 503) {
    if (after !== undefined) return after <= LONGEST_RETRY_AFTER_SECONDS ? after * 1000 : undefined;
    return repeatable ? backoff(attempt) : undefined;
  }
  if ((status === 502 || status === 504) && repeatable) return backoff(attempt);
  // The first of our own attempts may still be at it.
  if (status === 409 && attempt > 0 && (await codeOf(response)) === IN_PROGRESS) return backoff(attempt);
  return undefined;
}

const codeOf = async (response: Response) =>
  (
    (await response
      .clone()
      .json()
      .catch(() => ({}))) as { code?: string }
  ).code;

function secondsOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

/** Twice as long each time, by chance a little less, so that many who failed together do not come back together. */
function backoff(attempt: number): number {
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt) * (0.75 + Math.random() / 4);
}
