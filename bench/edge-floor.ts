import { readFileSync } from 'node:fs';
import { createServer as createHttp, type RequestListener } from 'node:http';
import { createSecureServer as createHttp2 } from 'node:http2';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, createServer as createNet, type Socket } from 'node:net';
import { createServer as createTls } from 'node:tls';

/**
 * The least that Node can do for an answer that is in memory: with its servers of HTTP, and below that with nothing but a connection, where
 * whatever ends with an empty line is taken for a request. The second is no server; it tells what the first costs.
 */
const [bodyFile = '', key = '', cert = ''] = process.argv.slice(2);
const body = readFileSync(bodyFile);
const head = `HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: ${body.length}\r\nDate: ${new Date().toUTCString()}\r\n\r\n`;
const whole = Buffer.concat([Buffer.from(head, 'latin1'), body]);

const handle: RequestListener = (_request, response) => {
  response.writeHead(200, ['Content-Type', 'image/png', 'Content-Length', String(body.length)]).end(body);
};

const answer = (socket: Socket) => {
  let left = '';
  socket.on('data', (chunk) => {
    const text = left + chunk.toString('latin1');
    const parts = text.split('\r\n\r\n');
    left = parts.pop() ?? '';
    for (const _request of parts) socket.write(whole);
  });
  socket.on('error', () => socket.destroy());
};

const secure = { key: readFileSync(key), cert: readFileSync(cert) };
const optimizeEmptyRequests = true;
const http2 = createHttp2(secure);
http2.on('stream', (stream) => {
  stream.respond({ ':status': 200, 'content-type': 'image/png', 'content-length': body.length });
  stream.end(body);
});
const servers = [
  createHttp({ optimizeEmptyRequests }, handle),
  createHttps({ ...secure, optimizeEmptyRequests }, handle),
  http2,
  createNet(answer),
  createTls(secure, answer),
];
const ports = await Promise.all(
  servers.map(
    (server) =>
      new Promise<number>((resolve) => {
        server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
      }),
  ),
);
console.log(`ready: ${ports.join(' ')}`);
