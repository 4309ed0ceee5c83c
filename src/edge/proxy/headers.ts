import { withoutDoorCookies } from '../door-cookie.ts';
import type { RawHeaders } from '../raw-headers.ts';
import type { Visit } from '../visit.ts';

const HOP_BY_HOP = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** What the edge alone says of a request, whatever the visitor sends; `proxy` would become PHP's HTTP_PROXY. */
const SAID_BY_EDGE = new Set([
  'host',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-prefix',
  'x-forwarded-proto',
  'x-forwarded-server',
  'x-forwarded-ssl',
  'x-real-ip',
  'proxy',
]);

const PLAIN_NAME = /^[A-Za-z0-9-]+$/;
const OWN_PREFIX = 'x-siteyard-';

const USUAL_CONNECTIONS = new Set(['', 'keep-alive', 'close']);

/** The names that a Connection header makes hop-by-hop. A length is never one: without it the body has no end. */
function namedBy(connection: string | undefined): Set<string> | undefined {
  if (connection === undefined || USUAL_CONNECTIONS.has(connection.trim().toLowerCase())) return undefined;
  const names = new Set(connection.split(',').map((name) => name.trim().toLowerCase()));
  names.delete('content-length');
  return names;
}

export interface ForwardedFacts {
  /** The Host that the upstream sees. */
  host: string;
  protocol: string;
  /** What trusted proxies in front of us said, or empty. */
  forwardedFor: string;
}

/**
 * The visitor's headers as the upstream gets them. PHP turns `X-A-B` and `X_A_B` into the same variable, so names with
 * anything but letters, digits and hyphens are dropped: nobody passes as a header of ours that way.
 */
export function requestHeaders(visit: Visit, facts: ForwardedFacts, drop?: (name: string) => boolean): RawHeaders {
  const { rawHeaders } = visit.request;
  const named = namedBy(visit.headers.connection);
  const headers: RawHeaders = ['Host', facts.host];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const rawName = rawHeaders[index] as string;
    const name = rawName.toLowerCase();
    if (HOP_BY_HOP.has(name) || SAID_BY_EDGE.has(name) || named?.has(name)) continue;
    if (name.startsWith(OWN_PREFIX) || !PLAIN_NAME.test(name) || name === 'expect') continue;
    if (name === 'authorization' && visit.isSignedInAtEdge) continue;
    if (drop?.(name)) continue;
    const value = rawHeaders[index + 1] as string;
    const shown = name === 'cookie' && visit.gate.hasDoor ? withoutDoorCookies(value) : value;
    if (shown !== undefined) headers.push(rawName, shown);
  }
  const { clientAddress } = visit;
  headers.push(
    'X-Forwarded-For',
    facts.forwardedFor === '' ? clientAddress : facts.forwardedFor,
    'X-Forwarded-Proto',
    facts.protocol,
    'X-Forwarded-Host',
    visit.headers.host ?? '',
    'X-Real-IP',
    clientAddress,
  );
  return headers;
}

/** The upstream's headers as the visitor gets them. */
export function answerHeaders(rawHeaders: readonly string[], drop?: (name: string) => boolean): RawHeaders {
  const headers: RawHeaders = [];
  let connection: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length !== 10 || name.toLowerCase() !== 'connection') continue;
    connection = connection === undefined ? rawHeaders[index + 1] : `${connection},${rawHeaders[index + 1]}`;
  }
  const named = namedBy(connection);
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const rawName = rawHeaders[index] as string;
    const name = rawName.toLowerCase();
    if (HOP_BY_HOP.has(name) || named?.has(name) || name.startsWith(OWN_PREFIX) || name === 'x-cache') continue;
    if (drop?.(name)) continue;
    headers.push(rawName, rawHeaders[index + 1] as string);
  }
  return headers;
}
