import { randomUUID } from 'node:crypto';
import { parse } from 'node:querystring';
import { Readable } from 'node:stream';
import { type Caller, narrowed, SCOPES, type Scope } from '#core/auth/caller.ts';
import { opens } from '#core/policy.ts';
import type { Services } from '#core/services.ts';
import { type Asker, admit, asksWho, countCall, showLimit } from './admission.ts';
import { answerCall } from './answer-call.ts';
import { describeError } from './answers.ts';
import { type Body, readBody, streamedBody } from './body.ts';
import { tooLarge } from './failures.ts';
import type { Answer } from './idempotency.ts';
import { API_PREFIX, bodyLimitOf, type Operation, takesStream } from './operation.ts';
import { type Incoming, readCall } from './read-call.ts';
import { toWire } from './wire.ts';

/** What an operation is called with from within, as the SDK has it. */
export interface Input {
  params?: Record<string, string | number>;
  query?: Record<string, string | number | boolean | undefined>;
  /** An object, or bytes with what they are. */
  body?: object | { bytes: Buffer; contentType: string };
  idempotencyKey?: string;
  /** The same whatever the method, for whoever may have to make the very call again: a second PATCH would find its own change done. */
  onceAs?: string;
  /** How long to wait for work that goes on after the answer. */
  waitSeconds?: number;
  /** Waits for it instead, knowing its event: for whoever tells how far it is meanwhile. The answer comes when it resolves. */
  follow?: (eventId: string) => Promise<void>;
  /** The address of whoever asked for it: some limits count by it. */
  ip: string;
  signal?: AbortSignal;
  /** As with a token of the caller's that is bound to this team and may do no more than this, whatever else they may. */
  within?: { teamId?: string; scopes?: readonly Scope[] };
}

/**
 * Calls an operation from within, for whoever acts in the caller's name: with the same limits, policy, validation,
 * transaction and Idempotency-Key as over HTTP, and with the same answers and refusals. The caller is looked up anew, so
 * that rights which ended count no more, however long their holder has kept them.
 */
export async function invoke(
  services: Services,
  operation: Operation,
  caller: Caller | undefined,
  input: Input,
): Promise<Pick<Answer, 'status' | 'headers' | 'body'>> {
  if (!operation.handle) throw new TypeError(`${operation.id} answers by itself, over HTTP alone`);
  const headers: Answer['headers'] = {};
  try {
    const incoming = readInput(services, operation, input, (more) => Object.assign(headers, more));
    const asker = await renewed(services, operation, caller, input.within);
    showLimit(incoming.show, countCall(services, operation, asker.caller, incoming.ip));
    const admission = await admit(services, operation, asker, textOf(input.params));
    const call = await readCall(services, operation, admission, incoming);
    const { status, body } = await answerCall(services, operation, admission, call, incoming);
    return { status, headers, body: status === 200 ? toWire(operation, body) : body };
  } catch (error) {
    const refusal = describeError(
      error,
      input.onceAs === undefined ? operation : undefined,
      services.log,
      randomUUID(),
    );
    return { ...refusal, headers: { ...headers, ...refusal.headers } };
  }
}

/**
 * Whether a call would be let in and understood, without making it: nothing is done and nothing counts. It is the person who
 * is asked about and not their token: that may be one that can not make the call itself.
 */
export async function rehearse(
  services: Services,
  operation: Operation,
  caller: Caller,
  input: Input,
): Promise<{ status: 200; subject: unknown } | Pick<Answer, 'status' | 'body'>> {
  try {
    const incoming = readInput(services, operation, input, () => {});
    const asker = await renewed(services, operation, caller, input.within);
    const person = asker.caller && { ...asker.caller, credential: { ...asker.caller.credential, scopes: SCOPES } };
    const admission = await admit(services, operation, { ...asker, caller: person }, textOf(input.params));
    const { subject } = await readCall(services, operation, admission, incoming);
    return { status: 200, subject };
  } catch (error) {
    return describeError(error, operation, services.log, randomUUID());
  }
}

async function renewed(
  { credentials }: Services,
  operation: Operation,
  caller: Caller | undefined,
  within: Input['within'],
): Promise<Asker> {
  const renew = async () => {
    const found = caller && (await credentials.renew(caller));
    // Whoever was handed less than the credential has gets no more by it: an operation that calls others stays within what it was called with.
    const { teamId, scopes } = caller?.credential ?? {};
    const handed = found && narrowed(found, { ...(teamId && { teamId }), ...(scopes && { scopes }) });
    return handed && within ? narrowed(handed, within) : handed;
  };
  const found = asksWho(operation) ? await renew() : undefined;
  return { caller: found && opens(operation.access, found) ? found : undefined, renew, tokens: [], isForeign: false };
}

function readInput(services: Services, operation: Operation, input: Input, show: Incoming['show']): Incoming {
  const url = addressOf(operation, input);
  return {
    url,
    query: parse(url.split('?')[1] ?? ''),
    body: bodyFrom(operation, input.body),
    idempotencyKey: input.onceAs ?? input.idempotencyKey,
    keepsAny: input.onceAs !== undefined,
    waitSeconds: input.waitSeconds,
    follow: input.follow,
    ip: input.ip,
    gone: () => input.signal ?? new AbortController().signal,
    device: undefined,
    userAgent: undefined,
    authorization: undefined,
    takesCookies: true,
    log: services.log,
    show,
  };
}

/** As a client would ask for it, so that the same call has the same address whichever way it comes. */
export function addressOf({ path }: Operation, { params = {}, query = {} }: Pick<Input, 'params' | 'query'>): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.append(name, String(value));
  return `${API_PREFIX}${filled}${search.size > 0 ? `?${search}` : ''}`;
}

const textOf = (params: Input['params'] = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]));

function bodyFrom(operation: Operation, body: Input['body']): Body {
  const isBytes = body !== undefined && 'bytes' in body && Buffer.isBuffer(body.bytes);
  const bytes = isBytes ? body.bytes : Buffer.from(body === undefined ? '' : JSON.stringify(body));
  const contentType = isBytes ? String(body.contentType) : body === undefined ? '' : 'application/json';
  if (takesStream(operation) && bytes.length > 0)
    return streamedBody(Readable.from([bytes]), contentType, bytes.length);
  if (bytes.length > bodyLimitOf(operation)) throw tooLarge();
  return readBody(bytes, contentType, operation);
}
