import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { FULL, Random, SEED } from '#testkit/random.ts';
import { readSimpleRequest } from './simple-request.ts';

const TRIES = FULL ? 100_000 : 3_000;
const read = (text: string) => readSimpleRequest(Buffer.from(text, 'latin1'));
const BASE =
  'GET /a/b?c=d&e HTTP/1.1\r\nHost: blog.example.org\r\nAccept: text/html,*/*;q=0.8\r\nConnection: keep-alive\r\n\r\n';

describe('a simple request', () => {
  test('is a path, a host and lines that say what is wanted', () => {
    assert.deepEqual(read(BASE), {
      url: '/a/b?c=d&e',
      headers: { host: 'blog.example.org', accept: 'text/html,*/*;q=0.8', connection: 'keep-alive' },
      isLast: false,
    });
  });

  test('may be the last one of its connection', () => {
    assert.equal(read(BASE.replace('keep-alive', 'Close'))?.isLast, true);
  });

  const host = 'Host: blog.example.org\r\n';
  const others: Record<string, string> = {
    'of another method': BASE.replace('GET', 'HEAD'),
    'of another version': BASE.replace('1.1', '1.0'),
    'of a whole address': BASE.replace('/a/b', 'http://blog.example.org/a/b'),
    'without a host': `GET / HTTP/1.1\r\nAccept: */*\r\n\r\n`,
    'with two hosts': `GET / HTTP/1.1\r\n${host}${host}\r\n`,
    'with two lines of one name': `GET / HTTP/1.1\r\n${host}Cookie: a\r\ncookie: b\r\n\r\n`,
    'with a body': `GET / HTTP/1.1\r\n${host}Content-Length: 3\r\n\r\nabc`,
    'with a body of no bytes': `GET / HTTP/1.1\r\n${host}Content-Length: 0\r\n\r\n`,
    'with a body in pieces': `GET / HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n`,
    'with something behind it': `${BASE}G`,
    'with another one behind it': `${BASE}${BASE}`,
    'that is not all there': BASE.slice(0, -1),
    'that may be the last one or not': BASE.replace('keep-alive', 'close, keep-alive'),
    'that changes its protocol': BASE.replace('keep-alive', 'keep-alive, Upgrade'),
    'that names lines of its connection': BASE.replace('keep-alive', 'keep-alive, accept'),
    'that is asked whether it may come': `GET / HTTP/1.1\r\n${host}Expect: 100-continue\r\n\r\n`,
    'with a folded line': `GET / HTTP/1.1\r\n${host}X-A: b\r\n c\r\n\r\n`,
    'with a blank before the colon': `GET / HTTP/1.1\r\n${host}X-A : b\r\n\r\n`,
    'with bare ends of lines': BASE.replaceAll('\r\n', '\n'),
    'with a bare end inside': BASE.replace('*/*', '*\n*'),
    'with a letter that is none': BASE.replace('*/*', '*\0*'),
    'with letters beyond ASCII': BASE.replace('*/*', '*\xe9*'),
    'with a blank in its path': BASE.replace('/a/b', '/a b'),
    'with a name of an object': `GET / HTTP/1.1\r\n${host}constructor: x\r\n\r\n`,
    'longer than most': BASE.replace('*/*', 'x'.repeat(9_000)),
  };
  for (const [name, text] of Object.entries(others)) test(`is none ${name}`, () => assert.equal(read(text), undefined));
});

describe('what is read here', () => {
  const seen: { method: string | undefined; url: string | undefined; headers: IncomingHttpHeaders }[] = [];
  const server = createServer({ requireHostHeader: false, optimizeEmptyRequests: true }, (request, response) => {
    seen.push({ method: request.method, url: request.url, headers: { ...request.headers } });
    response.end();
  });
  before(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  after(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });

  const sendToNode = (bytes: Buffer) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
      let answer = '';
      socket.on('data', (chunk) => {
        answer += chunk.toString('latin1');
        if (answer.endsWith('\r\n\r\n')) socket.destroy();
      });
      socket.once('close', () => resolve(answer)).once('error', reject);
      socket.write(bytes);
    });

  test('is read by Node as the same one request, whatever was done to it', { timeout: 600_000 }, async (t) => {
    const random = new Random(SEED);
    let simple = 0;
    for (let tries = 0; tries < TRIES; tries++) {
      const bytes = changed(random);
      const request = readSimpleRequest(bytes);
      if (!request) continue;
      simple++;
      seen.length = 0;
      const shown = JSON.stringify(bytes.toString('latin1'));
      const answer = await sendToNode(bytes);
      assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/, shown);
      assert.deepEqual(seen, [{ method: 'GET', url: request.url, headers: request.headers }], shown);
      assert.equal(/\r\nConnection: close\r\n/.test(answer), request.isLast, shown);
    }
    t.diagnostic(`seed ${SEED}: ${simple} of ${TRIES} were simple`);
    assert.ok(simple > TRIES / 20);
  });
});

const LINES = [
  'X-A: b',
  'cookie: c=d; e',
  'User-Agent:  M (x) ',
  'accept-encoding:gzip',
  'Referer: http://a/',
  'DNT:',
  'TE: a',
];
const ODD = [
  '\r',
  '\n',
  '\r\n',
  ':',
  ' ',
  '\t',
  '\0',
  '\x7f',
  '\xff',
  'GET / HTTP/1.1',
  'Content-Length: 1',
  ',',
  '%',
  '#',
  '\\',
  '"',
];

/** A request with other lines, some of whose letters were changed, added or taken away. */
function changed(random: Random): Buffer {
  const connection = `Connection: ${random.pick(['keep-alive', 'close'])}`;
  const lines = random.shuffled([...LINES, 'Host: a.example', connection]).slice(0, 2 + random.below(7));
  let text = `GET /${random.pick(['', 'x', 'a?b=%2f', '//', '.'])} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
  for (let edits = random.below(3); edits > 0; edits--) {
    const at = random.below(text.length + 1);
    const odd = random.below(2) ? random.pick(ODD) : String.fromCharCode(random.below(256));
    text = text.slice(0, at) + (random.below(4) ? odd : '') + text.slice(at + random.below(3));
  }
  return Buffer.from(text, 'latin1');
}
