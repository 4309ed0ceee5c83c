import { type S3Account, type S3Answer, type S3Request, sendToS3 } from './s3-request.ts';
import { assertKey, type ByteRange, missingObject, type Store, type StoredObject, shortObject } from './store.ts';

/**
 * A store in a bucket of S3, or of anything that speaks S3. One put is one request, which S3 makes whole or not at all;
 * nothing conditional is asked of it.
 */
export class S3Store implements Store {
  readonly #account: S3Account;

  constructor(account: S3Account) {
    this.#account = account;
  }

  async put(key: string, parts: readonly Uint8Array[]): Promise<void> {
    assertKey(key);
    await this.#send({ method: 'PUT', key, body: Buffer.concat(parts) }, 200);
  }

  async get(key: string, range?: ByteRange): Promise<Buffer> {
    assertKey(key);
    // There is no way to ask S3 for no bytes.
    if (range && (('length' in range && range.length === 0) || ('last' in range && range.last === 0))) {
      return this.#getNothing(key, 'start' in range ? range.start : 0);
    }
    const answer = await this.#send(
      { method: 'GET', key, ...(range ? { range: `bytes=${rangeText(range)}` } : {}) },
      200,
      206,
      404,
      416,
    );
    if (answer.status === 404) throw missingObject(key);
    // The object is empty, and its last bytes are none; or it ends before the first one that was asked for.
    if (answer.status === 416 && range && 'last' in range) return Buffer.alloc(0);
    if (answer.status === 416) throw shortObject(key);
    if (range && 'length' in range && answer.body.length !== range.length) throw shortObject(key);
    return answer.body;
  }

  async #getNothing(key: string, start: number): Promise<Buffer> {
    const { status, headers } = await this.#send({ method: 'HEAD', key }, 200, 404);
    if (status === 404) throw missingObject(key);
    if (start > Number(headers.get('content-length'))) throw shortObject(key);
    return Buffer.alloc(0);
  }

  async list(prefix: string): Promise<StoredObject[]> {
    const found: StoredObject[] = [];
    for await (const page of this.#pages({ prefix: below(prefix) })) {
      for (const object of elements(page, 'Contents')) {
        found.push({
          key: text(object, 'Key'),
          sizeBytes: Number(text(object, 'Size')),
          storedAtMs: Date.parse(text(object, 'LastModified')),
        });
      }
    }
    return found.sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  async names(prefix: string): Promise<string[]> {
    const found: string[] = [];
    const start = below(prefix);
    for await (const page of this.#pages({ prefix: start, delimiter: '/' })) {
      for (const folder of elements(page, 'CommonPrefixes')) found.push(text(folder, 'Prefix').slice(start.length, -1));
      for (const object of elements(page, 'Contents')) found.push(text(object, 'Key').slice(start.length));
    }
    return found.sort();
  }

  async delete(key: string): Promise<void> {
    assertKey(key);
    await this.#send({ method: 'DELETE', key }, 204, 200, 404);
  }

  async *#pages(query: Record<string, string>): AsyncGenerator<string> {
    let next: Record<string, string> = {};
    do {
      const { body } = await this.#send({ method: 'GET', query: { 'list-type': '2', ...query, ...next } }, 200);
      const page = body.toString();
      yield page;
      const [token] = elements(page, 'NextContinuationToken');
      next = token === undefined ? {} : { 'continuation-token': unescaped(token) };
    } while ('continuation-token' in next);
  }

  async #send(request: S3Request, ...expected: number[]): Promise<S3Answer> {
    const answer = await sendToS3(this.#account, request);
    if (expected.includes(answer.status)) return answer;
    const [code] = elements(answer.body.toString(), 'Code');
    throw new Error(`S3 answered ${answer.status} ${code ?? ''} to ${request.method} ${request.key ?? 'a list'}`);
  }
}

function rangeText(range: ByteRange): string {
  return 'last' in range ? `-${range.last}` : `${range.start}-${range.start + range.length - 1}`;
}

function below(prefix: string): string {
  return prefix === '' ? '' : `${prefix}/`;
}

/** What is between the tags of that name. The lists of S3 have no attributes and nothing of a name within itself. */
function elements(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, 'gs'))].map(([, content]) => content ?? '');
}

function text(xml: string, name: string): string {
  const [content] = elements(xml, name);
  if (content === undefined) throw new Error(`A list of S3 has an entry without ${name}`);
  return unescaped(content);
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function unescaped(xml: string): string {
  return xml.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => ENTITIES[name] ?? '');
}
