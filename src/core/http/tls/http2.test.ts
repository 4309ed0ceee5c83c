import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientHttp2Session, connect, type OutgoingHttpHeaders } from 'node:http2';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
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

async function openSession(t: TestContext, requests: Http2Requests): Promise<ClientHttp2Session> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    requests.take(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
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
