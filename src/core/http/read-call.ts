import type { Caller } from '#core/auth/caller.ts';
import { type Fault, invalid, unauthenticated } from '#core/errors.ts';
import { toPage } from '#core/pages.ts';
import { checkReach } from '#core/policy.ts';
import type { Services } from '#core/services.ts';
import type { Admission, Show } from './admission.ts';
import type { Body } from './body.ts';
import type { Call, Operation } from './operation.ts';
import { readersOf } from './readers.ts';
import type { Reader } from './validation.ts';

/** A call as it came, over HTTP or from within. */
export interface Incoming {
  /** Path and query, as on the platform's own address. */
  url: string;
  query: unknown;
  body: Body;
  idempotencyKey: string | string[] | undefined;
  /** True where the answer is kept under the key also for what is no POST. */
  keepsAny: boolean;
  /** How long the caller would rather wait for work that goes on. */
  waitSeconds: number | undefined;
  /** Waits for it instead, as long as whoever acts for the caller sees fit. */
  follow: ((eventId: string) => Promise<void>) | undefined;
  ip: string;
  gone(): AbortSignal;
  device: string | undefined;
  userAgent: string | undefined;
  authorization: string | undefined;
  /** False where a page of another site would have its own session put into the visitor's browser. */
  takesCookies: boolean;
  log: Services['log'];
  show: Show;
}

/** The second half of the way: query and body, and what they name. */
export async function readCall(
  services: Services,
  operation: Operation,
  admission: Admission,
  incoming: Incoming,
): Promise<Call> {
  const readers = readersOf(operation);
  const faults: Fault[] = [];
  const query = (readers.query?.(incoming.query, faults) ?? {}) as Record<string, unknown>;
  const body = readBody(operation, readers.body, incoming.body, faults);
  if (faults.length > 0) throw invalid(...faults);

  const { access } = operation;
  let { subject } = admission;
  if (access.named && access.named !== 'path' && admission.caller) {
    const named = access.named === 'query' ? query : (body as Record<string, unknown>);
    subject = await access.find?.(services.db, admission.caller, named, services.config);
    checkReach(access, admission.caller, operation.method);
  }

  const { ip, device, userAgent, authorization, gone, log } = incoming;
  return {
    params: admission.params,
    query,
    body,
    subject,
    tokens: admission.asker.tokens,
    device,
    userAgent,
    authorization,
    db: services.db,
    services,
    ip,
    gone,
    log,
    get caller(): Caller {
      if (!admission.caller) throw unauthenticated();
      return admission.caller;
    },
    callerIfAny: admission.caller,
    prepared: undefined,
    headers: {},
    sessionId: undefined,
    cookies: [],
    page: (paging, count, results) => toPage(ownUrl(services, incoming.url), paging, count, results),
  };
}

/** The call's address on the platform. A request may name a whole URL, and what host that has is not ours to repeat. */
function ownUrl({ config: { baseUrl } }: Services, url: string): URL {
  const { pathname, search } = new URL(url, baseUrl);
  return Object.assign(new URL(baseUrl), { pathname, search });
}

function readBody(operation: Operation, read: Reader | undefined, body: Body, faults: Fault[]): unknown {
  const accepts = operation.accepts ?? ['json'];
  if (accepts.includes('bytes')) return body;
  if (accepts.includes('stream')) return requireStream(body, faults);
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

function requireStream(body: Body, faults: Fault[]): unknown {
  if (body.kind === 'none') faults.push({ loc: ['body'], msg: 'Field required', type: 'missing' });
  return body.value;
}

function requireXml(body: Body, faults: Fault[]): Body {
  if (body.kind === 'none') faults.push({ loc: ['body'], msg: 'Field required', type: 'missing' });
  else if (body.kind !== 'xml') {
    const msg = 'Value error, the body must be sent as text/xml or application/xml';
    faults.push({ loc: ['body'], msg, type: 'value_error' });
  }
  return body;
}
