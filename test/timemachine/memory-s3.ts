import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { S3Account } from '../../src/timemachine/stores/s3-request.ts';

const PAGE = 50;

/** As much of S3 as the store asks for, in memory. It believes every signature: that they are right is Ceph's to say. */
export async function startMemoryS3(t: { after(work: () => void): void }): Promise<S3Account> {
  const objects = new Map<string, { body: Buffer; at: Date }>();
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://s3');
    const key = url.pathname.split('/').slice(2).join('/');
    const found = objects.get(key);
    if (request.method === 'PUT') objects.set(key, { body: await bodyOf(request), at: new Date() });
    else if (request.method === 'DELETE') objects.delete(key);
    else if (key === '') return void response.end(listOf(objects, url.searchParams));
    else if (!found) return void response.writeHead(404).end('<Code>NoSuchKey</Code>');
    else {
      const part = partOf(found.body, request.headers.range);
      if (!part) return void response.writeHead(416).end();
      const status = request.headers.range === undefined ? 200 : 206;
      return void response
        .writeHead(status, { 'content-length': part.length })
        .end(request.method === 'HEAD' ? '' : part);
    }
    response.writeHead(request.method === 'PUT' ? 200 : 204).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    endpoint,
    region: 'any',
    bucket: 'bucket',
    accessKeyId: 'the-access-key',
    secretAccessKey: 'the-secret-key',
  };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

function partOf(body: Buffer, range: string | undefined): Buffer | undefined {
  const [, start = '', end = ''] = /^bytes=(\d*)-(\d*)$/.exec(range ?? 'bytes=0-') ?? [];
  if (range === undefined) return body;
  if (start === '') return body.length === 0 ? undefined : body.subarray(Math.max(0, body.length - Number(end)));
  return Number(start) >= body.length ? undefined : body.subarray(Number(start), Number(end) + 1);
}

/** Objects below the prefix, and with a delimiter the folders right below it, page by page. */
function listOf(objects: ReadonlyMap<string, { body: Buffer; at: Date }>, query: URLSearchParams): string {
  const prefix = query.get('prefix') ?? '';
  const isFlat = query.get('delimiter') === null;
  const entries = new Map<string, string>();
  for (const [key, { body, at }] of objects) {
    if (!key.startsWith(prefix)) continue;
    const slash = isFlat ? -1 : key.indexOf('/', prefix.length);
    const folder = key.slice(0, slash + 1);
    if (slash >= 0) entries.set(folder, `<CommonPrefixes><Prefix>${folder}</Prefix></CommonPrefixes>`);
    else {
      const facts = `<Size>${body.length}</Size><LastModified>${at.toISOString()}</LastModified>`;
      entries.set(key, `<Contents><Key>${key}</Key>${facts}</Contents>`);
    }
  }
  const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, xml]) => xml);
  const start = Number(query.get('continuation-token') ?? 0);
  const next = start + PAGE;
  const more = next < sorted.length ? `<NextContinuationToken>${next}</NextContinuationToken>` : '';
  return `<List>${sorted.slice(start, next).join('')}${more}</List>`;
}
