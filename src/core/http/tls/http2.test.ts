import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientHttp2Session, connect, constants, type OutgoingHttpHeaders, type Settings } from 'node:http2';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { pause } from '#testkit/pause.ts';
import { type Http2Requests, http2Requests } from './http2.ts';

test('a connection that does nothing is let go of, also when an answer took longer than that before', async (t) => {
  const idleMs = 200;
  const session = await openSession(
    t,
    http2Requests((_request, response) => void setTimeout(() => response.end('at last'), 3 * idleMs), { idleMs }),
  );
  const closed = once(session, 'close', { signal: AbortSignal.timeout(30_000) });
  assert.equal((await ask(session)).text, 'at last');
  await closed;
});

test('a response with 64 kB of headers arrives, and the connection stays', async (t) => {
  const headers = Array.from({ length: 200 }, (_, index) => (index % 2 === 0 ? `x-${index}` : 'a'.repeat(650)));
  const session = await openSession(
    t,
    http2Requests((_request, response) => void response.writeHead(200, headers).end('large')),
    { maxHeaderListSize: 256 * 1024 },
  );
  for (let times = 0; times < 2; times++) assert.equal((await ask(session)).text, 'large');
});

test('what is in memory is answered at once, and all else by Node', async (t) => {
  const seen: string[] = [];
  const answer = Buffer.from(
    'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nSet-Cookie: a=b; Path=/\r\nSet-Cookie: c=d\r\nX-Name: \xe9\r\n\r\nnow',
    'latin1',
  );
  const session = await openSession(
    t,
    http2Requests(
      (request, response) => {
        seen.push(`${request.method} ${request.url}`);
        request.resume().once('end', () => response.end('Node'));
      },
      {
        atOnce: ({ url, headers, remoteAddress, isSecure }) => {
          if (url === '/fault') throw new Error('a fault');
          assert.deepEqual(
            [headers.host, Object.keys(headers).some((name) => name.startsWith(':'))],
            ['a.example', false],
          );
          assert.deepEqual([remoteAddress, isSecure], ['127.0.0.1', true]);
          return url === '/now' ? answer : undefined;
        },
      },
    ),
  );
  const now = { ':path': '/now', ':authority': 'a.example' };
  for (let times = 0; times < 2; times++) {
    const { headers, text } = await ask(session, now);
    assert.deepEqual(
      [headers[':status'], headers['content-type'], headers['set-cookie'], headers['x-name'], text],
      [200, 'text/plain', ['a=b; Path=/', 'c=d'], '\xe9', 'now'],
    );
  }
  assert.deepEqual(seen, []);
  for (const other of [{ ':path': '/other' }, { ':path': '/fault' }, { ':method': 'HEAD' }, { ':method': 'POST' }]) {
    const { headers, text } = await ask(
      session,
      { ...now, ...other },
      other[':method'] === 'POST' ? 'body' : undefined,
    );
    assert.deepEqual(
      [headers[':status'], text],
      [200, other[':method'] === 'HEAD' ? '' : 'Node'],
      JSON.stringify(other),
    );
  }
  assert.deepEqual(seen, ['GET /other', 'GET /fault', 'HEAD /now', 'POST /now']);
  assert.equal((await ask(session, { ...now, host: 'b.example' })).headers[':status'], 400);
});

/** More than a client takes before it says that there is room for more. */
const LARGE = Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n${'x'.repeat(200_000)}`);

test('whoever resets an answer, or goes away in the middle of one, ends nobody else', async (t) => {
  const requests = http2Requests((_request, response) => void response.end(LARGE), {
    atOnce: ({ url }) => (url === '/now' ? LARGE : undefined),
  });
  const { NGHTTP2_INTERNAL_ERROR, NGHTTP2_REFUSED_STREAM, NGHTTP2_CANCEL } = constants;
  for (const path of ['/now', '/other'])
    for (const how of [NGHTTP2_INTERNAL_ERROR, NGHTTP2_REFUSED_STREAM, NGHTTP2_CANCEL, 'reset', 'end'] as const) {
      const session = await openSession(t, requests);
      const stream = session.request({ ':path': path });
      stream.on('error', () => undefined);
      await once(stream, 'response');
      stream.pause();
      const { socket } = session;
      if (typeof how === 'number') stream.close(how);
      else if (how === 'end') socket.destroy();
      else (socket as Socket).resetAndDestroy();
      await pause(50);
      // What nobody caught would have ended this process.
      const other = await openSession(t, requests);
      assert.equal((await ask(other, { ':path': path })).headers[':status'], 200, `${path} ${how}`);
    }
});

test('whoever does not take an answer is let go of', async (t) => {
  const idleMs = 200;
  const requests = http2Requests((_request, response) => void response.end(LARGE), {
    idleMs,
    atOnce: ({ url }) => (url === '/now' ? LARGE : undefined),
  });
  for (const path of ['/now', '/other']) {
    const session = await openSession(t, requests, { initialWindowSize: 0 });
    const closed = once(session, 'close', { signal: AbortSignal.timeout(30_000) });
    const stream = session.request({ ':path': path });
    stream.on('error', () => undefined);
    await once(stream, 'response');
    await closed;
  }
});

test('an answer may say twice what others say once, and what can not be said is left to Node', async (t) => {
  const answer = (line: string) => Buffer.from(`HTTP/1.1 200 OK\r\n${line}\r\n${line}\r\n\r\nnow`);
  const session = await openSession(
    t,
    http2Requests((_request, response) => void response.end('Node'), {
      atOnce: ({ url }) => answer(url === '/twice' ? 'X-Content-Type-Options: nosniff' : 'HTTP2-Settings: a'),
    }),
  );
  assert.equal((await ask(session, { ':path': '/twice' })).text, 'now');
  assert.equal((await ask(session, { ':path': '/unsaid' })).text, 'Node');
});

async function openSession(
  t: TestContext,
  requests: Http2Requests,
  settings: Settings = {},
): Promise<ClientHttp2Session> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    requests.take(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { settings });
  session.on('error', () => undefined);
  t.after(() => {
    session.destroy();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return session;
}

async function ask(session: ClientHttp2Session, headers: OutgoingHttpHeaders = {}, body?: string) {
  const stream = session.request(headers, { endStream: body === undefined });
  if (body !== undefined) stream.end(body);
  const [answered] = await once(stream, 'response');
  return { headers: answered, text: Buffer.concat((await stream.toArray()) as Buffer[]).toString() };
}
