import type { Incoming } from './proxy.call.ts';
import type { BodyEncoding, ProxyAnswer } from './proxy.schema.ts';

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
/** JSON needs six letters for each of these. */
const NOT_IN_TEXT = /[^\P{Cc}\t\n\r\u007f-\u009f]/u;
const HEADERS = 200;
/** A shorter one could stand in any answer by chance. */
const MIN_SECRET_LENGTH = 6;

/** What the other side said, without what it was told in confidence: some echo a request's headers. */
export function toProxyAnswer(incoming: Incoming, secrets: readonly string[] = []): ProxyAnswer {
  const named = [incoming.headers.connection ?? []]
    .flat()
    .join(',')
    .toLowerCase()
    .split(/[\s,]+/);
  const headers = Object.entries(incoming.headers)
    .slice(0, HEADERS)
    .filter(([name]) => !NOT_PASSED_ON.has(name) && !named.includes(name) && !name.startsWith('x-siteyard-'))
    .map(([name, value]) => [name, cut([value ?? []].flat().join(', '), secrets)]);
  return { status_code: incoming.status, headers: Object.fromEntries(headers), ...readBody(incoming, secrets) };
}

function readBody(incoming: Incoming, secrets: readonly string[]): { body: unknown; body_encoding: BodyEncoding } {
  const { headers, body } = incoming;
  if (body.length === 0) return { body: null, body_encoding: 'empty' };
  const type = String(headers['content-type'] ?? '');
  const isPlain = ['', 'identity'].includes(String(headers['content-encoding'] ?? '').toLowerCase());
  const text = isPlain && (JSON_TYPE.test(type) || TEXT.test(type)) ? decode(body) : undefined;
  if (text === undefined) {
    // A secret in what is no text is not looked for letter by letter, but such an answer is none that can be shown.
    const latin1 = body.toString('latin1');
    return cut(latin1, secrets) === latin1
      ? { body: body.toString('base64'), body_encoding: 'base64' }
      : { body: Buffer.from(cut(latin1, secrets), 'latin1').toString('base64'), body_encoding: 'base64' };
  }
  if (!JSON_TYPE.test(type) || body.length > JSON_LIMITS.bytes || !isModest(text))
    return { body: cut(text, secrets), body_encoding: 'text' };
  try {
    const value: unknown = JSON.parse(text);
    // JSON can spell one text in many ways; written anew, a secret in it is spelt as we spell it.
    const body = secrets.length === 0 ? value : JSON.parse(cut(JSON.stringify(value), secrets));
    return { body, body_encoding: 'json' };
  } catch {
    return { body: cut(text, secrets), body_encoding: 'text' };
  }
}

export function cut(text: string, secrets: readonly string[]): string {
  let result = text;
  for (const secret of secrets) {
    if (secret.length < MIN_SECRET_LENGTH) continue;
    // As it is, and as JSON writes it.
    for (const form of new Set([secret, JSON.stringify(secret).slice(1, -1)]))
      result = result.replaceAll(form, '[cut]');
  }
  return result;
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

function decode(body: Buffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    return NOT_IN_TEXT.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}
