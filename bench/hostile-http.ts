import { parseBody } from '#core/http/body.ts';
import { MAX_HEADER_BYTES } from '#core/http/connections.ts';
import { readCookies } from '#core/http/cookies.ts';
import type { Operation } from '#core/http/operation.ts';
import { readersOf } from '#core/http/readers.ts';
import { readSimpleRequest } from '#core/http/simple/simple-request.ts';
import { protocolsOf } from '#core/http/tls/client-hello.ts';
import { pageKey } from '#edge/cache/cache-key.ts';
import { Proxies } from '#edge/client-address.ts';
import { bestCoding } from '#edge/compression/codings.ts';
import { cookiesOf, withoutDoorCookies } from '#edge/door-cookie.ts';
import { matchesEtag, readRange } from '#edge/preconditions.ts';
import { answerHeaders } from '#edge/proxy/headers.ts';
import { decodePath, parseTarget } from '#edge/target.ts';
import { operationsOf } from '#features/feature.ts';
import { features } from '#features/index.ts';
import { maskAddress } from '#host/site-log/entries.ts';
import { findScript } from '#runtimes/php/find-script.ts';
import { type Hostile, MB, many } from './hostile-input.ts';

/** Input that an unauthenticated client can send: bodies up to 1 MB, heads up to the limit of the server. */
export function httpInputs(): Hostile[] {
  return [...forms(), ...json(), ...heads()];
}

function forms(): Hostile[] {
  const form = (name: string, text: string): Hostile => {
    const raw = Buffer.from(text);
    return { name: `form: ${name}`, bytes: raw.length, read: () => parseBody(raw, FORM) };
  };
  return [
    form('100,000 names', many(100_000, (at) => `a${at}=1`).join('&')),
    form('one name 240,000 times', many(240_000, () => 'a=1').join('&')),
    form('separators alone', '&'.repeat(MB)),
    form('200 fields, each letter escaped', many(200, (at) => `a${at}=${'%41'.repeat(1_700)}`).join('&')),
    form('200 fields, each byte no UTF-8', many(200, (at) => `a${at}=${'%ff'.repeat(1_700)}`).join('&')),
  ];
}

const FORM = 'application/x-www-form-urlencoded';

function json(): Hostile[] {
  const document = (name: string, text: string): Hostile => {
    const raw = Buffer.from(text);
    return { name: `JSON: ${name}`, bytes: raw.length, read: () => parseBody(raw, 'application/json') };
  };
  return [
    document('empty objects', `[${many(MB / 3, () => '{}').join()}]`),
    document('lists in lists, with a credential', '['.repeat(MB / 2) + ']'.repeat(MB / 2)),
    document('lists in lists, without a credential', '['.repeat(64 * 1024) + ']'.repeat(64 * 1024)),
    document('different names', `{${many(80_000, (at) => `"a${at}":1`).join()}}`),
    document('escapes', `["${'\\u00e9'.repeat(MB / 6)}"]`),
    ...validation(),
  ];
}

/** The bodies of all operations. Of inputs with one name the report shows the one that takes longest. */
function validation(): Hostile[] {
  const unknown = Object.fromEntries(many(90_000, (at) => [`a${at}`, 1]));
  const list = many(MB / 9, () => '\0');
  return operationsOf(features).flatMap((operation) => {
    const read = readersOf(operation).body;
    if (!read) return [];
    return [
      { name: 'validation: 90,000 unknown fields', bytes: MB, read: () => read(unknown, []) },
      ...namesIn(operation).map((name) => ({
        name: 'validation: 115,000 NULs in one field',
        bytes: MB,
        read: () => read({ [name]: list }, []),
      })),
    ];
  });
}

function namesIn({ body }: Operation): string[] {
  const { properties = {} } = body as { properties?: object };
  return Object.keys(properties);
}

function heads(): Hostile[] {
  const room = MAX_HEADER_BYTES - 100;
  const head = (name: string, text: string, read: (text: string) => unknown): Hostile => ({
    name: `head: ${name}`,
    bytes: text.length,
    read: () => read(text),
  });
  const visitor = (cookie: string) => ({ headers: { cookie }, protocol: 'https' });
  const proxies = new Proxies(['10.0.0.0/8']);
  const target = (url: string) => parseTarget(url, 'blog.example.com');
  const simple = Buffer.from(`GET / HTTP/1.1\r\nHost: a\r\n${many(1_100, (at) => `${at}:\r\n`).join('')}\r\n`);
  const hello = clientHello();
  // The edge caches parsed values.
  let reads = 0;
  return [
    { name: 'head: simple request', bytes: simple.length, read: () => readSimpleRequest(simple) },
    { name: 'head: ClientHello of empty extensions', bytes: hello.length, read: () => protocolsOf(hello) },
    head('cookies', 'session=;'.repeat(room / 9), (text) => readCookies('http://a.example', 'session', text)),
    head('cookies of the edge', ';'.repeat(room), (text) => [
      cookiesOf(visitor(text), 'pass'),
      withoutDoorCookies(text),
    ]),
    head('Connection of no-break spaces', `${'\u00a0'.repeat(room)}x`, (text) => answerHeaders(['Connection', text])),
    head('Connection of names', many(room / 6, (at) => `x${at}`).join(), (text) => answerHeaders(['Connection', text])),
    head('path of escapes', `/${'%41'.repeat(room / 3)}`, (url) => [target(url), decodePath(url)]),
    head('path of slashes and dots', `/${'./'.repeat(room / 2)}`, target),
    head('path of scripts', `/x${'.php/'.repeat(room / 5)}%E2%80%A8`, (url) => findScript(url, () => false)),
    head('query of separators', `?${'&'.repeat(room)}`, (query) => pageKey('/', query)),
    head('query in a log', `/?${'key=1&'.repeat(room / 6)}`, maskAddress),
    head('X-Forwarded-For', many(room / 9, () => '10.0.0.1').join(), (text) =>
      proxies.clientAddress('10.0.0.1', { 'x-forwarded-for': text }),
    ),
    head('Accept-Encoding', 'br;q=0,'.repeat(room / 7), (text) => bestCoding(`${text}${++reads}`, 'kept')),
    head('If-None-Match', '"a",'.repeat(room / 4), (text) => matchesEtag(text, '"b"')),
    head('Range', `bytes=${' '.repeat(room)}1-2x`, (text) => readRange(text, 100)),
  ];
}

/** As long as a record may be, and nothing in it but extensions without content. */
function clientHello(): Buffer {
  const record = Buffer.alloc(16 * 1024 + 5);
  record.writeUInt16BE(0xfffe, 47);
  for (let at = 49; at + 4 <= record.length; at += 4) record.writeUInt16BE(0xffff, at);
  return record;
}
