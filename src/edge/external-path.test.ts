import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import { Outbound } from '#core/outbound.ts';
import { EdgeWorld, HOST } from '#testkit/app/edge-world.ts';

let world: EdgeWorld;
let server: Server;
let target = '';
const asked: IncomingMessage[] = [];

before(async () => {
  server = createServer(async (request, response) => {
    asked.push(request);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.url === '/headers') response.setHeader('x-many', Array(201).fill('a'));
    if (request.url === '/large') response.setHeader('x-large', 'a'.repeat(65_536));
    for (let count = 0; request.url === '/hints' && count < 17; count++) response.writeEarlyHints({ link: '</a>' });
    if (request.url === '/changes')
      return void request.socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
    const location = request.headers['x-location'];
    response.setHeader('x-siteyard-purge', 'all');
    if (request.url === '/hop') {
      response.setHeader('connection', ['x-a', 'x-b']);
      for (const name of ['x-a', 'x-b', 'x-c']) response.setHeader(name, 'kept');
      response.setHeader('cache-control', 'public, no-store, max-age=60');
    }
    if (location) response.writeHead(302, { location: String(location) });
    response.end(`${request.method} ${request.url} ${Buffer.concat(chunks)}`);
  });
  server.on('upgrade', (request, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
    socket.on('data', (chunk: Buffer) => socket.write(`${request.url} ${chunk}`));
    socket.on('end', () => socket.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  target = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  world = new EdgeWorld((request, response) => response.end(`site ${request.url}`));
  await world.start();
});
after(async () => {
  await world.close();
  server.closeAllConnections();
  server.close();
});
beforeEach(() => asked.splice(0));

test('the longest prefix of whole segments wins, and is removed', async () => {
  await world.setRoutes(
    world.route({
      externalPaths: [
        { path: '/shop', target: `${target}/store/` },
        { path: '/shop/special', target },
        { path: 'docs/', target: `${target}/d?ignored=1` },
      ],
    }),
  );
  const cases: [string, string][] = [
    ['/shop', 'GET /store '],
    ['/shop/', 'GET /store/ '],
    ['/shop/a/b?c=d', 'GET /store/a/b?c=d '],
    ['/shop/special/x', 'GET /x '],
    ['/shop/special', 'GET / '],
    ['/docs/x%20y', 'GET /d/x%20y '],
    ['/shopping', 'site /shopping'],
    ['/shop-a', 'site /shop-a'],
    ['/', 'site /'],
  ];
  for (const [path, text] of cases) assert.equal((await world.ask(path)).text, text, path);
  assert.match(await world.raw(`GET /shop/../../x HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`), /^HTTP\/1.1 400/);
});

test('a body goes there, the site’s own cookies and the platform’s headers do not', async () => {
  const uploadsRefused = 'The storage is used up.';
  await world.setRoutes(world.route({ uploadsRefused, externalPaths: [{ path: '/api', target }] }));
  const reply = await world.ask('/api/x', {
    method: 'POST',
    body: 'a body',
    headers: {
      cookie: 'wordpress_logged_in_1=x; mine=1; wp-settings-1=y',
      authorization: 'Bearer t',
      'x-siteyard-a': 'b',
    },
  });
  assert.equal(reply.text, 'POST /x a body');
  assert.equal(reply.headers['x-siteyard-purge'], undefined);
  assert.deepEqual(world.purges, [], 'another server can not purge the site');
  const { headers } = asked[0] as IncomingMessage;
  assert.equal(headers['x-siteyard-uploads-refused'], undefined);
  assert.deepEqual(
    [headers.cookie, headers.authorization, headers['x-siteyard-a'], headers.host, headers['x-forwarded-host']],
    ['mine=1', 'Bearer t', undefined, new URL(target).host, HOST],
  );
});

test('redirects within the target stay within the path, others lead where they say', async () => {
  await world.setRoutes(world.route({ externalPaths: [{ path: '/shop', target: `${target}/store` }] }));
  const cases: [string, string][] = [
    [`${target}/store/cart?x=1#y`, '/shop/cart?x=1#y'],
    [`${target}/store`, '/shop'],
    ['/store/cart', '/shop/cart'],
    ['/other', `${target}/other`],
    ['cart', 'cart'],
    ['https://elsewhere.example/store/x', 'https://elsewhere.example/store/x'],
  ];
  for (const [location, mapped] of cases) {
    const { status, headers } = await world.ask('/shop/x', { headers: { 'x-location': location } });
    assert.deepEqual([status, headers.location], [302, mapped], location);
  }
});

test('a path that leads back to the platform is found out, and other CDNs are named along', async () => {
  await world.setRoutes(world.route({ externalPaths: [{ path: '/api', target }] }));
  await world.ask('/api/x');
  await world.ask('/api/x', { headers: { 'cdn-loop': 'other; a="b"' } });
  await world.ask('/api/x', { headers: { connection: 'cdn-loop', 'cdn-loop': 'not-siteyard' } });
  assert.deepEqual(
    asked.splice(0).map(({ headers }) => headers['cdn-loop']),
    ['siteyard', 'other; a="b", siteyard', 'not-siteyard, siteyard'],
  );
  const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\n';
  for (const headers of ['', 'Connection: cdn-loop\r\n', upgrade]) {
    const looped = `GET /api HTTP/1.1\r\nHost: ${HOST}\r\nCDN-Loop: other, SiteYard;v=1\r\n${headers}\r\n`;
    assert.match(await world.raw(looped), /^HTTP\/1\.1 508 [\s\S]*leads back/);
  }
  assert.equal(asked.length, 0);
  const self = `http://127.0.0.1:${world.port}/a`;
  await world.setRoutes(world.route({ fqdn: '127.0.0.1', externalPaths: [{ path: '/a', target: self }] }));
  assert.equal((await world.ask('/a', { host: '127.0.0.1' })).status, 508);
});

test('what any Connection header names stays with that hop; of a protected site nothing is kept between', async () => {
  await world.setRoutes(
    world.route({ allowedAddresses: ['127.0.0.1'], externalPaths: [{ path: '/hop', target: `${target}/hop` }] }),
  );
  const { headers } = await world.ask('/hop');
  assert.deepEqual([headers['x-a'], headers['x-b'], headers['x-c']], [undefined, undefined, 'kept']);
  assert.equal(headers['cache-control'], 'private, no-store, max-age=60');
  assert.match(await world.raw(`GET / HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`), /site \//);
});

test('a WebSocket goes through an external path', async () => {
  await world.setRoutes(world.route({ externalPaths: [{ path: '/live', target }] }));
  const visitor = connect(world.port, '127.0.0.1');
  let answer = '';
  visitor.on('data', (chunk) => {
    if (!answer.includes('\r\n\r\n')) visitor.write('ping');
    answer += chunk.toString('latin1');
    if (answer.endsWith('ping')) visitor.end();
  });
  visitor.write(`GET /live/feed?x HTTP/1.1\r\nHost: ${HOST}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
  await new Promise((resolve) => visitor.once('close', resolve));
  assert.match(answer, /^HTTP\/1.1 101 [\s\S]*\r\n\r\n\/feed\?x ping$/);
});

test('the head of a response has the same limits as that of the site, and the site’s log says what is wrong', async () => {
  await world.setRoutes(world.route({ externalPaths: [{ path: '/shop', target }] }));
  world.errors.splice(0);
  for (const path of ['/shop/headers', '/shop/large', '/shop/hints'])
    assert.equal((await world.ask(path)).status, 502, path);
  const [error, ...more] = world.errors;
  assert.deepEqual([error?.level, error?.request, more.length], ['fatal', 'GET /shop/headers', 0]);
  assert.match(error?.message ?? '', /^The server of the external path \/shop failed: The response has 20\d headers/);
});

test('a server that does not answer, or must not be called, is the owner’s to mend', async () => {
  await world.setRoutes(world.route({ externalPaths: [{ path: '/dead', target: 'http://127.0.0.1:9' }] }));
  const dead = await world.ask('/dead');
  assert.deepEqual([dead.status, /lives on another server/.test(dead.text)], [502, true]);
  await world.setRoutes(world.route({ externalPaths: [{ path: '/', target }] }));
  assert.equal((await world.ask('/changes')).status, 502, 'it changes the protocol unasked');
  asked.splice(0);
  await world.close();
  world = new EdgeWorld((request, response) => response.end(`site ${request.url}`));
  await world.start({ outbound: new Outbound() });
  for (const host of [
    target,
    target.replace('127.0.0.1', 'localhost'),
    target.replace('127.0.0.1', '[::ffff:127.0.0.1]'),
  ]) {
    await world.setRoutes(world.route({ externalPaths: [{ path: '/inside', target: host }] }));
    assert.equal((await world.ask('/inside')).status, 502, host);
    const upgrade = await world.raw(
      `GET /inside HTTP/1.1\r\nHost: ${HOST}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    );
    assert.match(upgrade, /^HTTP\/1.1 502 /);
  }
  assert.equal(asked.length, 0);
});

test('a target that is mostly slashes takes no longer than any other', async () => {
  const long = `${target}${'/'.repeat(1_000_000)}a`;
  await world.setRoutes(world.route({ externalPaths: [{ path: '/shop', target: long }] }));
  const { status } = await world.ask('/shop/x');
  assert.ok(status === 431 || status === 502, `the server there takes no such address: ${status}`);
});
