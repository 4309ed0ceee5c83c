import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  randomBytes,
  verify,
  type X509Certificate,
} from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:tls';
import { der, octets, sequence } from '#integrations/acme/der.ts';
import { makeCertificate, namesExtension, pem } from '#integrations/acme/x509.ts';

/**
 * A certificate authority on loopback that speaks RFC 8555 and means it: signatures and nonces are checked, challenges are really fetched, requests for
 * certificates are read and verified. Every name is at 127.0.0.1, on the ports that it is told.
 */
export interface AcmeServer {
  directory: string;
  /** The root's certificate as PEM, for who is to trust it. */
  root: string;
  /** What it was asked to do, and did. */
  counts: Record<
    | 'orders'
    | 'issued'
    | 'http-01'
    | 'tls-alpn-01'
    | 'dns-01'
    | 'badNonce'
    | 'rateLimited'
    | 'failed'
    | 'replaced'
    | 'asked',
    number
  >;
  options: AcmeServerOptions;
  close(): Promise<void>;
}

export interface AcmeServerOptions {
  httpPort: number;
  tlsPort: number;
  lifeMs?: number;
  /** Which ways to prove a name are offered; of a wildcard it is DNS alone. */
  types?: string[];
  /** Whom it asks for records, as address:port. */
  nameServer?: string;
  /** Asked before each order: how many seconds to wait, where it is one too many. */
  limit?: (name: string) => number | undefined;
  /** Whether this signed request fails, in the way that the name says. */
  fault?: (url: string) => 'badNonce' | 'serverInternal' | undefined;
  /** What renewals are suggested (RFC 9773); without it there is no such address. */
  window?: (certificate: string) => { start: Date; end: Date };
}

interface Account {
  key: KeyObject;
  thumbprint: string;
}
interface Order {
  account: string;
  name: string;
  status: string;
  token: string;
  authorization: string;
  certificate?: string;
  replaces?: string;
  error?: object;
}

class Problem extends Error {
  readonly status: number;
  readonly kind: string;
  readonly retryAfter: number | undefined;
  constructor(status: number, kind: string, detail: string, retryAfter?: number) {
    super(detail);
    this.status = status;
    this.kind = kind;
    this.retryAfter = retryAfter;
  }
}

const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const BASIC = '2.5.29.19';
const AUTHORITY_KEY = '2.5.29.35';

export async function startAcmeServer(options: AcmeServerOptions): Promise<AcmeServer> {
  const counts: AcmeServer['counts'] = {
    orders: 0,
    issued: 0,
    'http-01': 0,
    'tls-alpn-01': 0,
    'dns-01': 0,
    badNonce: 0,
    rateLimited: 0,
    failed: 0,
    replaced: 0,
    asked: 0,
  };
  const [rootKey, issuerKey] = [newKey(), newKey()];
  const isCa = { id: BASIC, isCritical: true, value: sequence(der(0x01, Buffer.from([0xff]))) };
  const now = Date.now();
  const years = { notBefore: new Date(now - 86_400_000), notAfter: new Date(now + 3650 * 86_400_000) };
  const authority = { name: 'Loopback Root', key: rootKey };
  const root = pem(
    makeCertificate({ subject: 'Loopback Root', key: rootKey, issuer: authority, ...years, extensions: [isCa] }),
  );
  const issuer = pem(
    makeCertificate({ subject: 'Loopback Issuer', key: issuerKey, issuer: authority, ...years, extensions: [isCa] }),
  );
  const issuerId = createHash('sha1')
    .update(createPublicKey(issuerKey).export({ type: 'spki', format: 'der' }))
    .digest();
  const nonces = new Set<string>();
  const accounts = new Map<string, Account>();
  const orders = new Map<string, Order>();
  const certificates = new Map<string, string>();
  let base = '';
  const nonce = () => {
    const value = randomBytes(16).toString('base64url');
    nonces.add(value);
    return value;
  };

  /** The account that signed a message, and what it says. */
  function read(
    url: string,
    text: string,
  ): { account: string; key: KeyObject; payload: Record<string, unknown> | undefined } {
    const message = JSON.parse(text) as { protected: string; payload: string; signature: string };
    const head = JSON.parse(Buffer.from(message.protected, 'base64url').toString()) as {
      alg: string;
      nonce: string;
      url: string;
      kid?: string;
      jwk?: JsonWebKey;
    };
    if (head.alg !== 'ES256' || head.url !== url) throw new Problem(400, 'malformed', 'wrong algorithm or address');
    if (!nonces.delete(head.nonce)) throw new Problem(400, 'badNonce', 'this nonce is unknown');
    const account = head.kid ?? '';
    const key = head.kid
      ? accounts.get(head.kid)?.key
      : createPublicKey({ key: head.jwk as JsonWebKey, format: 'jwk' });
    if (!key) throw new Problem(400, 'accountDoesNotExist', 'no such account');
    const signed = Buffer.from(`${message.protected}.${message.payload}`);
    if (!verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(message.signature, 'base64url')))
      throw new Problem(400, 'malformed', 'the signature is wrong');
    const payload =
      message.payload === '' ? undefined : JSON.parse(Buffer.from(message.payload, 'base64url').toString());
    return { account, key, payload };
  }

  const view = (id: string, { status, name, certificate, authorization, error }: Order) => ({
    status,
    identifiers: [{ type: 'dns', value: name }],
    authorizations: [`${base}/authorization/${authorization}`],
    finalize: `${base}/finalize/${id}`,
    ...(certificate && { certificate: `${base}/certificate/${certificate}` }),
    ...(error && { error }),
  });
  const challenges = (id: string, order: Order) => ({
    status: order.status === 'pending' ? 'pending' : order.status === 'invalid' ? 'invalid' : 'valid',
    identifier: { type: 'dns', value: order.name.replace(/^\*\./, '') },
    ...(order.name.startsWith('*.') && { wildcard: true }),
    challenges: (order.name.startsWith('*.') ? ['dns-01'] : (options.types ?? ['http-01', 'tls-alpn-01'])).map(
      (type) => ({
        type,
        url: `${base}/challenge/${id}/${type}`,
        token: order.token,
        status: order.status,
        ...(order.error && { error: order.error }),
      }),
    ),
  });

  async function check(order: Order, type: string): Promise<void> {
    const { thumbprint } = accounts.get(order.account) as Account;
    const expected = `${order.token}.${thumbprint}`;
    try {
      if (type === 'dns-01') await findRecord(options.nameServer ?? '', order.name.replace(/^\*\./, ''), expected);
      else if (type === 'http-01') await fetchChallenge(options.httpPort, order.name, order.token, expected);
      else await shakeHands(options.tlsPort, order.name, expected);
      order.status = 'ready';
      counts[type as 'http-01']++;
    } catch (error) {
      order.status = 'invalid';
      counts.failed++;
      order.error = { type: 'urn:ietf:params:acme:error:unauthorized', detail: (error as Error).message };
    }
  }

  function issue(order: Order, csr: Buffer): string {
    const { key, names } = readRequest(csr);
    if (names.join() !== order.name) throw new Problem(400, 'badCSR', 'the names are others');
    const leaf = makeCertificate({
      subject: order.name,
      key,
      issuer: { name: 'Loopback Issuer', key: issuerKey },
      notBefore: new Date(Date.now() - 60_000),
      notAfter: new Date(Date.now() + (options.lifeMs ?? 90 * 86_400_000)),
      extensions: [namesExtension([order.name]), { id: AUTHORITY_KEY, value: sequence(der(0x80, issuerId)) }],
    });
    const id = randomBytes(8).toString('hex');
    certificates.set(id, pem(leaf) + issuer);
    counts.issued++;
    return id;
  }

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = `${base}${incoming.url}`;
    const [, what, id = '', more = ''] = (incoming.url ?? '').split('/');
    const send = (status: number, body: unknown, headers: Record<string, string> = {}) => {
      const isText = typeof body === 'string';
      response.writeHead(status, {
        'content-type': isText ? 'application/pem-certificate-chain' : 'application/json',
        'replay-nonce': nonce(),
        ...headers,
      });
      response.end(isText ? body : JSON.stringify(body));
    };
    if (what === 'directory')
      return send(200, {
        newNonce: `${base}/nonce`,
        newAccount: `${base}/account`,
        newOrder: `${base}/order`,
        ...(options.window && { renewalInfo: `${base}/renewal` }),
      });
    if (what === 'nonce') return send(200, {});
    if (what === 'renewal' && options.window) {
      counts.asked++;
      const { start, end } = options.window(id);
      return send(
        200,
        { suggestedWindow: { start: start.toISOString(), end: end.toISOString() } },
        { 'retry-after': '21600' },
      );
    }
    const text = Buffer.concat(await incoming.toArray()).toString();
    const fault = options.fault?.(url);
    if (fault) {
      if (fault === 'badNonce') counts.badNonce++;
      throw new Problem(fault === 'badNonce' ? 400 : 500, fault, 'as the test wants it');
    }
    const { account, key, payload } = read(url, text);
    if (what === 'account') {
      const jwk = key.export({ format: 'jwk' });
      const thumbprint = createHash('sha256')
        .update(JSON.stringify({ crv: jwk.crv, kty: jwk.kty, x: jwk.x, y: jwk.y }))
        .digest('base64url');
      accounts.set(`${base}/account/${thumbprint}`, { key, thumbprint });
      return send(201, { status: 'valid' }, { location: `${base}/account/${thumbprint}` });
    }
    if (!accounts.has(account)) throw new Problem(401, 'unauthorized', 'who is this?');
    if (what === 'order' && id === '') {
      const name = (payload as { identifiers: { value: string }[] }).identifiers[0]?.value as string;
      const retryAfter = options.limit?.(name);
      if (retryAfter !== undefined) {
        counts.rateLimited++;
        throw new Problem(429, 'rateLimited', 'too many certificates', retryAfter);
      }
      counts.orders++;
      if (payload?.replaces) counts.replaced++;
      const order: Order = {
        account,
        name,
        status: 'pending',
        token: randomBytes(24).toString('base64url'),
        authorization: randomBytes(8).toString('hex'),
      };
      const orderId = randomBytes(8).toString('hex');
      orders.set(orderId, order);
      orders.set(order.authorization, order);
      return send(201, view(orderId, order), { location: `${base}/order/${orderId}` });
    }
    if (what === 'certificate') return send(200, certificates.get(id) as string);
    const order = orders.get(id);
    if (!order || order.account !== account) throw new Problem(404, 'malformed', 'no such thing');
    if (what === 'order') return send(200, view(id, order));
    if (what === 'authorization') return send(200, challenges(id, order));
    if (what === 'challenge') {
      if (order.status === 'pending') void check(order, more);
      return send(200, { type: more, url, status: 'processing', token: order.token });
    }
    if (what !== 'finalize' || order.status !== 'ready') throw new Problem(403, 'orderNotReady', 'not yet');
    order.certificate = issue(order, Buffer.from((payload as { csr: string }).csr, 'base64url'));
    order.status = 'valid';
    return send(200, view(id, order));
  }

  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((error: unknown) => {
      const { status, kind, message, retryAfter } =
        error instanceof Problem ? error : new Problem(500, 'serverInternal', String(error));
      response.writeHead(status, {
        'content-type': 'application/problem+json',
        'replay-nonce': nonce(),
        ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
      });
      response.end(JSON.stringify({ type: `urn:ietf:params:acme:error:${kind}`, detail: message }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    directory: `${base}/directory`,
    root,
    counts,
    options,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function fetchChallenge(port: number, name: string, token: string, expected: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const path = `/.well-known/acme-challenge/${token}`;
    const asking = httpRequest({ host: '127.0.0.1', port, path, headers: { host: name } }, async (response) => {
      const text = Buffer.concat(await response.toArray()).toString();
      if (response.statusCode === 200 && text === expected) resolve();
      else reject(new Error(`${name} answered with ${response.statusCode} and not with the key authorization`));
    });
    asking.once('error', reject);
    asking.end();
  });
}

/** RFC 8555, 8.4. */
async function findRecord(nameServer: string, name: string, expected: string): Promise<void> {
  const resolver = new Resolver({ timeout: 1_000, tries: 2 });
  resolver.setServers([nameServer]);
  const found = (await resolver.resolveTxt(`_acme-challenge.${name}`)).map((pieces) => pieces.join(''));
  const digest = createHash('sha256').update(expected).digest('base64url');
  if (!found.includes(digest)) throw new Error(`${name} has ${found} and not the digest of the key authorization`);
}

/** RFC 8737, 3. */
function shakeHands(port: number, name: string, expected: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(
      { host: '127.0.0.1', port, servername: name, ALPNProtocols: ['acme-tls/1'], rejectUnauthorized: false },
      () => {
        const { raw } = socket.getPeerX509Certificate() as X509Certificate;
        const digest = octets(octets(createHash('sha256').update(expected).digest()));
        const isRight = socket.alpnProtocol === 'acme-tls/1' && raw.includes(digest);
        socket.destroy();
        if (isRight) resolve();
        else reject(new Error(`${name} showed another certificate`));
      },
    );
    socket.once('error', reject);
  });
}

/** Reads a request for a certificate (PKCS #10), which must be signed by the key that it names. */
function readRequest(csr: Buffer): { key: KeyObject; names: string[] } {
  const [info, , signature] = children(csr);
  const [, , spki, attributes] = children(info as Buffer);
  const key = createPublicKey({ key: spki as Buffer, format: 'der', type: 'spki' });
  if (!verify('sha256', info as Buffer, key, content(signature as Buffer).subarray(1)))
    throw new Problem(400, 'badCSR', 'the request is not signed by its key');
  const [, values] = children(children(attributes as Buffer)[0] as Buffer);
  const [extension] = children(children(values as Buffer)[0] as Buffer);
  const names = children(content(children(extension as Buffer).at(-1) as Buffer)).map((name) =>
    content(name).toString(),
  );
  return { key, names };
}

function header(element: Buffer): { start: number; end: number } {
  const first = element[1] as number;
  if (first < 0x80) return { start: 2, end: 2 + first };
  const bytes = first & 0x7f;
  const start = 2 + bytes;
  return { start, end: start + element.readUIntBE(2, bytes) };
}

function content(element: Buffer): Buffer {
  const { start, end } = header(element);
  return element.subarray(start, end);
}

function children(element: Buffer): Buffer[] {
  const all: Buffer[] = [];
  for (let rest = content(element); rest.length > 0; ) {
    const { end } = header(rest);
    all.push(rest.subarray(0, end));
    rest = rest.subarray(end);
  }
  return all;
}
