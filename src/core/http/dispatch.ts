import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Caller, seesSecrets } from '#core/auth/caller.ts';
import { hashToken } from '#core/auth/tokens.ts';
import { inTransaction } from '#core/db/database.ts';
import { type Fault, invalid, requestInvalid, unauthenticated } from '#core/errors.ts';
import { toPage } from '#core/pages.ts';
import { type Access, checkCaller, checkReach, checkSignedIn, opens } from '#core/policy.ts';
import type { Services } from '#core/services.ts';
import { type Body, bodyOf } from './body.ts';
import { readCookies } from './cookies.ts';
import { checkDeclared, checkGoesOn } from './declared.ts';
import { duplicateCookie, foreignOrigin, tooMany } from './failures.ts';
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
import { API_PREFIX, type Call, keepsAnswer, type Operation } from './operation.ts';
import { addressKey, type LimitState } from './rate-limits.ts';
import { compileReader, type Reader } from './validation.ts';

/**
 * The way of a request, in the order that the decisions demand: sign-in, rate limit, path ids, what the path names,
 * and only then the query and the body. The first half runs before the body is even read.
 */
interface Admission {
  caller: Caller | undefined;
  /** What the caller is known by. */
  token: string | undefined;
  /** All that came and counts, known or not. */
  tokens: readonly string[];
  params: Record<string, unknown>;
  subject: unknown;
}

export function registerOperation(app: FastifyInstance, services: Services, operation: Operation): void {
  const readers = {
    path: operation.params && compileReader('path', operation.params),
    query: operation.query && compileReader('query', operation.query),
    body: operation.body && compileReader('body', operation.body),
  };
  app.route({
    method: operation.method,
    url: API_PREFIX + operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    config: { operation },
    bodyLimit: operation.bodyLimitBytes ?? 1024 * 1024,
    schema: operation.response ? { response: { 200: operation.response } } : {},
    onRequest: async (request, reply) => {
      request.admission = await admit(services, operation, readers.path, request, reply);
    },
    handler: async (request, reply) => {
      const admission = request.admission as Admission;
      // A body takes as long as its sender likes.
      if (operation.method !== 'GET') await admitAgain(services, operation, admission);
      const call = await readCall(services, operation, readers, request);
      if (operation.serve) return operation.serve(call, request, reply);
      const keyed = readKeyed(services, operation, request);
      const answer = await prepareAndPerform(services, operation, call, keyed, admission);
      // A page of another site must not put its own session into the visitor's browser.
      if (fromForeignOrigin(services, request)) delete answer.headers['set-cookie'];
      if (answer.replayed) reply.header('idempotent-replayed', 'true');
      else checkAnswer(operation, answer, request);
      const eventId = operation.goesOn && (await waitIfPreferred(services, answer, request, reply));
      const { body } = answer;
      const { reread } = operation;
      reply.headers(answer.headers).code(answer.status);
      if (eventId === undefined || !reread || answer.status !== 200) return reply.send(body);
      call.db = services.db;
      return reply.send(await reread(call, { body, eventId }));
    },
  });
}

/** A refusal that is kept under a key is no error any more when it gets here. */
function checkAnswer(operation: Operation, { status, headers, body }: Answer, { log }: FastifyRequest): void {
  if (status !== 200) {
    const { code = requestInvalid.code } = body as { code?: string };
    checkDeclared(operation, { code, status }, log);
  }
  if (headers['operation-id'] !== undefined) checkGoesOn(operation, log);
}

async function admit(
  services: Services,
  operation: Operation,
  readPath: Reader | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Admission> {
  const { access } = operation;
  const sessions = readCookies(services.config.baseUrl, 'session', request.headers.cookie);
  // Which of several is whose can not be told, so none counts.
  const session = sessions.length === 1 ? sessions[0] || undefined : undefined;
  const credential = readCredential(access, request, session);
  const asks = access.who !== 'anyone' || access.identifies;
  const caller = asks && credential ? await identify(services, access, credential.token, request) : undefined;
  limitRate(services, operation, caller, request, reply);
  if (!credential && sessions.length > 1 && access.who !== 'anyone') throw duplicateCookie();
  checkSignedIn(access, caller);
  operation.needs?.(services);

  const faults: Fault[] = [];
  const params = (readPath?.(request.params, faults) ?? {}) as Record<string, unknown>;
  if (faults.length > 0) throw invalid(...faults);

  const byCookie = credential?.fromCookie && operation.method !== 'GET';
  if (byCookie && access.who !== 'anyone' && !fromOwnOrigin(services, request)) throw foreignOrigin();
  if (caller) checkCaller(access, caller, operation.method);
  let subject: unknown;
  if (access.named === 'path' && caller) {
    subject = await access.find?.(services.db, caller, params, services.config);
    checkReach(access, caller, operation.method);
  }
  // Another site's page may not spend the visitor's session, be it only to end it.
  const cookieCounts = operation.method === 'GET' || !fromForeignOrigin(services, request);
  const known = cookieCounts || !credential?.fromCookie;
  const token = known ? credential?.token : undefined;
  const tokens = [...new Set([token, cookieCounts ? session : undefined].filter((each) => each !== undefined))];
  return { caller: known ? caller : undefined, token, tokens, params, subject };
}

/**
 * Rights that ended since a request was let in end it too: what it writes may last. A caller who is remembered unchanged
 * costs no query. Without a `call` the body has not been read yet, and so only what the path names is known.
 */
async function admitAgain(
  { credentials, db, config }: Services,
  { access, method }: Operation,
  admission: Admission,
  call?: Call,
): Promise<void> {
  const { caller: before, token } = admission;
  if (!before || !token) return;
  const found = await credentials.resolve(token);
  if (found === before) return;
  const caller = found && opens(access, found) ? found : undefined;
  admission.caller = caller;
  checkSignedIn(access, caller);
  if (!caller) return;
  checkCaller(access, caller, method);
  const named = access.named === 'path' ? admission.params : call && access.named && call[access.named];
  if (!named) return;
  await access.find?.(db, caller, named as Record<string, unknown>, config);
  checkReach(access, caller, method);
}

/** Guessing tokens is limited by itself, so that it costs no query beyond the limit. */
async function identify(
  services: Services,
  access: Access<unknown>,
  token: string,
  request: FastifyRequest,
): Promise<Caller | undefined> {
  const address = addressKey(request.ip);
  const state = services.limits.peek('badToken', address);
  if (state.exceeded) throw tooMany({ headers: { 'retry-after': String(state.resetSeconds) } });
  const caller = await services.credentials.resolve(token);
  if (!caller) services.limits.take('badToken', address);
  return caller && opens(access, caller) ? caller : undefined;
}

/** The credential that counts: a bearer token before the cookie. */
function readCredential(
  access: Access<unknown>,
  request: FastifyRequest,
  session: string | undefined,
): { token: string; fromCookie: boolean } | undefined {
  const bearer = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (bearer) return { token: bearer, fromCookie: false };
  return session && access.who !== 'bearer' ? { token: session, fromCookie: true } : undefined;
}

/** Another site's page may not spend the tries of the visitor's browser either. */
function readDeviceCookie(services: Services, request: FastifyRequest): string | undefined {
  if (fromForeignOrigin(services, request)) return undefined;
  const cookies = readCookies(services.config.baseUrl, 'device', request.headers.cookie);
  return cookies.length === 1 ? cookies[0] : undefined;
}

/** SameSite=Lax keeps other sites' posts out; this keeps out hosts that are no other site to a browser, as all of localhost. */
function fromOwnOrigin(services: Services, request: FastifyRequest): boolean {
  const { origin, host } = request.headers;
  if (origin === undefined || !URL.canParse(origin)) return false;
  return origin === new URL(services.config.baseUrl).origin || new URL(origin).host === host;
}

function fromForeignOrigin(services: Services, request: FastifyRequest): boolean {
  return request.headers.origin !== undefined && !fromOwnOrigin(services, request);
}

function limitRate(
  services: Services,
  operation: Operation,
  caller: Caller | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const name = operation.limit ?? (operation.method === 'GET' ? 'read' : 'write');
  const key = caller && !operation.limit ? caller.credential.id : addressKey(request.ip);
  showLimit(reply, services.limits.take(name, key));
}

export function showLimit(reply: FastifyReply, state: LimitState): void {
  reply
    .header('ratelimit-limit', state.limit)
    .header('ratelimit-remaining', state.remaining)
    .header('ratelimit-reset', state.resetSeconds);
  if (state.exceeded) throw tooMany({ headers: { 'retry-after': String(state.resetSeconds) } });
}

async function readCall(
  services: Services,
  operation: Operation,
  readers: { query: Reader | undefined; body: Reader | undefined },
  request: FastifyRequest,
): Promise<Call> {
  const admission = request.admission as Admission;
  const faults: Fault[] = [];
  const query = (readers.query?.(request.query, faults) ?? {}) as Record<string, unknown>;
  const body = readBody(operation, readers.body, bodyOf(request), faults);
  if (faults.length > 0) throw invalid(...faults);

  const { access } = operation;
  let { subject } = admission;
  if (access.named && access.named !== 'path' && admission.caller) {
    const named = access.named === 'query' ? query : (body as Record<string, unknown>);
    subject = await access.find?.(services.db, admission.caller, named, services.config);
    checkReach(access, admission.caller, operation.method);
  }

  const call: Call = {
    params: admission.params,
    query,
    body,
    subject,
    tokens: admission.tokens,
    device: readDeviceCookie(services, request),
    authorization: request.headers.authorization,
    db: services.db,
    services,
    ip: request.ip,
    log: request.log as Services['log'],
    get caller(): Caller {
      if (!admission.caller) throw unauthenticated();
      return admission.caller;
    },
    callerIfAny: admission.caller,
    prepared: undefined,
    headers: {},
    sessionId: undefined,
    cookies: [],
    page: (paging, count, results) => toPage(ownUrl(services, request), paging, count, results),
  };
  return call;
}

/** The request's address on the platform. A request may name a whole URL, and what host that has is not ours to repeat. */
function ownUrl({ config: { baseUrl } }: Services, request: FastifyRequest): URL {
  const { pathname, search } = new URL(request.url, baseUrl);
  return Object.assign(new URL(baseUrl), { pathname, search });
}

function readBody(operation: Operation, read: Reader | undefined, body: Body, faults: Fault[]): unknown {
  const accepts = operation.accepts ?? ['json'];
  if (accepts.includes('bytes')) return body;
  if (accepts.includes('xml')) return requireXml(body, faults);
  if (!read) return undefined;
  if (body.faults.length > 0) {
    faults.push(...body.faults);
    return undefined;
  }
  if (body.kind === 'none') {
    const required = (operation.body as { required?: string[] }).required ?? [];
    if (required.length === 0) return read({}, faults);
    faults.push({ loc: ['body'], msg: 'Field required', type: 'missing' });
    return undefined;
  }
  if (!accepts.includes(body.kind as 'json')) {
    const types = accepts.includes('form')
      ? 'application/json or application/x-www-form-urlencoded'
      : 'application/json';
    faults.push({ loc: ['body'], msg: `Value error, the body must be sent as ${types}`, type: 'value_error' });
    return undefined;
  }
  return read(body.value, faults);
}

function requireXml(body: Body, faults: Fault[]): Body {
  if (body.kind === 'none') faults.push({ loc: ['body'], msg: 'Field required', type: 'missing' });
  else if (body.kind !== 'xml') {
    const msg = 'Value error, the body must be sent as text/xml or application/xml';
    faults.push({ loc: ['body'], msg, type: 'value_error' });
  }
  return body;
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

function readKeyed(services: Services, operation: Operation, request: FastifyRequest): KeyedRequest | undefined {
  if (!keepsAnswer(operation)) return undefined;
  const key = readKey(request.headers['idempotency-key']);
  if (key === undefined) return undefined;
  const { caller, tokens } = request.admission as Admission;
  const hashes = hashRequest(services.secrets, request.method, request.url, bodyOf(request).raw);
  if (operation.access.who !== 'anyone' && caller) {
    // An answer may hold what a narrower token of the same person is not shown.
    return { caller: `${caller.userId}${seesSecrets(caller) ? '' : ' without secrets'}`, key, hashes, by: caller };
  }
  // What anyone may call can end the very credentials that came along, and whoever lost its answer has no others.
  const shown = tokens.map((token) => ` ${hashToken(token).toString('base64url')}`);
  return { caller: `address ${addressKey(request.ip)}${shown.join('')}`, key, hashes, by: undefined };
}

/** RFC 7240: the caller would rather wait for the work than come back for it. Returns the event that was waited for. */
async function waitIfPreferred(
  services: Services,
  answer: Answer,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string | undefined> {
  const eventId = answer.headers['operation-id'];
  const wanted = /(?:^|[,;\s])wait=(\d{1,4})(?:$|[,;\s])/i.exec(String(request.headers.prefer ?? ''))?.[1];
  if (typeof eventId !== 'string' || wanted === undefined) return undefined;
  const seconds = Math.min(60, Number(wanted));
  reply.header('preference-applied', `wait=${seconds}`);
  await services.events.waitUntilFinished(eventId, seconds * 1000);
  return eventId;
}

declare module 'fastify' {
  interface FastifyRequest {
    admission: Admission | undefined;
  }
  interface FastifyContextConfig {
    operation?: Operation;
  }
}
