import { hash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { S3Account } from '#timemachine/stores/s3-client.ts';

const PAGE = 50;

type Objects = Map<string, { body: Buffer; at: Date }>;

/** As much of S3 as the store asks for, in memory. It believes every signature: that they are right is Ceph's to say. */
export class MemoryS3 {
  readonly objects: Objects = new Map();
  readonly uploads = new Map<string, { key: string; parts: Map<number, Buffer>; at: Date }>();
  /** The keys in the order in which they were put. */
  readonly puts: string[] = [];
  /** How often it was asked, by the method. */
  readonly asked: Record<string, number> = {};
  /** What it answers instead, while it is set: as if it were throttled, or broken. */
  trouble: { status: number; code: string } | undefined;
  readonly account: S3Account;
  #port = 0;
  #server = createServer((request, response) => this.#answer(request, response));

  private constructor(prefix: string) {
    const keys = { accessKeyId: 'the-access-key', secretAccessKey: 'the-secret-key' };
    this.account = { endpoint: '', region: 'any', bucket: 'bucket', prefix, ...keys };
  }

  static async start(t: { after(work: () => unknown): void }, prefix = ''): Promise<MemoryS3> {
    const server = new MemoryS3(prefix);
    await server.start();
    t.after(() => server.stop());
    return server;
  }

  /** Again on the port of before, with all that it had. */
  async start(): Promise<void> {
    this.#server = createServer((request, response) => this.#answer(request, response));
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
    this.account.endpoint = `http://127.0.0.1:${this.#port}`;
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    const method = request.method ?? '';
    this.asked[method] = (this.asked[method] ?? 0) + 1;
    const url = new URL(request.url ?? '', 'http://s3');
    const key = url.pathname.split('/').slice(2).join('/');
    if (this.trouble) {
      const { status, code } = this.trouble;
      return void response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`);
    }
    if (request.headers['x-amz-content-sha256'] !== hash('sha256', body))
      return void response.writeHead(400).end('<Error><Code>XAmzContentSHA256Mismatch</Code></Error>');
    if (url.searchParams.has('uploads') || url.searchParams.has('uploadId'))
      return this.#answerUpload(request.method ?? '', key, url.searchParams, body, response);
    const found = this.objects.get(key);
    if (request.method === 'PUT') this.#put(key, body);
    else if (request.method === 'DELETE') this.objects.delete(key);
    else if (key === '') return void response.end(listOf(this.objects, url.searchParams));
    else if (!found) return void response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
    else {
      const part = partOf(found.body, request.headers.range);
      if (!part) return void response.writeHead(416).end();
      const status = request.headers.range === undefined ? 200 : 206;
      return void response
        .writeHead(status, { 'content-length': part.length })
        .end(request.method === 'HEAD' ? '' : part);
    }
    response.writeHead(request.method === 'PUT' ? 200 : 204).end();
  }

  #answerUpload(method: string, key: string, query: URLSearchParams, body: Buffer, response: ServerResponse): void {
    const id = query.get('uploadId') ?? `upload-${this.uploads.size + 1}`;
    const upload = this.uploads.get(id);
    if (method === 'GET') {
      const list = [...this.uploads].map(
        ([name, each]) =>
          `<Upload><Key>${each.key}</Key><UploadId>${name}</UploadId><Initiated>${each.at.toISOString()}</Initiated></Upload>`,
      );
      return void response.end(`<List>${list.join('')}</List>`);
    }
    if (query.has('uploads')) {
      this.uploads.set(id, { key, parts: new Map(), at: new Date() });
      return void response.end(`<Result><UploadId>${id}</UploadId></Result>`);
    }
    if (!upload) return void response.writeHead(404).end('<Error><Code>NoSuchUpload</Code></Error>');
    if (method === 'PUT') {
      upload.parts.set(Number(query.get('partNumber')), body);
      return void response.writeHead(200, { etag: `"${hash('md5', body)}"` }).end();
    }
    this.uploads.delete(id);
    if (method === 'DELETE') return void response.writeHead(204).end();
    const parts = [...upload.parts].sort(([a], [b]) => a - b).map(([, part]) => part);
    this.#put(key, Buffer.concat(parts));
    response.end('<Result><ETag>whole</ETag></Result>');
  }

  #put(key: string, body: Buffer): void {
    this.puts.push(key);
    this.objects.set(key, { body, at: new Date() });
  }
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
function listOf(objects: Objects, query: URLSearchParams): string {
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
  return `<?xml version="1.0" encoding="UTF-8"?><List>${sorted.slice(start, next).join('')}${more}</List>`;
}
