import {
  codeOf,
  listIn,
  type S3Access,
  type S3Answer,
  type S3Request,
  sendToS3,
  textIn,
  type Xml,
  xmlOf,
} from './s3-client.ts';
import { assertKey, type ByteRange, missingObject, type Store, type StoredObject, shortObject } from './store.ts';

/** From here on an object goes in parts, so that what fails on the way is sent again without the rest. */
const MULTIPART_BYTES = 64 * 1024 * 1024;
const PART_BYTES = 16 * 1024 * 1024;
/** No upload takes that long, so what is older was left by a process that died. */
const ABANDONED_AFTER_MS = 24 * 3600_000;

/**
 * A store in a bucket of S3, or of anything that speaks S3. One put is one request, or one that completes an upload in parts, which S3
 * makes whole or not at all; nothing conditional is asked of it.
 */
export class S3Store implements Store {
  readonly #account: S3Access;
  readonly #multipartBytes: number;

  constructor(account: S3Access, multipartBytes = MULTIPART_BYTES) {
    this.#account = account;
    this.#multipartBytes = multipartBytes;
  }

  async put(key: string, parts: readonly Uint8Array[]): Promise<void> {
    assertKey(key);
    const body = Buffer.concat(parts);
    if (body.length > this.#multipartBytes) return this.#putInParts(key, body);
    await this.#send({ method: 'PUT', key, body }, 200);
  }

  async #putInParts(key: string, body: Buffer): Promise<void> {
    const begun = xmlOf(await this.#send({ method: 'POST', key, query: { uploads: '' }, body: Buffer.alloc(0) }, 200));
    const uploadId = textIn(begun, 'UploadId');
    try {
      let list = '';
      for (let number = 1, at = 0; at < body.length; number++, at += PART_BYTES) {
        const query = { partNumber: `${number}`, uploadId };
        const { headers } = await this.#send(
          { method: 'PUT', key, query, body: body.subarray(at, at + PART_BYTES) },
          200,
        );
        list += `<Part><PartNumber>${number}</PartNumber><ETag>${headers.get('etag')}</ETag></Part>`;
      }
      const complete = Buffer.from(`<CompleteMultipartUpload>${list}</CompleteMultipartUpload>`);
      const done = await this.#send({ method: 'POST', key, query: { uploadId }, body: complete }, 200);
      // The status is sent before the work is done, so a failure may come with a 200.
      if (codeOf(done) !== '') throw new Error(`S3 answered ${codeOf(done)} to the end of ${key}`);
    } catch (error) {
      await this.#send({ method: 'DELETE', key, query: { uploadId } }, 204, 200, 404).catch(() => {});
      throw error;
    }
  }

  async get(key: string, range?: ByteRange): Promise<Buffer> {
    assertKey(key);
    // There is no way to ask S3 for no bytes.
    if (range && isNothing(range)) return this.#getNothing(key, 'start' in range ? range.start : 0);
    const asked = range ? { range: `bytes=${rangeText(range)}` } : {};
    const answer = await this.#send({ method: 'GET', key, ...asked }, 200, 206, 404, 416);
    if (answer.status === 404) throw missing(key, answer);
    const isExact = range !== undefined && 'length' in range;
    // The object is empty, and its last bytes are none; or it ends before the first one that was asked for.
    if (answer.status === 416 && range && !isExact) return Buffer.alloc(0);
    if (answer.status === 416) throw shortObject(key);
    if (isExact && answer.body.length !== range.length) throw shortObject(key);
    return answer.body;
  }

  async #getNothing(key: string, start: number): Promise<Buffer> {
    const answer = await this.#send({ method: 'HEAD', key }, 200, 404);
    if (answer.status === 404) throw missing(key, answer);
    if (start > Number(answer.headers.get('content-length'))) throw shortObject(key);
    return Buffer.alloc(0);
  }

  async list(prefix: string): Promise<StoredObject[]> {
    const found: StoredObject[] = [];
    for await (const page of this.#pages({ prefix: this.#below(prefix) })) {
      for (const object of listIn(page, 'Contents')) {
        found.push({
          key: textIn(object, 'Key').slice(this.#account.prefix.length),
          sizeBytes: Number(textIn(object, 'Size')),
          storedAtMs: Date.parse(textIn(object, 'LastModified')),
        });
      }
    }
    return found.sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  async names(prefix: string): Promise<string[]> {
    const found: string[] = [];
    const start = this.#below(prefix);
    for await (const page of this.#pages({ prefix: start, delimiter: '/' })) {
      for (const folder of listIn(page, 'CommonPrefixes')) found.push(textIn(folder, 'Prefix').slice(start.length, -1));
      for (const object of listIn(page, 'Contents')) found.push(textIn(object, 'Key').slice(start.length));
    }
    return found.sort();
  }

  async delete(key: string): Promise<void> {
    assertKey(key);
    await this.#send({ method: 'DELETE', key }, 204, 200, 404);
  }

  /** Uploads in parts that nobody will end cost room, and no list shows them. */
  async removeAbandoned(nowMs = Date.now()): Promise<void> {
    const { prefix } = this.#account;
    const answer = await this.#request(
      { method: 'GET', query: { uploads: '', ...(prefix ? { prefix } : {}) } },
      200,
      501,
    );
    if (answer.status === 501) return;
    for (const upload of listIn(xmlOf(answer), 'Upload')) {
      if (nowMs - Date.parse(textIn(upload, 'Initiated')) < ABANDONED_AFTER_MS) continue;
      const [key, uploadId] = [textIn(upload, 'Key'), textIn(upload, 'UploadId')];
      await this.#request({ method: 'DELETE', key, query: { uploadId } }, 204, 200, 404);
    }
  }

  async *#pages(query: Record<string, string>): AsyncGenerator<Xml> {
    let token: string | undefined;
    do {
      const next: Record<string, string> = token === undefined ? {} : { 'continuation-token': token };
      const page = xmlOf(await this.#request({ method: 'GET', query: { 'list-type': '2', ...query, ...next } }, 200));
      yield page;
      token = 'NextContinuationToken' in page ? textIn(page, 'NextContinuationToken') : undefined;
    } while (token !== undefined);
  }

  #below(prefix: string): string {
    return `${this.#account.prefix}${prefix === '' ? '' : `${prefix}/`}`;
  }

  #send(request: S3Request & { key: string }, ...expected: number[]): Promise<S3Answer> {
    return this.#request({ ...request, key: `${this.#account.prefix}${request.key}` }, ...expected);
  }

  async #request(request: S3Request, ...expected: number[]): Promise<S3Answer> {
    const answer = await sendToS3(this.#account, request);
    if (expected.includes(answer.status)) return answer;
    throw new Error(`S3 answered ${answer.status} ${codeOf(answer)} to ${request.method} ${request.key ?? 'a list'}`);
  }
}

/** A bucket that is not there says nothing about an object. */
function missing(key: string, answer: S3Answer): Error {
  return codeOf(answer) === 'NoSuchBucket' ? new Error('S3 has no such bucket') : missingObject(key);
}

const isNothing = (range: ByteRange) =>
  ('last' in range ? range.last : 'atMost' in range ? range.atMost : range.length) === 0;

function rangeText(range: ByteRange): string {
  if ('last' in range) return `-${range.last}`;
  return `${range.start}-${range.start + ('atMost' in range ? range.atMost : range.length) - 1}`;
}
