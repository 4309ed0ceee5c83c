import { seesSecrets } from '#core/auth/caller.ts';
import { hashToken } from '#core/auth/tokens.ts';
import { inTransaction } from '#core/db/database.ts';
import { requestInvalid } from '#core/errors.ts';
import type { Services } from '#core/services.ts';
import { type Admission, admitAgain } from './admission.ts';
import { helpWith } from './answers.ts';
import { checkDeclared, checkGoesOn } from './declared.ts';
import {
  type Answer,
  aloneWithKey,
  answerOnce,
  findAnswer,
  hashRequest,
  type KeyedRequest,
  readKey,
  sendOnce,
} from './idempotency.ts';
import { type Call, canKeepAnswer, keepsAnswer, type Operation } from './operation.ts';
import { addressKey } from './rate-limits.ts';
import type { Incoming } from './read-call.ts';

/** The end of the way: does what was asked, once under a key, and waits for what goes on where the caller would rather. */
export async function answerCall(
  services: Services,
  operation: Operation,
  admission: Admission,
  call: Call,
  incoming: Incoming,
): Promise<Pick<Answer, 'status' | 'body'>> {
  const keyed = readKeyed(services, operation, admission, incoming);
  const answer = await prepareAndPerform(services, operation, call, keyed, admission);
  if (!incoming.takesCookies) delete answer.headers['set-cookie'];
  if (answer.replayed) incoming.show({ 'idempotent-replayed': 'true' });
  else checkAnswer(operation, answer, incoming.log);
  const eventId = operation.goesOn && (await waitIfPreferred(services, answer, incoming));
  const { status, body } = answer;
  const { reread } = operation;
  incoming.show(answer.headers);
  if (status !== 200) incoming.show(helpWith({ code: codeOf(answer) }));
  if (eventId === undefined || !reread || status !== 200) return { status, body };
  call.db = services.db;
  return { status, body: await reread(call, { body, eventId }) };
}

/** A refusal that is kept under a key is no error any more when it gets here. */
function checkAnswer(operation: Operation, { status, headers, body }: Answer, log: Services['log']): void {
  if (status !== 200) {
    checkDeclared(operation, { code: codeOf({ body }), status }, log);
  }
  if (headers['operation-id'] !== undefined) checkGoesOn(operation, log);
}

/** A 422 that is only about fields has none. */
function codeOf({ body }: Pick<Answer, 'body'>): string {
  return (body as { code?: string }).code ?? requestInvalid.code;
}

/** What was answered already needs no preparation, which may no longer be possible. */
async function prepareAndPerform(
  services: Services,
  operation: Operation,
  call: Call,
  keyed: KeyedRequest | undefined,
  admission: Admission,
): Promise<Answer> {
  const { prepare } = operation;
  if (!prepare) return perform(services, operation, call, keyed);
  const { db, secrets } = services;
  const work = async () => {
    const sendsOnce = keyed && operation.changesElsewhere?.(call);
    call.prepared = await (sendsOnce ? sendOnce(db, secrets, keyed, () => prepare(call)) : prepare(call));
    await admitAgain(services, operation, admission, call);
    return perform(services, operation, call, keyed);
  };
  if (!keyed) return work();
  return aloneWithKey(services.locks, keyed, async () => (await findAnswer(db, secrets, keyed)) ?? work());
}

/** Runs the operation: reads on the pool, changes in a transaction, a keyed POST at most once. */
async function perform(
  services: Services,
  operation: Operation,
  call: Call,
  keyed: KeyedRequest | undefined,
): Promise<Answer> {
  const run = async (db: Call['db']) => {
    call.db = db;
    const body = await operation.handle?.(call);
    const type = operation.produces && { 'content-type': `${operation.produces}; charset=utf-8` };
    const cookies = call.cookies.length > 0 && { 'set-cookie': call.cookies };
    return { status: 200, headers: { ...call.headers, ...type, ...cookies }, body, sessionId: call.sessionId };
  };
  if (operation.method === 'GET' || operation.transaction === false)
    return { ...(await run(services.db)), replayed: false };

  return inTransaction(services.db, async (tx) => {
    if (!keyed) return { ...(await run(tx)), replayed: false };
    return answerOnce(tx, services.secrets, keyed, () => run(tx));
  });
}

function readKeyed(
  services: Services,
  operation: Operation,
  { caller, asker }: Admission,
  { idempotencyKey, keepsAny, url, body, ip }: Incoming,
): KeyedRequest | undefined {
  if (!(keepsAny ? canKeepAnswer : keepsAnswer)(operation)) return undefined;
  const key = readKey(idempotencyKey);
  if (key === undefined) return undefined;
  const hashes = hashRequest(services.secrets, operation.method, url, body.raw);
  if (operation.access.who !== 'anyone' && caller) {
    // An answer may hold what a narrower token of the same person is not shown.
    return { caller: `${caller.userId}${seesSecrets(caller) ? '' : ' without secrets'}`, key, hashes, by: caller };
  }
  // What anyone may call can end the very credentials that came along, and whoever lost its answer has no others.
  const shown = asker.tokens.map((token) => ` ${hashToken(token).toString('base64url')}`);
  return { caller: `address ${addressKey(ip)}${shown.join('')}`, key, hashes, by: undefined };
}

const LONGEST_WAIT_SECONDS = 60;

/** The caller would rather wait for the work than come back for it (RFC 7240). Returns the event that was waited for. */
async function waitIfPreferred(
  { events }: Services,
  { headers }: Answer,
  { waitSeconds, follow, show }: Incoming,
): Promise<string | undefined> {
  const eventId = headers['operation-id'];
  if (typeof eventId !== 'string') return undefined;
  if (follow) {
    await follow(eventId);
    return eventId;
  }
  if (waitSeconds === undefined) return undefined;
  const seconds = Math.min(LONGEST_WAIT_SECONDS, waitSeconds);
  show({ 'preference-applied': `wait=${seconds}` });
  await events.waitUntilFinished(eventId, seconds * 1000);
  return eventId;
}
