import type { FastifyRequest } from 'fastify';
import { type Caller, hasScope, type Resource } from '#core/auth/caller.ts';
import { type Access, opens } from '#core/policy.ts';
import type { Services } from '#core/services.ts';
import { type Asker, asksWho, countCall, type Show, showLimit } from './admission.ts';
import { readCookies, setCookie } from './cookies.ts';
import { duplicateCookie, tooMany } from './failures.ts';
import type { Operation } from './operation.ts';
import { addressKey } from './rate-limits.ts';

/** Finds out who sent a request, and counts it. */
export async function identify(
  services: Services,
  operation: Operation,
  request: FastifyRequest,
  show: Show,
): Promise<Asker> {
  const { access } = operation;
  const view = readBearer(request) === undefined ? await viewIn(services, request, show) : undefined;
  const sessions = readCookies(services.config.baseUrl, 'session', request.headers.cookie);
  // Which of several is whose can not be told, so none counts.
  const session = sessions.length === 1 ? sessions[0] || undefined : undefined;
  const credential = view ? { token: view.token, fromCookie: true } : readCredential(access, request, session);
  const find = async (token: string) => view?.caller ?? resolveFor(services, access, token, request);
  const caller = asksWho(operation) && credential ? await find(credential.token) : undefined;
  showLimit(show, countCall(services, operation, caller, request.ip));
  const isOpen = access.who === 'anyone';
  if (!credential && sessions.length > 1 && !isOpen) throw duplicateCookie();

  // A socket is more than a page of another site could read.
  const changes = operation.method !== 'GET' || operation.connect !== undefined;
  // Another site's page may not spend the visitor's session, be it only to end it.
  const cookieCounts = !changes || !fromForeignOrigin(services, request);
  const counts = cookieCounts || !credential?.fromCookie;
  const token = counts ? credential?.token : undefined;
  return {
    caller: counts || !isOpen ? caller : undefined,
    renew:
      token === undefined
        ? undefined
        : () => (view ? services.credentials.resolveView(token) : services.credentials.resolve(token)),
    tokens: [...new Set([token, cookieCounts ? session : undefined].filter((each) => each !== undefined))],
    isView: view !== undefined,
    isForeign: credential?.fromCookie === true && changes && !isOpen && !fromOwnOrigin(services, request),
  };
}

/** Whose account the operator at this browser looks at. A cookie that is good for nothing any more goes. */
async function viewIn(
  services: Services,
  request: FastifyRequest,
  show: Show,
): Promise<{ token: string; caller: Caller } | undefined> {
  const { baseUrl } = services.config;
  const [token, ...more] = readCookies(baseUrl, 'view', request.headers.cookie);
  if (!token || more.length > 0) return undefined;
  const caller = await resolve(services, token, request, undefined, true);
  if (caller) return { token, caller };
  show({ 'set-cookie': viewCookie(baseUrl, '', 0) });
  return undefined;
}

export const viewCookie = (baseUrl: string, value: string, maxAgeSeconds: number) =>
  setCookie(baseUrl, 'view', value, { maxAgeSeconds, sameSite: 'Strict' });

async function resolveFor(
  services: Services,
  access: Access<unknown>,
  token: string,
  request: FastifyRequest,
): Promise<Caller | undefined> {
  const caller = await resolve(services, token, request);
  return caller && opens(access, caller) ? caller : undefined;
}

/** Whoever shows a token that is for this resource or for everything, where it is no operation that is called. */
export async function identifyBearer(
  services: Services,
  request: FastifyRequest,
  resource: Resource,
): Promise<Caller | undefined> {
  const token = readBearer(request);
  const caller = token && (await resolve(services, token, request, resource));
  // One that only tells who somebody is has no scope at all.
  return caller && hasScope(caller, 'read') ? caller : undefined;
}

/** Guessing tokens is limited by itself, so that it costs no query beyond the limit. */
async function resolve(
  { limits, credentials, db }: Services,
  token: string,
  request: FastifyRequest,
  resource?: Resource,
  isView = false,
): Promise<Caller | undefined> {
  const address = addressKey(request.ip);
  const state = limits.peek('badToken', address);
  if (state.exceeded) throw tooMany({ headers: { 'retry-after': String(state.resetSeconds) } });
  const caller = await (isView
    ? credentials.resolveView(token, db)
    : credentials.resolve(token, db, { shownTo: resource, from: request.ip }));
  if (!caller) limits.take('badToken', address);
  return caller;
}

export const readBearer = (request: FastifyRequest): string | undefined =>
  /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];

/** The credential that counts: a bearer token before the cookie. */
function readCredential(
  access: Access<unknown>,
  request: FastifyRequest,
  session: string | undefined,
): { token: string; fromCookie: boolean } | undefined {
  const bearer = readBearer(request);
  if (bearer) return { token: bearer, fromCookie: false };
  return session && access.who !== 'bearer' ? { token: session, fromCookie: true } : undefined;
}

/** Another site's page may not spend the tries of the visitor's browser either. */
export function readDeviceCookie(services: Services, request: FastifyRequest): string | undefined {
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

export function fromForeignOrigin(services: Services, request: FastifyRequest): boolean {
  return request.headers.origin !== undefined && !fromOwnOrigin(services, request);
}
