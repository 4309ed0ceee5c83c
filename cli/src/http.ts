import { type IncomingMessage, request as plainRequest, type RequestOptions } from 'node:http';

/**
 * What the SDK needs of fetch, on node:http. Node's own fetch is a whole HTTP client in JavaScript and WebAssembly, and loading it takes
 * several times as long as Node itself takes to start.
 */
export async function lightFetch(url: string, init: RequestInit): Promise<Response> {
  const secure = url.startsWith('https:');
  // TLS is loaded where it is used. The other one must not be imported as a module, which would load fetch along with it.
  const request = secure ? (await import('node:https')).request : plainRequest;
  const body = init.body instanceof Object ? Buffer.from(await (init.body as Blob).arrayBuffer()) : init.body;
  const options: RequestOptions = {
    method: init.method ?? 'GET',
    headers: {
      ...(init.headers as Record<string, string>),
      ...(body != null && { 'content-length': Buffer.byteLength(body) }),
    },
    ...(init.signal && { signal: init.signal }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (message) => resolve(new Answer(message) as unknown as Response));
    sent.on('error', (cause) =>
      reject(init.signal?.aborted ? init.signal.reason : new TypeError('fetch failed', { cause })),
    );
    sent.end(body ?? undefined);
  });
}

/** As much of a Response as the SDK and the commands read. */
class Answer {
  readonly status: number;
  readonly ok: boolean;
  readonly headers: LightHeaders;
  readonly #message: IncomingMessage;
  #read: Promise<Buffer> | undefined;

  constructor(message: IncomingMessage) {
    this.#message = message;
    this.status = message.statusCode ?? 0;
    this.ok = this.status >= 200 && this.status < 300;
    this.headers = new LightHeaders(message);
  }

  async text(): Promise<string> {
    return (await this.#bytes()).toString('utf8');
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }

  async blob(): Promise<Blob> {
    return new Blob([new Uint8Array(await this.#bytes())]);
  }

  #bytes(): Promise<Buffer> {
    this.#read ??= new Promise((resolve, reject) => {
      const parts: Buffer[] = [];
      this.#message
        .on('data', (part: Buffer) => parts.push(part))
        .on('end', () => resolve(Buffer.concat(parts)))
        .on('error', (cause) => reject(new TypeError('the answer broke off', { cause })));
    });
    return this.#read;
  }

  /** What was read is kept, so that it can be read again. */
  clone(): Answer {
    return this;
  }

  get body(): Pick<ReadableStream<Uint8Array>, 'getReader' | 'cancel'> & AsyncIterable<Uint8Array> {
    const message = this.#message;
    const parts = message[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
    const reader = { read: async () => parts.next() };
    return {
      getReader: () => reader as never,
      cancel: async () => void message.resume(),
      [Symbol.asyncIterator]: () => parts,
    };
  }
}

class LightHeaders {
  readonly #message: IncomingMessage;

  constructor(message: IncomingMessage) {
    this.#message = message;
  }

  get(name: string): string | null {
    const value = this.#message.headers[name];
    return value === undefined ? null : String(value);
  }

  *[Symbol.iterator](): Generator<[string, string]> {
    for (const [name, value] of Object.entries(this.#message.headers)) yield [name, String(value)];
  }
}
