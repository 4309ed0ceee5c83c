import { request } from 'node:http';
import type { TestApp } from './app.ts';

export interface Visited {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  body: Buffer;
  text: string;
}

/** A visitor's request to a site, as a browser would send it, whatever the name resolves to. */
export function visit(
  app: Pick<TestApp, 'url'>,
  host: string,
  path: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string>; body?: string | Buffer } = {},
): Promise<Visited> {
  const { port } = new URL(app.url);
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { host: '127.0.0.1', port, method, path, headers: { host: `${host}:${port}`, ...headers } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk)).once('error', reject);
        response.once('end', () => {
          const bytes = Buffer.concat(chunks);
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: bytes, text: bytes.toString() });
        });
      },
    );
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}
