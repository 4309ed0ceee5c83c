import { AcmeProblem } from '#integrations/acme/acme.ts';

/** Times of renewals and retries. Both have jitter, so that certificates issued together are renewed apart. */
const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;
/** After the first failure, three times as long after each further one: within the few an hour that authorities allow. */
const FIRST_PAUSE_MS = 2 * MINUTE_MS;
const LONGEST_PAUSE_MS = DAY_MS / 2;
export const JITTER = 0.25;
/** The share of its life that a certificate is served before it is renewed. */
const RENEW_AFTER = 2 / 3;
const SPREAD = 0.03;

/** `random` is from 0 up to 1. */
export function chooseRenewal(notBefore: Date, notAfter: Date, random = Math.random()): Date {
  const life = notAfter.getTime() - notBefore.getTime();
  return new Date(notBefore.getTime() + life * (RENEW_AFTER - SPREAD * random));
}

/** Returns the pause before a retry: exponential backoff, but at least what the authority asks for. */
export function choosePause(failures: number, error: unknown, random = Math.random()): number {
  const asked = error instanceof AcmeProblem ? (error.retryAfterMs ?? 0) : 0;
  const isLimit = error instanceof AcmeProblem && error.kind === 'rateLimited';
  const own = Math.min(FIRST_PAUSE_MS * 3 ** Math.min(failures, 10), LONGEST_PAUSE_MS);
  return (isLimit && asked > 0 ? asked : Math.max(asked, own)) * (1 + JITTER * random);
}
