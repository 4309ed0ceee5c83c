import { createHmac, hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

export interface S3Account {
  /** Such as https://s3.eu-central-1.amazonaws.com; the bucket becomes the first part of the path. */
  endpoint: string;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
}

export interface S3Request {
  method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  /** Without the bucket; made of plain characters alone, so that nothing needs to be escaped. */
  key?: string;
  query?: Record<string, string>;
  range?: string;
  body?: Buffer;
}

export interface S3Answer {
  status: number;
  headers: Headers;
  body: Buffer;
}

const ATTEMPTS = 5;
const FIRST_WAIT_MS = 100;
const TIMEOUT_MS = 120_000;

/**
 * Sends a request, and again where the server or the network failed: everything that the store does may be done twice.
 * Statuses that say something about the object are the caller's business.
 */
export async function sendToS3(account: S3Account, request: S3Request): Promise<S3Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      const answer = await sendOnce(account, request);
      if (answer.status < 500 && answer.status !== 429) return answer;
      if (attempt >= ATTEMPTS)
        throw new Error(`S3 answered ${answer.status} to ${request.method} ${request.key ?? ''}`);
    } catch (error) {
      if (attempt >= ATTEMPTS) throw error;
    }
    // Some randomness, so that many that failed together do not come back together.
    await sleep(FIRST_WAIT_MS * 2 ** attempt * (0.5 + Math.random() / 2));
  }
}

async function sendOnce(account: S3Account, request: S3Request): Promise<S3Answer> {
  const url = new URL(`/${account.bucket}${request.key === undefined ? '' : `/${request.key}`}`, account.endpoint);
  const query = canonicalQuery(request.query ?? {});
  url.search = query;
  const response = await fetch(url, {
    method: request.method,
    headers: sign(account, request, url, query, new Date()),
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(request.body ? { body: request.body as Uint8Array<ArrayBuffer> } : {}),
  });
  const body = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, body };
}

/** Signature version 4: https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html */
function sign(
  account: S3Account,
  { method, range, body }: S3Request,
  url: URL,
  query: string,
  now: Date,
): Record<string, string> {
  const time = now.toISOString().replace(/[-:]|\.\d+/g, '');
  const day = time.slice(0, 8);
  // The server compares it with what arrives, so a body that was damaged on the way is refused.
  const bodyHash = hash('sha256', body ?? '');
  const headers: Record<string, string> = {
    host: url.host,
    ...(range === undefined ? {} : { range }),
    'x-amz-content-sha256': bodyHash,
    'x-amz-date': time,
  };
  const names = Object.keys(headers).sort();
  const lines = names.map((name) => `${name}:${headers[name]}\n`).join('');
  const canonical = [method, url.pathname, query, lines, names.join(';'), bodyHash].join('\n');
  const scope = `${day}/${account.region}/s3/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', time, scope, hash('sha256', canonical)].join('\n');
  const key = [day, account.region, 's3', 'aws4_request'].reduce<string | Buffer>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    `AWS4${account.secretAccessKey}`,
  );
  const signature = createHmac('sha256', key).update(toSign).digest('hex');
  headers.authorization = `AWS4-HMAC-SHA256 Credential=${account.accessKeyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
  return headers;
}

/** Sorted and escaped as the signature wants it; what is sent must be the same text. */
function canonicalQuery(query: Record<string, string>): string {
  const escaped = (text: string) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  return Object.entries(query)
    .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
    .sort()
    .join('&');
}
