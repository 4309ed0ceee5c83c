import type { KeyObject } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type AcmeConnection, AcmeProblem } from './acme-connection.ts';
import { keyAuthorization } from './jws.ts';
import { makeRequest } from './x509.ts';

export { AcmeConnection, AcmeProblem } from './acme-connection.ts';

export type ChallengeType = 'http-01' | 'tls-alpn-01' | 'dns-01';

/** Where the authority will look, and what it must find there. */
interface Challenge {
  name: string;
  type: ChallengeType;
  token: string;
  keyAuthorization: string;
}

/** Puts the answer to a challenge where the authority looks; resolves, once it is there, with what takes it away. */
type AnswerChallenge = (challenge: Challenge) => Promise<() => Promise<void>>;

interface Problem {
  type?: string;
  detail?: string;
}
interface Order {
  status: 'pending' | 'ready' | 'processing' | 'valid' | 'invalid';
  authorizations: string[];
  finalize: string;
  certificate?: string;
  error?: Problem;
}
interface Authorization {
  status: string;
  identifier: { value: string };
  challenges: { type: string; url: string; token: string; status: string; error?: Problem }[];
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
const PATIENCE_MS = 120_000;

/** Makes the account, or finds it where the key has one already. */
export async function register(connection: AcmeConnection, email: string | undefined): Promise<string> {
  const { newAccount } = await connection.directory();
  const contact = email === undefined ? {} : { contact: [`mailto:${email}`] };
  const { location } = await connection.post(newAccount, { termsOfServiceAgreed: true, ...contact });
  if (!location) throw new AcmeProblem('malformed', 'The authority named no account.');
  connection.account = location;
  return location;
}

export interface Wanted {
  name: string;
  /** The key of the certificate. */
  key: KeyObject;
  /** Which way the authority is to look, the best first. */
  types: readonly ChallengeType[];
  /** The certificate that this one takes the place of (RFC 9773). */
  replaces?: string | undefined;
  answer: AnswerChallenge;
  signal: AbortSignal;
}

/** The whole way of RFC 8555 for one name, from the order to the chain, which is returned as PEM. */
export async function obtainCertificate(connection: AcmeConnection, wanted: Wanted): Promise<string> {
  const { location, body: order } = await newOrder(connection, wanted);
  if (!location) throw new AcmeProblem('malformed', 'The authority named no order.');
  if (order.status === 'pending') for (const url of order.authorizations) await authorize(connection, url, wanted);
  const ready = await poll<Order>(connection, location, wanted.signal, ({ status }) => status !== 'pending');
  if (ready.status === 'ready')
    await connection.post(ready.finalize, { csr: makeRequest([wanted.name], wanted.key).toString('base64url') });
  const done = await poll<Order>(
    connection,
    location,
    wanted.signal,
    ({ status }) => status === 'valid' || status === 'invalid',
  );
  if (!done.certificate) throw problemOf(done.error, 'The authority gave up on the order.');
  return (await connection.post(done.certificate)).text;
}

async function newOrder(connection: AcmeConnection, { name, replaces }: Wanted) {
  const url = (await connection.directory()).newOrder;
  const order = { identifiers: [{ type: 'dns', value: name }] };
  if (replaces !== undefined)
    try {
      return await connection.post<Order>(url, { ...order, replaces });
    } catch (error) {
      // It was replaced before, or the authority does not know it any more: then it is an order like any other.
      const isRefused = error instanceof AcmeProblem && ['alreadyReplaced', 'malformed'].includes(error.kind);
      if (!isRefused) throw error;
    }
  return connection.post<Order>(url, order);
}

async function authorize(connection: AcmeConnection, url: string, wanted: Wanted): Promise<void> {
  const { body: authorization } = await connection.post<Authorization>(url);
  if (authorization.status === 'valid') return;
  const offered = wanted.types.flatMap((type) => authorization.challenges.find((each) => each.type === type) ?? []);
  const challenge = offered[0];
  if (!challenge) throw new AcmeProblem('unsupported', 'The authority offers no way to prove the name that we know.');
  const remove = await wanted.answer({
    name: authorization.identifier.value,
    type: challenge.type as ChallengeType,
    token: challenge.token,
    keyAuthorization: keyAuthorization(challenge.token, connection.key),
  });
  try {
    await connection.post(challenge.url, {});
    const end = await poll<Authorization>(connection, url, wanted.signal, ({ status }) => status !== 'pending');
    if (end.status === 'valid') return;
    throw problemOf(end.challenges.find(({ error }) => error)?.error, 'The authority could not check the name.');
  } finally {
    await remove();
  }
}

async function poll<T>(
  connection: AcmeConnection,
  url: string,
  signal: AbortSignal,
  isOver: (body: T) => boolean,
): Promise<T> {
  const startedAtMs = performance.now();
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const { body, retryAfterMs = 0 } = await connection.post<T>(url);
    if (isOver(body)) return body;
    if (performance.now() - startedAtMs > PATIENCE_MS)
      throw new AcmeProblem('timeout', 'The authority took too long; it is asked again later.');
    await pause(Math.max(pauseMs, Math.min(retryAfterMs, LONGEST_PAUSE_MS)), undefined, { signal });
  }
}

const problemOf = ({ type, detail }: Problem = {}, otherwise: string) =>
  new AcmeProblem(type?.split(':').at(-1) ?? 'serverInternal', detail ?? otherwise);
