import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Outbound, OutboundRefused } from '#core/outbound.ts';

const CONNECT_MS = 10_000;

/**
 * The only way out that git has over https: a proxy of one run, on loopback, behind a credential of its own. Each
 * connection, the one after a redirect included, goes through the guarded client, and what comes back is counted.
 */
export interface GitProxy {
  url: string;
  /** Why the last connection was not made, if that was it. */
  failure(): { isRefused: boolean; message: string } | undefined;
  isFull(): boolean;
  close(): void;
}

/** `only` is the one host and port that may be reached, where a credential goes along. */
export async function startGitProxy(
  outbound: Outbound,
  options: { only: string | undefined; maxBytes: number },
): Promise<GitProxy> {
  const password = randomBytes(24).toString('base64url');
  const expected = Buffer.from(`Basic ${Buffer.from(`siteyard:${password}`).toString('base64')}`);
  const open = new Set<Duplex>();
  let failure: ReturnType<GitProxy['failure']>;
  let received = 0;

  const server = createServer((_request, response) => void response.writeHead(405).end());
  server.on('connect', async (request: IncomingMessage, client: Duplex) => {
    track(open, client);
    const given = Buffer.from(request.headers['proxy-authorization'] ?? '');
    if (given.length !== expected.length || !timingSafeEqual(given, expected))
      return void client.end('HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n');
    try {
      const { host, port } = readTarget(request.url ?? '', options.only);
      const upstream = await outbound.connect(host, port, CONNECT_MS);
      track(open, upstream);
      // Whoever asked has given up meanwhile, or the run is over.
      if (client.destroyed) return void upstream.destroy();
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.on('data', (chunk: Buffer) => {
        received += chunk.length;
        if (received > options.maxBytes) for (const stream of open) stream.destroy();
      });
      join(client, upstream);
    } catch (error) {
      const { message } = error as Error;
      failure = { isRefused: error instanceof OutboundRefused, message };
      client.end(`HTTP/1.1 ${failure.isRefused ? '403 Forbidden' : '502 Bad Gateway'}\r\n\r\n`);
    }
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://siteyard:${password}@127.0.0.1:${port}`,
    failure: () => failure,
    isFull: () => received > options.maxBytes,
    close() {
      server.close();
      server.closeAllConnections();
      for (const stream of open) stream.destroy();
    },
  };
}

function readTarget(text: string, only: string | undefined): { host: string; port: number } {
  const parts = /^(.+):(\d{1,5})$/.exec(text);
  const host = parts?.[1]?.replaceAll(/[[\]]/g, '') ?? '';
  const port = Number(parts?.[2]);
  if (host === '' || port < 1 || port > 65_535) throw new OutboundRefused('This is no host and port.');
  if (only !== undefined && `${host}:${port}` !== only)
    throw new OutboundRefused(`The host sends on to ${host}, where your credential does not belong.`);
  return { host, port };
}

function track(open: Set<Duplex>, stream: Duplex): void {
  open.add(stream);
  stream.once('close', () => open.delete(stream)).on('error', () => stream.destroy());
}

function join(client: Duplex, upstream: Socket): void {
  client.pipe(upstream).pipe(client);
  client.once('close', () => upstream.destroy());
  upstream.once('close', () => client.destroy());
}
