import { request } from 'node:http';
import type { TestApp } from '../app/test-app.ts';
import { eventually } from '../expect.ts';

export interface Visited {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  body: Buffer;
  text: string;
}

interface VisitOptions {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

/** A visitor's request to a site, as a browser would send it, whatever the name resolves to. */
export function visit(
  app: Pick<TestApp, 'url'>,
  host: string,
  path: string,
  { method = 'GET', headers = {}, body }: VisitOptions = {},
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

/** The answer once it comes from the cache. Scheduled work, which comes when it comes, may empty that after any visit. */
export function visitKept(...visitor: Parameters<typeof visit>): Promise<Visited> {
  return eventually(async () => {
    const reply = await visit(...visitor);
    return reply.headers['x-cache'] === 'HIT' && reply;
  });
}
