import assert from 'node:assert/strict';
import { request as openRequest } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { type Ask, EdgeWorld, HOST } from '#testkit/app/edge-world.ts';
import { eventually } from '#testkit/expect.ts';
import { pause } from '#testkit/pause.ts';

/** What the edge tells of each visit, for the site's log. */

let world: EdgeWorld;
let answered = Promise.withResolvers<void>();
beforeEach(async () => {
  answered = Promise.withResolvers<void>();
  world = new EdgeWorld((request, response) => {
    if (request.url === '/broken') return void request.socket.destroy();
    if (request.url === '/never') return answered.resolve();
    response.writeHead(request.url === '/missing' ? 404 : 200, { 'content-type': 'text/html; charset=UTF-8' });
    response.end('x'.repeat(10_000));
  });
  await world.start();
});
afterEach(() => world.close());

/** Asks, and resolves with what was told of it. */
async function told(path: string, ask?: Ask): Promise<{ status: number; bytes: number; cache: string | null }> {
  const before = world.visits.length;
  const reply = await world.ask(path, ask);
  const visit = await eventually(async () => world.visits[before]);
  assert.equal(world.visits.length, before + 1);
  assert.equal(visit.status, reply.status);
  assert.equal(visit.path, path);
  assert.equal(visit.method, ask?.method ?? 'GET');
  assert.ok(visit.bytes >= reply.body.length, `${visit.bytes} of ${reply.body.length}`);
  assert.ok(visit.durationMs >= 0);
  return visit;
}

test('each answer is told once, with its status, its size and how the cache came in', async () => {
  assert.equal((await told('/page?a=b')).cache, 'MISS');
  assert.equal((await told('/page?a=b')).cache, 'HIT');
  assert.equal((await told('/page?a=b', { method: 'HEAD' })).cache, 'HIT');
  assert.equal((await told('/page', { method: 'POST', body: 'x' })).cache, 'BYPASS');
  assert.equal((await told('/missing')).status, 404);
  assert.equal((await told('/broken')).status, 502);
  world.writeFile('content/a.txt', 'y'.repeat(5000));
  assert.equal((await told('/wp-content/a.txt')).cache, null);
  assert.equal((await told('/wp-content/a.txt')).status, 200);
  assert.equal((await told('/wp-content/.env')).status, 404);
  assert.equal((await told('/%2e%2e/x')).status, 400);
});

test('answers that go out in one piece, over a connection that stays, are told with their status too', async () => {
  const asks = ['GET', 'GET', 'POST'].map((method) => `${method} /missing HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`);
  for (const ask of asks) assert.match(await world.raw(ask), /^HTTP\/1\.1 404 /);
  assert.deepEqual(
    world.visits.map(({ status, cache }) => [status, cache]),
    [
      [404, 'MISS'],
      [404, 'HIT'],
      [404, 'BYPASS'],
    ],
  );
});

test('who came is told, and nothing that lets anybody in', async () => {
  const secrets = { authorization: 'Basic c2VjcmV0', cookie: 'wordpress_logged_in_1=secret' };
  const headers = { ...secrets, 'user-agent': 'A browser', referer: 'https://example.net/from' };
  await told('/', { headers });
  const [visit] = world.visits;
  assert.deepEqual(
    { ...visit, atMs: 0, durationMs: 0, bytes: 0 },
    {
      atMs: 0,
      method: 'GET',
      path: '/',
      status: 200,
      bytes: 0,
      durationMs: 0,
      cache: 'BYPASS',
      clientAddress: '127.0.0.1',
      userAgent: 'A browser',
      referrer: 'https://example.net/from',
    },
  );
});

test('whoever is kept out is told too, and a visitor who waited for some work once', async () => {
  await world.setRoutes(world.route({ signIn: { username: 'admin', password: 'secret' } }));
  assert.equal((await told('/')).status, 401);
  await world.setRoutes(world.route({ state: 'held' }));
  const held = world.ask('/');
  await pause(30);
  await world.setRoutes(world.route({}));
  assert.equal((await held).status, 200);
  await eventually(async () => world.visits.length === 2);
  assert.deepEqual(
    world.visits.map(({ status }) => status),
    [401, 200],
  );
});

test('a visitor who leaves before there is an answer has status 499', async () => {
  const leaving = new AbortController();
  const asked = world.ask('/never', { method: 'POST', signal: leaving.signal });
  await answered.promise;
  leaving.abort();
  await assert.rejects(asked);
  const visit = await eventually(async () => world.visits[0]);
  assert.deepEqual([visit.status, visit.bytes], [499, 0]);
});

test('a WebSocket is told when it ends', async () => {
  world.site.server.on('upgrade', (_request, socket) =>
    socket.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nhello'),
  );
  await world.raw(`GET /ws HTTP/1.1\r\nHost: ${HOST}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
  const visit = await eventually(async () => world.visits[0]);
  assert.equal(visit.status, 101);
  assert.ok(visit.bytes > 5);
});

test('what a site asks of itself, and what is asked of a preview, is no visit', async () => {
  const door = join(world.dir, 'own.sock');
  const server = createServer((connection) => world.edge.answerOwnCalls('site-1', connection)).listen(door);
  const status = await new Promise((resolve, reject) => {
    openRequest({ socketPath: door, path: '/', headers: { host: HOST }, agent: false }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode));
    })
      .once('error', reject)
      .end();
  });
  assert.equal(status, 200);
  server.close();
  await world.setRoutes(
    world.route({
      preview: { key: 'key', expiresAt: new Date(Date.now() + 60_000), framedBy: 'https://yard.example' },
    }),
  );
  assert.equal((await world.ask('/')).status, 403);
  await world.setRoutes(world.route({}));
  await told('/after');
  assert.equal(world.visits.length, 1);
});
