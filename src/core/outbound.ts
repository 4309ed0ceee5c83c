import { type LookupAddress, type LookupOptions, lookup, Resolver } from 'node:dns';
import http, {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import https from 'node:https';
import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import { AddressList, parseAddress } from './address-list.ts';

/**
 * The one way out for every call of the service. A name is resolved once, each address is checked, and exactly what was
 * checked is dialled, so that a name which answers differently the second time gains nothing. Each redirect is checked
 * like the first address.
 */
export class OutboundRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'OutboundRefused';
  }

  /** The sentence as a part of another one, such as `Value error, this is not a URL`. */
  get clause(): string {
    return (this.message.charAt(0).toLowerCase() + this.message.slice(1)).replace(/\.$/, '');
  }
}

/** The other side answered, but not in a way that we take: too much, or one redirect after another. */
export class OutboundFailed extends Error {
  readonly reason: 'too_large' | 'too_many_redirects' | 'timeout';
  constructor(reason: OutboundFailed['reason'], message: string) {
    super(message);
    this.name = 'OutboundFailed';
    this.reason = reason;
  }
}

const IDLE_CONNECTIONS = 16;
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];
/** What a host that a request was sent on to may see of it; everything else could be a credential. */
const FOR_EVERYBODY = ['accept', 'accept-encoding', 'accept-language', 'user-agent'];
const LOOPBACK: LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

export interface OutboundOptions {
  /** Addresses and ranges that an operator allows although they are not public. */
  allow?: readonly string[];
  /** Whom to ask for names, as addresses with or without a port; the machine's own resolver where there are none. */
  dnsServers?: readonly string[];
}

export type OutboundRequest = Pick<RequestOptions, 'method' | 'headers' | 'signal' | 'timeout' | 'maxHeaderSize'>;

export interface OutboundFetch {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** From the first byte sent to the last one received, redirects included. */
  timeoutMs: number;
  maxBytes: number;
  /** A longer answer ends there instead of being refused, where only its beginning matters. */
  cutsLongAnswer?: true;
  /** How many redirects are followed; none unless said. Only reads follow any. */
  redirects?: number;
  /** What `resolve` found for the host of the URL: exactly these are dialled for it, and its name is not asked for again. */
  addresses?: readonly string[];
}

export interface OutboundAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export class Outbound {
  readonly #allowed: AddressList;
  readonly #resolver = new Resolver({ timeout: 3000, tries: 2 });
  /** Names that only this machine knows, from its own files: worth asking for where an operator allowed what is inside. */
  readonly #asksMachine: boolean;
  readonly #plain: http.Agent;
  readonly #secure: https.Agent;

  constructor({ allow = [], dnsServers = [] }: OutboundOptions = {}) {
    this.#allowed = new AddressList(allow);
    this.#asksMachine = dnsServers.length === 0 && allow.length > 0;
    if (dnsServers.length > 0) this.#resolver.setServers(dnsServers);
    const settings = { keepAlive: true, maxFreeSockets: IDLE_CONNECTIONS, lookup: this.#lookup, timeout: 60_000 };
    this.#plain = new http.Agent(settings);
    this.#secure = new https.Agent(settings);
  }

  /** Opens a request; its body is written and its answer (or upgrade) read as with node:http. Follows no redirect. */
  request(url: string | URL, options: OutboundRequest = {}): ClientRequest {
    const target = this.checkUrl(url);
    return target.protocol === 'https:'
      ? https.request(target, { ...options, agent: this.#secure, lookup: this.#lookup })
      : http.request(target, { ...options, agent: this.#plain, lookup: this.#lookup });
  }

  /** A whole request and its whole answer, limited in time and size. */
  async fetch(url: string | URL, options: OutboundFetch): Promise<OutboundAnswer> {
    const signal = AbortSignal.timeout(options.timeoutMs);
    const method = options.method ?? 'GET';
    let target = this.checkUrl(url);
    let headers = options.headers ?? {};
    let addresses = options.addresses;
    for (let left = options.redirects ?? 0; ; left--) {
      const answer = await this.#exchange(target, { ...options, method, headers, addresses }, signal);
      const next = options.redirects && redirectOf(target, method, answer);
      if (!next) return answer;
      if (left === 0) throw new OutboundFailed('too_many_redirects', `${target.host} redirects again and again`);
      // What was meant for one host is nobody else's business.
      if (next.origin !== target.origin) {
        headers = Object.fromEntries(
          Object.entries(headers).filter(([name]) => FOR_EVERYBODY.includes(name.toLowerCase())),
        );
        addresses = undefined;
      }
      target = this.checkUrl(next);
    }
  }

  /** A connection for protocols other than HTTP. */
  async connect(host: string, port: number, timeoutMs: number): Promise<Socket> {
    const address = (await this.resolve(host))[0] as string;
    const socket = connect({ host: address, port, timeout: timeoutMs });
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve).once('error', reject);
      socket.once('timeout', () => socket.destroy(new OutboundFailed('timeout', `${host} does not answer`)));
    });
    socket.setTimeout(0).removeAllListeners('timeout');
    return socket;
  }

  /** The addresses of a host that may be dialled, for programs of others that are told the address; never empty. */
  resolve(host: string): Promise<string[]> {
    const plain = bareHost(host);
    if (isIP(plain) !== 0) {
      this.#checkHost(plain);
      return Promise.resolve([plain]);
    }
    return new Promise((resolve, reject) => {
      this.#lookup(plain, { all: true }, (error, found) =>
        error ? reject(error) : resolve((found as LookupAddress[]).map(({ address }) => address)),
      );
    });
  }

  /** Whether an operator had to allow each of these addresses, so that nobody outside is on the way to them. */
  isInside(addresses: readonly string[]): boolean {
    return addresses.length > 0 && addresses.every((address) => !isPublic(address) && this.#allowed.includes(address));
  }

  /** Refuses what can be told from the URL alone, for what users enter; names are checked again when they are dialled. */
  checkUrl(url: string | URL): URL {
    const target = URL.parse(String(url));
    if (!target) throw new OutboundRefused('This is not a URL.');
    if (target.protocol !== 'http:' && target.protocol !== 'https:')
      throw new OutboundRefused('The URL must start with http:// or https://.');
    if (target.username || target.password) throw new OutboundRefused('The URL must not hold a user name or password.');
    this.#checkHost(bareHost(target.hostname));
    return target;
  }

  close(): void {
    this.#plain.destroy();
    this.#secure.destroy();
  }

  /** Sockets do not look up what is an address already, so it is checked before. */
  #checkHost(host: string): void {
    if (isIP(host) !== 0 ? !this.#mayDial(host) : isLocalName(host) && !this.#mayDial('127.0.0.1'))
      throw new OutboundRefused(`${host} is not a public address.`);
  }

  #mayDial(address: string): boolean {
    return isPublic(address) || this.#allowed.includes(address);
  }

  #exchange(
    target: URL,
    { addresses, ...given }: Omit<OutboundFetch, 'addresses'> & { addresses: readonly string[] | undefined },
    signal: AbortSignal,
  ): Promise<OutboundAnswer> {
    const options = { ...given, headers: { ...given.headers, ...lengthOf(given.body) } };
    return new Promise((resolve, reject) => {
      const fail = (error: Error) =>
        reject(signal.aborted ? new OutboundFailed('timeout', `${target.host} did not answer in time`) : error);
      const request = addresses
        ? this.#requestAt(addresses, target, { ...options, signal })
        : this.request(target, { ...options, signal });
      request.once('error', fail);
      request.once('response', (response) => {
        readAnswer(response, target, options).then(resolve, fail);
      });
      refuseUpgrade(request, fail);
      request.end(options.body);
    });
  }

  /** On a connection of its own: one that is kept was made to whatever the name stood for then. */
  #requestAt(addresses: readonly string[], target: URL, options: OutboundRequest): ClientRequest {
    for (const address of addresses) this.#checkHost(address);
    const found = addresses.map((address) => ({ address, family: isIP(address) }));
    const dial: LookupFunction = (_hostname, { all }, done) => {
      const [first] = found as [LookupAddress];
      if (all) done(null, found);
      else done(null, first.address, first.family);
    };
    const protocol = target.protocol === 'https:' ? https : http;
    return protocol.request(target, { ...options, agent: false, lookup: dial });
  }

  readonly #lookup: LookupFunction = (hostname, options: LookupOptions, done) => {
    this.#addressesOf(hostname, options, (error, found) => {
      if (error) return done(error, []);
      const safe = found.filter(({ address }) => this.#mayDial(address));
      const first = safe[0];
      if (!first) return done(new OutboundRefused(`${hostname} is not at a public address.`), []);
      if (options.all) done(null, safe);
      else done(null, first.address, first.family);
    });
  };

  #addressesOf(
    hostname: string,
    options: LookupOptions,
    done: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
  ): void {
    // These stand for the own machine, whatever a server of names may say.
    if (isLocalName(bareHost(hostname))) return void done(null, LOOPBACK);
    // Not with `lookup`, which has two threads for the whole process: names whose servers are silent would hold up every
    // other call, those to the database too.
    let error4: NodeJS.ErrnoException | null = null;
    const found: LookupAddress[][] = [];
    const take =
      (family: 4 | 6) =>
      (error: NodeJS.ErrnoException | null, addresses: string[] = []) => {
        if (family === 4) error4 = error;
        found.push(addresses.map((address) => ({ address, family })));
        if (found.length < 2) return;
        const all = found.flat().sort((a, b) => a.family - b.family);
        if (all.length === 0 && error4?.code === 'ENOTFOUND' && this.#asksMachine)
          return void lookup(hostname, { ...options, all: true }, done);
        done(all.length === 0 ? error4 : null, all);
      };
    this.#resolver.resolve4(hostname, take(4));
    this.#resolver.resolve6(hostname, take(6));
  }
}

/**
 * For a request that asks for no other protocol: an answer that changes it all the same. Where nobody listens for that, node
 * drops the connection without a word, and not even a time limit ends the wait.
 */
function refuseUpgrade(request: ClientRequest, fail: (error: Error) => void): void {
  request.once('upgrade', (_response, socket) => {
    socket.destroy();
    fail(Object.assign(new Error('the other side changes the protocol unasked'), { code: 'EPROTO' }));
  });
}

async function readAnswer(
  response: IncomingMessage,
  target: URL,
  { maxBytes, cutsLongAnswer }: OutboundFetch,
): Promise<OutboundAnswer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    chunks.push(chunk);
    if (length <= maxBytes) continue;
    response.destroy();
    if (cutsLongAnswer) break;
    throw new OutboundFailed('too_large', `${target.host} answers more than ${maxBytes} bytes`);
  }
  return {
    status: response.statusCode ?? 502,
    headers: response.headers,
    body: Buffer.concat(chunks).subarray(0, maxBytes),
  };
}

/**
 * Node says no length for a body of DELETE. The other side then takes it for the beginning of the next request on the same
 * connection, which may be somebody else's.
 */
export function lengthOf(body: string | Uint8Array | undefined): { 'content-length'?: string } {
  return body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
}

/** Where a read is sent on to. A write is never repeated elsewhere. */
function redirectOf(from: URL, method: string, { status, headers }: OutboundAnswer): URL | undefined {
  if (!['GET', 'HEAD'].includes(method) || ![301, 302, 303, 307, 308].includes(status)) return undefined;
  return headers.location === undefined ? undefined : (URL.parse(headers.location, from.href) ?? undefined);
}

const isLocalName = (host: string) => host === 'localhost' || host.endsWith('.localhost');

const bareHost = (hostname: string) => hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

/**
 * Public unicast and nothing else. IPv6 must lie in 2000::/3 besides: below it are ancient notations of IPv4
 * (`::127.0.0.1`), and the ways to write IPv4 inside of it (6to4, Teredo, NAT64) have ranges of their own.
 */
export function isPublic(text: string): boolean {
  const address = parseAddress(text);
  if (address?.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(...GLOBAL_UNICAST);
}
