import type { ClientRequest } from 'node:http';
import type { Outbound } from '#core/outbound.ts';
import { withoutLastSlashes } from '#core/slashes.ts';
import type { ExternalPath } from '../gate.ts';
import { followVisitor } from '../leaving.ts';
import type { EdgeLimits } from '../limits.ts';
import { NOTICES, NoticeError, sendNotice } from '../notices.ts';
import type { RawHeaders } from '../raw-headers.ts';
import type { SiteProblems } from '../site-problems.ts';
import type { Visit } from '../visit.ts';
import { fromMessage } from './answer.ts';
import { announcesTooMuch, sendBody, toRequest } from './body.ts';
import { answerHeaders, type ForwardedFacts, requestHeaders } from './headers.ts';
import { relay } from './relay.ts';
import { MAX_HEAD_BYTES, ResponseHeadError, receiveResponse, type Upgraded } from './response-head.ts';

const ANSWER_TIMEOUT_MS = 60_000;
/** The site's own cookies, which open its back office and are nobody else's business. */
const OWN_COOKIE = /^(?:wordpress_|wp-|wp_|comment_author_)/;

/** RFC 8586: what we passed on names us, so that it is known when it comes back. */
const LOOP_ID = 'siteyard';
const LOOPED = /(?:^|,)\s*siteyard\s*(?:[;,]|$)/i;
const isCdnLoop = (name: string) => name === 'cdn-loop';

export interface ExternalOptions {
  outbound: Outbound;
  limits: EdgeLimits;
  facts: (visit: Visit) => ForwardedFacts;
  problems: SiteProblems;
}

/** Parts of a site that live elsewhere: requests under a path go to another server, with the prefix removed. */
export class ExternalPaths {
  readonly #options: ExternalOptions;

  constructor(options: ExternalOptions) {
    this.#options = options;
  }

  async answer(visit: Visit, external: ExternalPath): Promise<void> {
    const { request, response } = visit;
    const { limits } = this.#options;
    if (announcesTooMuch(request, limits.bodyBytes)) return void sendNotice(response, NOTICES.tooLarge);
    const leaving = followVisitor(response);
    const outgoing = this.#open(visit, external, leaving.signal, []);
    const answered = this.#receive(visit, external, outgoing);
    const refuseBody = () => {
      sendNotice(response, NOTICES.tooLarge);
      leaving.leave();
    };
    if (visit.hasBody) sendBody(request, toRequest(outgoing), limits.bodyBytes, refuseBody);
    else outgoing.end();
    const { message, tunnel } = await answered;
    if (tunnel) {
      tunnel.socket.destroy();
      throw new NoticeError(NOTICES.external, new Error('the external server switched protocols unexpectedly'));
    }
    const headers = mapLocation(answerHeaders(message.rawHeaders), external);
    const source = fromMessage(message);
    await relay(response, { source, headers: visit.gate.guarded(headers) });
  }

  /** Asks for a change of protocol; resolves with the tunnel, or with the plain answer where there is none. */
  upgrade(visit: Visit, external: ExternalPath, signal: AbortSignal, headers: RawHeaders): Promise<Upgraded> {
    const outgoing = this.#open(visit, external, signal, headers);
    outgoing.end();
    return this.#receive(visit, external, outgoing);
  }

  #receive({ gate, method, path, query }: Visit, { prefix }: ExternalPath, outgoing: ClientRequest): Promise<Upgraded> {
    return receiveResponse(outgoing).catch((error: unknown) => {
      if (error instanceof ResponseHeadError) {
        const message = `The server of the external path ${prefix} failed: ${error.message}`;
        this.#options.problems.report(gate, 'head', message, `${method} ${path}${query}`);
      }
      throw new NoticeError(NOTICES.external, error);
    });
  }

  #open(visit: Visit, external: ExternalPath, signal: AbortSignal, extra: RawHeaders): ClientRequest {
    const { outbound, facts } = this.#options;
    const url = targetUrl(external, visit.path, visit.query);
    const passed = visit.headers['cdn-loop'];
    if (LOOPED.test(String(passed ?? ''))) throw new NoticeError(NOTICES.loop, undefined);
    const headers = requestHeaders(visit, { ...facts(visit), host: new URL(url).host }, isCdnLoop);
    headers.push('CDN-Loop', passed === undefined ? LOOP_ID : `${passed}, ${LOOP_ID}`);
    // Node frames the bodies of some methods by itself and writes those of others as they are.
    if (visit.hasBody && visit.headers['content-length'] === undefined) headers.push('Transfer-Encoding', 'chunked');
    const outgoing = openOrRefuse(() =>
      outbound.request(url, {
        method: visit.request.method ?? 'GET',
        headers: [...withoutOwnCookies(headers), ...extra],
        signal,
        maxHeaderSize: MAX_HEAD_BYTES,
        timeout: ANSWER_TIMEOUT_MS,
      }),
    );
    outgoing.once('timeout', () => outgoing.destroy(new Error('the external server does not answer')));
    return outgoing;
  }
}

/** An address that must not be called is the same to the visitor as one that does not answer. */
function openOrRefuse(open: () => ClientRequest): ClientRequest {
  try {
    return open();
  } catch (error) {
    throw new NoticeError(NOTICES.external, error);
  }
}

/** The target's own path stays in front; the path's prefix is replaced by it. */
function targetUrl({ prefix, target }: ExternalPath, path: string, query: string): string {
  const base = withoutLastSlashes(target.split(/[?#]/, 1)[0] ?? '');
  const rest = prefix === '/' ? path : path.slice(prefix.length);
  return `${base}${rest}${query}`;
}

function withoutOwnCookies(headers: RawHeaders): RawHeaders {
  const kept: RawHeaders = [];
  for (let index = 0; index < headers.length; index += 2) {
    const [name, value] = [headers[index] as string, headers[index + 1] as string];
    if (name.toLowerCase() !== 'cookie') {
      kept.push(name, value);
      continue;
    }
    const cookies = value.split(';').filter((cookie) => !OWN_COOKIE.test(cookie.trim()));
    if (cookies.length > 0) kept.push(name, cookies.join(';').trim());
  }
  return kept;
}

/** A redirect within the target stays within the path; one to elsewhere on its server names that server. */
function mapLocation(headers: RawHeaders, external: ExternalPath): RawHeaders {
  return headers.map((value, index) => {
    const isLocation = index % 2 === 1 && headers[index - 1]?.toLowerCase() === 'location';
    return isLocation ? mapToPath(value, external) : value;
  });
}

function mapToPath(location: string, { prefix, target }: ExternalPath): string {
  const base = URL.parse(target);
  const isRelative = !/^(?:[a-z][a-z0-9+.-]*:|\/)/i.test(location);
  const to = base && !isRelative ? URL.parse(location, base.href) : null;
  if (!base || !to || to.origin !== base.origin) return location;
  const root = withoutLastSlashes(base.pathname);
  const isInside = to.pathname === root || to.pathname.startsWith(`${root}/`);
  if (!isInside) return to.href;
  const rest = to.pathname.slice(root.length);
  const path = prefix === '/' ? rest || '/' : `${prefix}${rest}`;
  return `${path}${to.search}${to.hash}`;
}
