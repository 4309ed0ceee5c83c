import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { XMLParser } from 'fast-xml-parser';
import { askPlatform, type PlatformDoor, PlatformRefused } from '#core/platform-door.ts';
import { storeAway } from './store.ts';

interface S3Place {
  /** Such as https://s3.eu-central-1.amazonaws.com; the bucket becomes the first part of the path. */
  endpoint: string;
  region: string;
  bucket: string;
  /** Goes before every key; empty, or with a slash at its end. */
  prefix: string;
}

export interface S3Account extends S3Place {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

/** Who has no keys has each request signed by the platform, which looks at whose objects it is about. `grant` lends those of another. */
interface S3Signer extends S3Place {
  door: PlatformDoor;
  grant?: string;
}

export type S3Access = S3Account | S3Signer;

/** A request as it can be sent; its range is not among what is signed. */
export interface SignedRequest {
  url: string;
  headers: Record<string, string>;
}

export interface S3Request {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** With the prefix and without the bucket. */
  key?: string;
  query?: Record<string, string>;
  range?: string;
  body?: Uint8Array;
}

export interface S3Answer {
  status: number;
  headers: Headers;
  body: Buffer;
}

const ATTEMPTS = 6;
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5_000;
/** One request, with a body for which the line must have at least this speed. */
const TIMEOUT_MS = 15_000;
const SLOWEST_BYTES_PER_MS = 256;
/** All attempts together, so that nobody is taken for stalled who only waits here. */
const PATIENCE_MS = 40_000;

/** What is not about the request: the server is out of order, or wants less to be asked of it. */
const isTrouble = (status: number) => status >= 500 || status === 429 || status === 408;

/**
 * Sends a request, and again where the server, the network or a limit of theirs is in the way: everything that the store does may be
 * done twice. Where that lasts it fails by `store_away`. Statuses that say something about the object are the caller's business.
 */
export async function sendToS3(account: S3Access, request: S3Request): Promise<S3Answer> {
  const begunAt = performance.now();
  const timeoutMs = TIMEOUT_MS + Math.ceil((request.body?.length ?? 0) / SLOWEST_BYTES_PER_MS);
  for (let attempt = 1; ; attempt++) {
    let trouble: string;
    let waitMs = Math.min(FIRST_WAIT_MS * 2 ** attempt, LONGEST_WAIT_MS);
    try {
      const answer = await sendOnce(account, request, timeoutMs);
      if (!isTrouble(answer.status)) return answer;
      trouble = `it answered ${answer.status} ${codeOf(answer)}`;
      waitMs = Math.max(waitMs, Math.min(Number(answer.headers.get('retry-after') ?? 0) * 1000 || 0, LONGEST_WAIT_MS));
    } catch (error) {
      trouble = reasonOf(error as Error);
    }
    // Some randomness, so that many that failed together do not come back together.
    waitMs *= 0.5 + Math.random() / 2;
    const spentMs = performance.now() - begunAt;
    if (attempt >= ATTEMPTS || spentMs + waitMs > PATIENCE_MS + timeoutMs - TIMEOUT_MS) throw storeAway(trouble);
    await sleep(waitMs);
  }
}

async function sendOnce(account: S3Access, request: S3Request, timeoutMs: number): Promise<S3Answer> {
  const { method, range, body } = request;
  // The server compares it with what arrives, so a body that was damaged on the way is refused.
  const bodyHash = hash('sha256', body ?? '');
  const signed =
    'door' in account ? await askToSign(account, request, bodyHash) : await signS3(account, request, bodyHash);
  const response = await fetch(signed.url, {
    method,
    headers: { ...signed.headers, ...(range === undefined ? {} : { Range: range }) },
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
    ...(body ? { body: body as Uint8Array<ArrayBuffer> } : {}),
  });
  return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) };
}

/** With the keys of the account, for a body that has this hash. */
export async function signS3(
  { endpoint, bucket, region, accessKeyId, secretAccessKey, sessionToken }: S3Account,
  { method, key, query = {} }: Pick<S3Request, 'method' | 'key' | 'query'>,
  bodyHash: string,
): Promise<SignedRequest> {
  const url = new URL(`${endpoint}/${bucket}${key === undefined ? '' : `/${key}`}`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const credentials = { accessKeyId, secretAccessKey, region, ...(sessionToken ? { sessionToken } : {}) };
  const headers = { 'X-Amz-Content-Sha256': bodyHash };
  const signed = await new AwsV4Signer({ method, url: `${url}`, headers, service: 's3', ...credentials }).sign();
  return { url: `${signed.url}`, headers: Object.fromEntries(signed.headers as Iterable<[string, string]>) };
}

async function askToSign(
  { door, grant }: S3Signer,
  { method, key, query = {} }: S3Request,
  bodyHash: string,
): Promise<SignedRequest> {
  const wish = {
    method,
    query,
    hash: bodyHash,
    ...(key !== undefined && { key }),
    ...(grant !== undefined && { grant }),
  };
  try {
    return (await askPlatform(door, 'signBackup', wish)) as SignedRequest;
  } catch (error) {
    if (error instanceof PlatformRefused) throw error;
    // As a server that is away.
    throw new TypeError('the platform does not sign', { cause: error });
  }
}

/** `fetch` fails by a TypeError whatever is wrong with the line, and hides one level below what that is. */
function reasonOf(error: Error): string {
  if (error.name === 'TimeoutError') return 'it did not answer in time';
  if (!(error instanceof TypeError)) throw error;
  const { code, message } = (error.cause ?? error) as { code?: string; message: string };
  return code ?? message;
}

/** Everything as text; what may come several times is always a list. */
const parser = new XMLParser({
  parseTagValue: false,
  ignoreAttributes: true,
  isArray: (name) => ['Contents', 'CommonPrefixes', 'Upload'].includes(name),
});

export type Xml = { [name: string]: string | Xml | Xml[] | undefined };

/** What is inside of the one element that an answer is. */
export function xmlOf({ body }: Pick<S3Answer, 'body'>): Xml {
  const { '?xml': _, ...document } = parser.parse(body.toString()) as Record<string, Xml | string>;
  const [root] = Object.values(document);
  return typeof root === 'object' ? root : {};
}

export const listIn = (xml: Xml, name: string): Xml[] => (Array.isArray(xml[name]) ? (xml[name] as Xml[]) : []);

export function textIn(xml: Xml, name: string): string {
  const value = xml[name];
  if (typeof value !== 'string') throw new Error(`S3 answered without ${name}`);
  return value;
}

/** The word that S3 has for what is wrong. */
export function codeOf(answer: S3Answer): string {
  try {
    const { Code: code } = xmlOf(answer);
    return typeof code === 'string' ? code : '';
  } catch {
    return '';
  }
}
