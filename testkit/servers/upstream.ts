import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SeenRequest {
  method: string;
  url: URL;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface GivenAnswer {
  status?: number;
  headers?: Record<string, string | string[]>;
  /** Bytes and text go out as they are, everything else as JSON. */
  body?: unknown;
}

export interface Upstream {
  port: number;
  seen: SeenRequest[];
  close(): Promise<void>;
}

/** Somebody else's server, on loopback. */
export async function startUpstream(
  answer: (request: SeenRequest) => GivenAnswer | undefined | Promise<GivenAnswer | undefined>,
  host = '127.0.0.1',
): Promise<Upstream> {
  const seen: SeenRequest[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const url = new URL(request.url ?? '/', `http://${request.headers.host ?? 'unknown'}`);
    const { method = 'GET', headers } = request;
    const one = { method, url, headers, body: Buffer.concat(chunks).toString() };
    seen.push(one);
    const given = (await answer(one)) ?? { status: 404, body: { error: 'not found' } };
    const isRaw = typeof given.body === 'string' || Buffer.isBuffer(given.body);
    response.writeHead(given.status ?? 200, {
      ...(!isRaw && given.body !== undefined && { 'content-type': 'application/json' }),
      ...given.headers,
    });
    response.end(isRaw || given.body === undefined ? given.body : JSON.stringify(given.body));
  });
  // It never ends an idle connection, which could be in the very moment that the other side uses it.
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
