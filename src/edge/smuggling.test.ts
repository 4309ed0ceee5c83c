import assert from 'node:assert/strict';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import { EdgeWorld, HOST } from '#testkit/app/edge-world.ts';

/** Requests whose end two servers might see at different places, sent byte by byte as an attacker would. */
let world: EdgeWorld;
let external: Server;
const externalUrls: (string | undefined)[] = [];
const echo: RequestListener = (request, response) => {
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
  });
  request.on('end', () => {
    response.setHeader('cache-control', 'no-store');
    response.end(`[${request.method} ${request.url} ${size}]`);
  });
};
before(async () => {
  world = new EdgeWorld(echo);
  await world.start();
  external = createServer((request, response) => {
    externalUrls.push(request.url);
    echo(request, response);
  });
  await new Promise<void>((resolve) => external.listen(0, '127.0.0.1', resolve));
  const target = `http://127.0.0.1:${(external.address() as AddressInfo).port}`;
  await world.setRoutes(world.route({ externalPaths: [{ path: '/shop', target }] }));
});
after(async () => {
  await world.close();
  external.closeAllConnections();
  external.close();
});
beforeEach(() => world.site.requests.splice(0));

const HIDDEN = `GET /smuggled HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`;
const post = (headers: string, body: string) => `POST /x HTTP/1.1\r\nHost: ${HOST}\r\n${headers}\r\n\r\n${body}`;

const refused: Record<string, string> = {
  'CL.TE': post('Content-Length: 6\r\nTransfer-Encoding: chunked', `0\r\n\r\n${HIDDEN}`),
  'TE.CL': post('Transfer-Encoding: chunked\r\nContent-Length: 4', `5c\r\n${HIDDEN}\r\n0\r\n\r\n`),
  'TE twice': post('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity', `0\r\n\r\n${HIDDEN}`),
  'TE gzip, chunked': post('Transfer-Encoding: gzip, chunked', `0\r\n\r\n${HIDDEN}`),
  'TE xchunked': post('Transfer-Encoding: xchunked', `0\r\n\r\n${HIDDEN}`),
  'TE with a vertical tab': post('Transfer-Encoding: \u000bchunked', `0\r\n\r\n${HIDDEN}`),
  'TE chunked, identity': post('Transfer-Encoding: chunked, identity', `0\r\n\r\n${HIDDEN}`),
  'CL twice, different': post('Content-Length: 0\r\nContent-Length: 44', HIDDEN),
  'CL twice, equal': post('Content-Length: 3\r\nContent-Length: 3', 'abc'),
  'CL as a list': post('Content-Length: 3, 3', 'abc'),
  'CL with a sign': post('Content-Length: +3', 'abc'),
  'CL negative': post('Content-Length: -3', 'abc'),
  'CL hexadecimal': post('Content-Length: 0x3', 'abc'),
  'CL with a space inside': post('Content-Length: 3 3', 'abc'),
  'space before the colon': post('Content-Length : 3', 'abc'),
  'tab before the colon': post('Transfer-Encoding\t: chunked', `0\r\n\r\n${HIDDEN}`),
  'folded header': post('X-A: b\r\n Content-Length: 44', HIDDEN),
  'folded TE': post('Transfer-Encoding:\r\n chunked', `0\r\n\r\n${HIDDEN}`),
  'bare LF': `POST /x HTTP/1.1\nHost: ${HOST}\nContent-Length: 0\n\n${HIDDEN}`,
  'bare LF between headers': `POST /x HTTP/1.1\r\nHost: ${HOST}\r\nX-A: b\nContent-Length: 44\r\n\r\n${HIDDEN}`,
  'bare CR in a value': post('X-A: b\rContent-Length: 44', HIDDEN),
  'NUL in a value': post('X-A: b\0c\r\nContent-Length: 0', ''),
  'a header without a name': post(': chunked', ''),
  'chunk size with a sign': post('Transfer-Encoding: chunked', `+1\r\na\r\n0\r\n\r\n`),
  'chunk size with 0x': post('Transfer-Encoding: chunked', `0x1\r\na\r\n0\r\n\r\n`),
  'chunk that overflows': post('Transfer-Encoding: chunked', `ffffffffffffffffff\r\na\r\n0\r\n\r\n`),
  'chunk ended by LF': post('Transfer-Encoding: chunked', `1\na\n0\n\n${HIDDEN}`),
  'chunk longer than said': post('Transfer-Encoding: chunked', `1\r\nabc\r\n0\r\n\r\n${HIDDEN}`),
  'HTTP/1.0 with chunks': `POST /x HTTP/1.0\r\nHost: ${HOST}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
  'HTTP/2 in plain words': `POST /x HTTP/2.0\r\nHost: ${HOST}\r\nContent-Length: 0\r\n\r\n`,
  'a method that is none': `P(ST /x HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 0\r\n\r\n`,
};

for (const [name, bytes] of Object.entries(refused)) {
  test(`refused, and nothing hidden behind it is answered: ${name}`, async () => {
    const answer = await world.raw(Buffer.from(bytes, 'latin1'), 150);
    assert.match(answer, /^HTTP\/1.1 (?:400|413) /);
    assert.doesNotMatch(answer, /smuggled/);
    assert.deepEqual(
      world.site.requests.filter(({ url }) => url === '/smuggled'),
      [],
    );
  });
}

test('an absolute target is served by its path, if Host says the same', async () => {
  const ask = (target: string, host: string) => world.raw(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`, 150);
  assert.match(await ask(`http://${HOST}/abs?x=1`, HOST), /\[GET \/abs\?x=1 0\]/);
  assert.match(await ask(`http://${HOST.toUpperCase()}:80`, HOST), /\[GET \/ 0\]/);
  assert.match(await ask('http://evil.example/abs', HOST), /^HTTP\/1.1 400 /);
  assert.match(await ask(`http://user@${HOST}/abs`, HOST), /^HTTP\/1.1 400 /);
  assert.match(await ask('*', HOST), /^HTTP\/1.1 400 /);
  assert.match(await ask('nonsense', HOST), /^HTTP\/1.1 400 /);
});

test('two Host headers are refused', async () => {
  const answer = await world.raw(`GET / HTTP/1.1\r\nHost: ${HOST}\r\nHost: evil.example\r\n\r\n`, 150);
  assert.match(answer, /^HTTP\/1.1 400 /);
});

test('requests one behind the other on one connection are each answered, in order', async () => {
  const one = (path: string) => `GET ${path} HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`;
  const answer = await world.raw(`${one('/1')}${post('Content-Length: 3', 'abc')}${one('/2')}`);
  assert.deepEqual(answer.match(/\[.*?\]/g), ['[GET /1 0]', '[POST /x 3]', '[GET /2 0]']);
});

const CHUNKED = `${HIDDEN.length.toString(16)}\r\n${HIDDEN}\r\n0\r\n\r\n`;
const framings: Record<string, [headers: string, body: string]> = {
  chunked: ['Transfer-Encoding: chunked', CHUNKED],
  'chunked, and named by Connection': ['Connection: transfer-encoding\r\nTransfer-Encoding: chunked', CHUNKED],
  'with a length': [`Content-Length: ${HIDDEN.length}`, HIDDEN],
  'with a length named by Connection': [
    `Connection: keep-alive, Content-Length\r\nContent-Length: ${HIDDEN.length}`,
    HIDDEN,
  ],
};

for (const [name, [headers, body]] of Object.entries(framings)) {
  test(`a body is a body to the site and to an external server, whatever the method: ${name}`, async () => {
    for (const path of ['/x', '/shop/x']) {
      for (const method of ['GET', 'DELETE', 'OPTIONS', 'POST', 'PUT']) {
        externalUrls.splice(0);
        const answer = await world.raw(`${method} ${path} HTTP/1.1\r\nHost: ${HOST}\r\n${headers}\r\n\r\n${body}`, 100);
        assert.ok(answer.includes(`[${method} /x ${HIDDEN.length}]`), `${method} ${path}: ${answer}`);
        assert.deepEqual(externalUrls, path === '/x' ? [] : ['/x'], `${method} ${path}`);
      }
    }
    assert.equal(world.site.requests.length, 5);
  });
}
