import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { type Ask, EdgeWorld, HOST, type Reply } from '#testkit/app/edge-world.ts';
import { eventually } from '#testkit/expect.ts';
import { pause } from '#testkit/pause.ts';
import type { Route } from './route.ts';

/** What is answered before Node makes a request of it is answered as it would have been. */

let world: EdgeWorld;
beforeEach(async () => {
  world = new EdgeWorld((request, response) => {
    const isFound = !request.url?.startsWith('/missing');
    response.writeHead(isFound ? 200 : 404, {
      'content-type': 'text/html; charset=UTF-8',
      'last-modified': new Date(0).toUTCString(),
      ...(request.url === '/varied' && { vary: 'x-kind' }),
    });
    response.end(`page ${request.url} ${'x'.repeat(5000)}`);
  });
  world.writeFile('content/picture.png', Buffer.alloc(3_000, 'p'));
  world.writeFile('content/script.js', 'let a = 1;'.repeat(500));
  world.writeFile('content/long.jpg', Buffer.alloc(300_000, 'p'));
  await world.start({ limits: { flushMs: 20 }, trustProxy: ['127.0.0.1'] });
});
afterEach(() => world.close());

/** Asks in both ways, and resolves with the two answers and how many were at once. A compressed form takes its time to be made, and counts when it is there. */
async function bothWays(path: string, ask: Ask = {}): Promise<{ first: Reply; node: Reply; atOnce: number }> {
  // What says anything of its connection is for Node.
  const slow = { ...ask, headers: { ...ask.headers, 'keep-alive': 'timeout=5' } };
  for (let tries = 0; tries < 3; tries++) await world.ask(path, slow);
  for (let tries = 0; ; tries++) {
    const before = world.answeredAtOnce;
    const first = await world.ask(path, ask);
    const atOnce = world.answeredAtOnce - before;
    const node = await world.ask(path, slow);
    const isSameForm = first.headers['content-encoding'] === node.headers['content-encoding'];
    if (tries === 200 || isSameForm) return { first, node, atOnce };
    await pause(20);
  }
}

function shown({ status, headers, text }: Reply) {
  const { date: _date, age: _age, connection: _connection, 'keep-alive': _keepAlive, ...lasting } = headers;
  return { status, headers: lasting, text };
}

const PATHS = [
  '/',
  '/page?a=b',
  '/page?utm_source=x',
  '/varied',
  '/wp-content/picture.png',
  '/wp-content/script.js?ver=2',
];

test('pages and files that are in memory are answered at once, as they are otherwise', async () => {
  for (const path of PATHS)
    for (const headers of [{}, { 'accept-encoding': 'gzip, br' }, { 'x-kind': 'b' }, { cookie: '_ga=1' }]) {
      const { first, node, atOnce } = await bothWays(path, { headers: headers as Record<string, string> });
      assert.deepEqual(shown(first), shown(node), path);
      assert.equal(first.status, 200);
      assert.equal(atOnce, 1, `${path} ${JSON.stringify(headers)}`);
    }
});

const OTHERS: [what: string, path: string, ask?: Ask][] = [
  ['who has the page', '/', { headers: { 'if-modified-since': new Date().toUTCString() } }],
  ['who has the file', '/wp-content/picture.png', { headers: { 'if-none-match': '*' } }],
  ['a part of a file', '/wp-content/picture.png', { headers: { range: 'bytes=0-9' } }],
  ['a head', '/', { method: 'HEAD' }],
  ['somebody who is signed in', '/', { headers: { cookie: 'wordpress_logged_in_1=a' } }],
  ['somebody who shows a password', '/', { headers: { authorization: 'Basic YTpi' } }],
  ['a script', '/', { headers: { 'x-requested-with': 'XMLHttpRequest' } }],
  ['a page that is missing', '/missing'],
  ['a file that is missing', '/wp-content/missing.png'],
  ['a hidden file', '/.env'],
  ['the database', '/wp-content/database/a.sqlite'],
  ['a large file', '/wp-content/long.jpg'],
  ['a folder without its slash', '/wp-content'],
  ['an unsound path', '/a/../b'],
  ['another site', '/', { host: 'nobody.example.org' }],
];

test('everything else is answered on the usual way', async () => {
  for (const [what, path, ask] of OTHERS) {
    const { first, node, atOnce } = await bothWays(path, ask);
    assert.deepEqual([first.status, atOnce], [node.status, 0], what);
  }
});

const CLOSED: [what: string, route: Partial<Route>, status: number][] = [
  ['a firewall', { allowedAddresses: ['192.0.2.1'] }, 403],
  ['a sign-in', { signIn: { username: 'a', password: 'b' } }, 401],
  ['an owner who is suspended', { state: 'suspended' }, 403],
  ['an end', { state: 'expired' }, 402],
  ['a preview', { preview: { key: 'k', expiresAt: new Date(Date.now() + 60_000), framedBy: 'https://a' } }, 403],
  ['a redirect', { alias: 'redirect', fqdn: HOST }, 301],
  ['another server', { externalPaths: [{ path: '/', target: 'http://127.0.0.1:9' }] }, 502],
];

test('a site that is closed, or is elsewhere, is so at once', async () => {
  for (const [what, route, status] of CLOSED) {
    await world.setRoutes(world.route({}));
    for (const path of PATHS) assert.equal((await bothWays(path)).atOnce, 1);
    await world.setRoutes(world.route(route));
    const before = world.answeredAtOnce;
    for (const path of PATHS) assert.equal((await world.ask(path)).status, status, `${what}: ${path}`);
    assert.equal(world.answeredAtOnce, before, what);
  }
});

test('such an answer counts and is told as any other', async () => {
  const [page, file] = [await bothWays('/'), await bothWays('/wp-content/picture.png')];
  const all = await eventually(async () => world.visits.length === 10 && world.visits);
  assert.deepEqual([page.atOnce, file.atOnce], [1, 1]);
  for (const [quick, usual] of [all.slice(3, 5), all.slice(8, 10)] as [(typeof all)[0], (typeof all)[0]][]) {
    const { atMs: _at, durationMs: _duration, bytes, ...same } = quick;
    const { atMs: _usualAt, durationMs: _usualDuration, bytes: usualBytes, ...usually } = usual;
    assert.deepEqual(same, usually);
    assert.ok(Math.abs(bytes - usualBytes) < 100);
  }
  const usage = await eventually(async () => {
    const sum = (key: 'requests' | 'cacheHits' | 'pages' | 'visits') =>
      world.usages.reduce((all, each) => all + each[key], 0);
    return sum('requests') === 10 && [sum('cacheHits'), sum('pages'), sum('visits')];
  });
  assert.deepEqual(usage, [4, 5, 1]);
  const forwarded = await world.ask('/', { headers: { 'x-forwarded-for': '192.0.2.7' } });
  assert.equal(forwarded.status, 200);
  assert.equal((await eventually(async () => world.visits[10])).clientAddress, '192.0.2.7');
});
