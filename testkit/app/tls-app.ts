import { connect as connectHttp2, type IncomingHttpHeaders } from 'node:http2';
import { request } from 'node:https';
import type { Operation } from '#core/http/operation.ts';
import { freePort } from '../free-port.ts';
import { type AcmeServer, type AcmeServerOptions, startAcmeServer } from '../servers/acme-server.ts';
import { startTestApp, type TestApp } from './test-app.ts';

/** A platform that speaks TLS, with an authority on loopback that gives it its certificates. */
export interface TlsApp {
  app: TestApp;
  authority: AcmeServer;
  httpsPort: number;
  /** A visitor who trusts that authority and no other, by HTTP/1.1. */
  visit(name: string, path: string, options?: Options): Promise<SecureAnswer>;
  /** The same by HTTP/2. */
  visit2(name: string, path: string, options?: Options): Promise<SecureAnswer>;
  close(): Promise<void>;
}

interface SecureAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

export async function startTlsApp({
  env = {},
  operations = [],
  ...given
}: Partial<AcmeServerOptions> & {
  env?: Record<string, string>;
  operations?: readonly Operation[];
} = {}): Promise<TlsApp> {
  const [httpPort, httpsPort] = [await freePort(), await freePort()];
  const authority = await startAcmeServer({ httpPort, tlsPort: httpsPort, ...given });
  const app = await startTestApp({
    operations,
    env: {
      PORT: String(httpPort),
      HTTPS_PORT: String(httpsPort),
      ACME_DIRECTORY: authority.directory,
      OUTBOUND_ALLOW: '127.0.0.0/8',
      ...env,
    },
  });
  // By its address the platform is reached without TLS, which it has for names alone.
  const url = `http://127.0.0.1:${httpPort}`;
  const own = Object.defineProperties({} as TestApp, {
    ...Object.getOwnPropertyDescriptors(app),
    url: { value: url },
    api: { value: `${url}/f/api/v1` },
  });
  return {
    app: own,
    authority,
    httpsPort,
    visit: (name, path, options) => visitSecurely(authority, httpsPort, name, path, options),
    visit2: (name, path, options) => visitByHttp2(authority, httpsPort, name, path, options),
    async close() {
      await app.close();
      await authority.close();
    },
  };
}

interface Options {
  method?: string;
  body?: string;
  headers?: Record<string, string>;
}

function visitSecurely(
  { root }: AcmeServer,
  port: number,
  name: string,
  path: string,
  { method = 'GET', body, headers: own = {} }: Options = {},
) {
  return new Promise<SecureAnswer>((resolve, reject) => {
    const headers = { host: `${name}:${port}`, ...own };
    const asking = request(
      { host: '127.0.0.1', port, servername: name, ca: root, method, path, headers, agent: false },
      async (response) => {
        const text = Buffer.concat(await response.toArray()).toString();
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      },
    );
    asking.once('error', reject);
    asking.end(body);
  });
}

function visitByHttp2(
  { root }: AcmeServer,
  port: number,
  name: string,
  path: string,
  { method = 'GET', body, headers: own = {} }: Options = {},
) {
  return new Promise<SecureAnswer>((resolve, reject) => {
    const session = connectHttp2(`https://127.0.0.1:${port}`, { servername: name, ca: root });
    session.once('error', reject);
    const stream = session.request(
      { ':path': path, ':method': method, ':authority': `${name}:${port}`, ...own },
      { endStream: body === undefined },
    );
    let headers: IncomingHttpHeaders = {};
    stream.once('response', (head) => {
      headers = head;
    });
    stream.once('error', reject);
    if (body !== undefined) stream.end(body);
    stream.toArray().then((chunks) => {
      session.close();
      resolve({ status: Number(headers[':status']), headers, text: Buffer.concat(chunks as Buffer[]).toString() });
    }, reject);
  });
}
