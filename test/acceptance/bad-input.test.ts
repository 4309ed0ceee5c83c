import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, suite, test } from 'node:test';
import { API_PREFIX } from '#core/http/operation.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { sharedWorld } from './open-world.ts';
import { operations } from './operations.ts';
import { assertServes, checkRefusal, FAST_COUNT, WrongRequests, wrongRequests } from './wrong-requests.ts';

/** The first wrong requests of every operation, and what is not even HTTP. OPERATION=createSite walks one operation alone. */
let app: TestApp;
let wrong: WrongRequests;

before(async () => {
  const shared = await sharedWorld();
  app = shared.app;
  wrong = new WrongRequests(app, shared.world);
});
after(() => console.log(`bad input, ${wrong?.summary()}`));

suite('every wrong request gets a proper answer', () => {
  for (const operation of operations)
    test(operation.id, () => wrong.send(operation, wrongRequests(operation).slice(0, FAST_COUNT)));
});

suite('what is not even HTTP gets an answer in our shape, or the door', () => {
  const host = 'Host: localhost\r\n';
  const post = (headers: string, body: string) =>
    `POST ${API_PREFIX}/token HTTP/1.1\r\n${host}${headers}\r\n\r\n${body}`;
  const get = (headers: string) => `GET ${API_PREFIX}/me HTTP/1.1\r\n${host}${headers}\r\n\r\n`;
  const malformed: Record<string, string> = {
    garbage: 'lkj 23 \x00\x01\xff\r\n\r\n',
    'a TLS handshake': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    'HTTP/0.9': `GET ${API_PREFIX}/me\r\n\r\n`,
    'HTTP/3.0': `GET ${API_PREFIX}/me HTTP/3.0\r\n${host}\r\n`,
    'HTTP/2 with prior knowledge': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'a method that is none': `BREW ${API_PREFIX}/me HTTP/1.1\r\n${host}\r\n`,
    'a method in small letters': `get ${API_PREFIX}/me HTTP/1.1\r\n${host}\r\n`,
    'a blank in the path': `GET ${API_PREFIX}/me me HTTP/1.1\r\n${host}\r\n`,
    'a path without a slash': `GET me HTTP/1.1\r\n${host}\r\n`,
    'no host': `GET ${API_PREFIX}/me HTTP/1.1\r\n\r\n`,
    'two hosts': get('Host: evil.example'),
    'headers too large': get(`X: ${'x'.repeat(40_000)}`),
    'a path too large': `GET ${API_PREFIX}/${'x'.repeat(40_000)} HTTP/1.1\r\n${host}\r\n`,
    'too many headers': get(Array.from({ length: 6000 }, (_, at) => `X-${at}: y`).join('\r\n')),
    'a header without a colon': get('nonsense'),
    'a header with a blank name': get('X Y: z'),
    'a header with a NUL': get('X: a\x00b'),
    'a folded header': get('X: a\r\n b'),
    'a bare newline in a header': get('X: a\nY: b'),
    'a length that is no number': post('Content-Length: abc', '{}'),
    'a negative length': post('Content-Length: -1', '{}'),
    'two lengths': post('Content-Length: 2\r\nContent-Length: 3', '{}x'),
    'a length and chunks': post('Content-Length: 2\r\nTransfer-Encoding: chunked', '0\r\n\r\n'),
    'an unknown transfer encoding': post('Transfer-Encoding: gzip', '{}'),
    'chunks twice': post('Transfer-Encoding: chunked, chunked', '0\r\n\r\n'),
    'a chunk size that is no number': post('Transfer-Encoding: chunked', 'zz\r\n{}\r\n0\r\n\r\n'),
    'a chunk longer than it says': post('Transfer-Encoding: chunked', '1\r\n{}\r\n0\r\n\r\n'),
    'an expectation nobody can meet': get('Expect: the-spanish-inquisition'),
    'OPTIONS *': `OPTIONS * HTTP/1.1\r\n${host}\r\n`,
    CONNECT: `CONNECT evil.example:443 HTTP/1.1\r\n${host}\r\n`,
    'an upgrade': get('Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x'),
  };
  for (const [name, bytes] of Object.entries(malformed)) {
    test(name, async () => {
      const answer = await wrong.sendBytes(Buffer.from(bytes, 'latin1'));
      if (name === 'CONNECT') return assert.equal(answer, undefined);
      assert.ok(answer, 'the connection was closed without an answer');
      assert.ok(answer.status >= 400 && answer.status < 500, `${answer.status} ${answer.body}`);
      checkRefusal(answer);
      assert.ok(answer.headers.has('x-request-id'), 'no x-request-id');
    });
  }

  test('a request that breaks off disturbs nobody', async () => {
    const whole = post('Content-Type: application/json\r\nContent-Length: 100', '{"username":"a"');
    for (const end of [1, 20, 60, whole.length]) {
      const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
      await new Promise<void>((resolve) => socket.write(whole.slice(0, end), () => resolve()));
      socket.destroy();
    }
  });
});

test('connections that never ask anything do not keep the service from stopping', async () => {
  const other = await startTestApp();
  const sockets = ['', 'GET / HT', `GET / HTTP/1.1\r\nHost: localhost\r\nX`].map((bytes) => {
    const socket = connect(Number(new URL(other.url).port), '127.0.0.1');
    socket.on('error', () => {});
    if (bytes) socket.write(bytes);
    return socket;
  });
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
  assert.equal((await fetch(`${other.url}/healthz`)).status, 200);
  const hungUp = Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve))));
  const started = Date.now();
  const closed = other.close();
  // How long the rest of a stop takes depends on the machine. Whoever still sends is given ten seconds.
  await hungUp;
  assert.ok(Date.now() - started < 8000, `it took ${Date.now() - started} ms`);
  await closed;
});

test('after all this the service works as before', () => assertServes(app));
