import { OutboundFailed, OutboundRefused } from '#core/outbound.ts';
import type { Services } from '#core/services.ts';
import { callSite } from '#features/instance/instance.ts';
import { AnswerTooLarge } from '#runtimes/request.ts';
import { SiteFailure } from '#runtimes/runtime.ts';
import {
  proxyRedirects,
  proxyRefused,
  proxySiteFailed,
  proxyTimeout,
  proxyTooLarge,
  proxyUnreachable,
} from './proxy.schema.ts';

/** What is sent; the headers are ours alone. */
export interface Outgoing {
  method: string;
  /** The path and the query. */
  target: string;
  headers: Record<string, string>;
  body?: string | Uint8Array | undefined;
}

export interface Incoming {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  body: Buffer;
}

const LIMITS = { timeoutMs: 30_000, maxBytes: 10 * 1024 * 1024 };
const REDIRECTS = 3;
/** Of a name, a connection or a certificate with which nothing went out yet. Whatever else breaks, the request may have arrived. */
const NEVER_SENT =
  /^(?:ENOTFOUND|ENODATA|ESERVFAIL|EREFUSED|ETIMEOUT|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|CERT_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|UNABLE_TO_\w+|ERR_TLS_CERT_\w+)$/;

/**
 * To a host elsewhere: https, but for what an operator allowed to be reached inside, where http is spoken. Which of the two
 * is decided by the very addresses that are then dialled.
 */
export async function callHost({ outbound }: Services, host: string, outgoing: Outgoing): Promise<Incoming> {
  return translated(async () => {
    const addresses = await outbound.resolve(host.replace(/:\d+$/, ''));
    const scheme = outbound.isInside(addresses) ? 'http' : 'https';
    return outbound.fetch(`${scheme}://${host}${outgoing.target}`, { ...fetchOptions(outgoing), addresses });
  });
}

/** To a server that an operator configured, at the scheme that they named. */
export async function callServer({ outbound }: Services, baseUrl: string, outgoing: Outgoing): Promise<Incoming> {
  return translated(() => outbound.fetch(`${baseUrl}${outgoing.target}`, fetchOptions(outgoing)));
}

/** To the WordPress of a site that is hosted here, as its first administrator. */
export async function callHosted(services: Services, siteId: string, outgoing: Outgoing): Promise<Incoming> {
  const { method, target: path, headers, body } = outgoing;
  const answer = await translated(() =>
    callSite(services, siteId, { method, path, headers, ...LIMITS, ...(body !== undefined && { body }) }),
  );
  const failure = answer.headers['x-siteyard-failure'];
  if (failure !== undefined) throw failure === 'timeout' ? proxyTimeout() : proxySiteFailed();
  return answer;
}

function fetchOptions({ method, headers, body }: Outgoing) {
  const common = { accept: 'application/json, */*;q=0.5', 'accept-encoding': 'identity', 'user-agent': 'Siteyard' };
  return {
    method,
    headers: { ...common, ...headers },
    ...(body !== undefined && { body }),
    redirects: REDIRECTS,
    ...LIMITS,
  };
}

/** Tells what went wrong in words that hold nothing of the request, and so no credential. */
async function translated(work: () => Promise<Incoming>): Promise<Incoming> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof OutboundRefused) throw proxyRefused();
    if (error instanceof OutboundFailed) {
      const failures = { timeout: proxyTimeout, too_large: proxyTooLarge, too_many_redirects: proxyRedirects };
      throw failures[error.reason]();
    }
    if (error instanceof AnswerTooLarge) throw proxyTooLarge();
    if (error instanceof SiteFailure) throw error.reason === 'timeout' ? proxyTimeout() : proxySiteFailed();
    const { name, code } = error as { name?: string; code?: unknown };
    if (name === 'AbortError' || name === 'TimeoutError') throw proxyTimeout();
    // What a socket, TLS, the name service or the reader of HTTP reports has a code; whatever has none is our own fault.
    if (typeof code === 'string' && name !== 'AppError')
      throw proxyUnreachable(NEVER_SENT.test(code) ? {} : { mayHaveHappened: true });
    throw error;
  }
}
