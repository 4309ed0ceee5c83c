import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:http2';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { http2Requests } from './http2.ts';

test('a connection that does nothing is let go of, also when an answer took longer than that before', async (t) => {
  const idleMs = 200;
  const sockets = new Set<Socket>();
  const requests = http2Requests((_request, response) => void setTimeout(() => response.end('at last'), 3 * idleMs), {
    idleMs,
  });
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
  const closed = once(session, 'close', { signal: AbortSignal.timeout(30_000) });
  const stream = session.request({ ':path': '/' });
  assert.equal(Buffer.concat((await stream.toArray()) as Buffer[]).toString(), 'at last');
  await closed;
});
