import type { Incoming } from './proxy.call.ts';
import type { BodyEncoding, ProxyAnswer } from './proxy.schema.ts';
import { cut, readBase64, readText } from './proxy.text.ts';

/** What concerns the connection between the other side and us, or would set a cookie where none belongs. */
const NOT_PASSED_ON = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'set-cookie',
  'set-cookie2',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const TEXT = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:xml|javascript|x-www-form-urlencoded)\b|image\/svg\+xml)/i;
const JSON_TYPE = /^[\w.-]+\/(?:[\w.-]+\+)?json\b/i;
/**
 * What is parsed is in the way of everybody else until it is written again: ten megabytes of `{}` took six seconds. Larger answers are passed
 * on as the text that they are, which is written in parts.
 */
const JSON_LIMITS = { bytes: 2 * 1024 * 1024, values: 50_000, depth: 500 };
const HEADERS = 200;

/** What the other side said, without what it was told in confidence: some echo a request's headers. */
export async function toProxyAnswer(incoming: Incoming, secrets: readonly string[] = []): Promise<ProxyAnswer> {
  const named = [incoming.headers.connection ?? []]
    .flat()
    .join(',')
    .toLowerCase()
    .split(/[\s,]+/);
  const headers = Object.entries(incoming.headers)
    .slice(0, HEADERS)
    .filter(([name]) => !NOT_PASSED_ON.has(name) && !named.includes(name) && !name.startsWith('x-siteyard-'))
    .map(([name, value]) => [name, cut([value ?? []].flat().join(', '), secrets)]);
  return { status_code: incoming.status, headers: Object.fromEntries(headers), ...(await readBody(incoming, secrets)) };
}

async function readBody(
  incoming: Incoming,
  secrets: readonly string[],
): Promise<{ body: unknown; body_encoding: BodyEncoding }> {
  const { headers, body } = incoming;
  if (body.length === 0) return { body: null, body_encoding: 'empty' };
  const type = String(headers['content-type'] ?? '');
  const isPlain = ['', 'identity'].includes(String(headers['content-encoding'] ?? '').toLowerCase());
  const isText = isPlain && (JSON_TYPE.test(type) || TEXT.test(type));
  const text = isText ? await readText(body, secrets) : undefined;
  if (text === undefined) return { body: await readBase64(body, secrets), body_encoding: 'base64' };
  if (!JSON_TYPE.test(type) || body.length > JSON_LIMITS.bytes || !isModest(text))
    return { body: text, body_encoding: 'text' };
  try {
    return { body: withoutSecrets(JSON.parse(text), secrets), body_encoding: 'json' };
  } catch {
    return { body: text, body_encoding: 'text' };
  }
}

/** JSON can spell one text in many ways; written anew, a secret in it is spelt as we spell it. */
function withoutSecrets(value: unknown, secrets: readonly string[]): unknown {
  if (secrets.length === 0) return value;
  const written = JSON.stringify(value);
  const clean = cut(written, secrets);
  return clean === written ? value : JSON.parse(clean);
}

/**
 * Whether lists and objects do not stand inside one another too often, nor are too many; what is inside of texts counts too. Letter by letter,
 * as a pattern takes seconds.
 */
function isModest(json: string): boolean {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < json.length; at++) {
    const sign = json.charCodeAt(at);
    if (sign === COMMA) values++;
    else if (sign === OPENS.list || sign === OPENS.object) {
      depth++;
      values++;
    } else if (sign === CLOSES.list || sign === CLOSES.object) depth--;
    if (depth > JSON_LIMITS.depth || values > JSON_LIMITS.values) return false;
  }
  return true;
}

const COMMA = 0x2c;
const OPENS = { list: 0x5b, object: 0x7b };
const CLOSES = { list: 0x5d, object: 0x7d };
