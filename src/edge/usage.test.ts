import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { afterEach, beforeEach, test } from 'node:test';
import { Durations, quantileMs } from '#edge/durations.ts';
import type { SiteUsage } from '#edge/route.ts';
import { type Ask, EdgeWorld, HOST } from '#testkit/app/edge-world.ts';
import { eventually } from '#testkit/expect.ts';
import { pause } from '#testkit/pause.ts';

let world: EdgeWorld;
beforeEach(async () => {
  world = new EdgeWorld((request, response) => {
    const type = request.url?.includes('feed') ? 'application/rss+xml' : 'text/html; charset=UTF-8';
    if (request.url === '/broken') return void request.socket.destroy();
    response.writeHead(request.url === '/missing' ? 404 : 200, { 'content-type': type });
    response.end('x'.repeat(10_000));
  });
  await world.start({ limits: { flushMs: 20 } });
});
afterEach(() => world.close());

function sum(field: keyof SiteUsage): number {
  return world.usages.reduce((total, usage) => total + Number(usage[field]), 0);
}

async function visitsOf(asks: [string, Ask?][]): Promise<number> {
  world.usages.splice(0);
  for (const [path, ask] of asks) await world.ask(path, ask);
  await pause(60);
  return sum('visits');
}

test('one visitor within half an hour is one visit, whatever they open', async () => {
  assert.equal(await visitsOf([['/'], ['/'], ['/a'], ['/b']]), 1);
  assert.equal(await visitsOf([['/']]), 0);
  assert.equal(await visitsOf([['/', { headers: { 'user-agent': 'another' } }]]), 1);
});

test('only pages that people read are visits', async () => {
  const count = async (path: string, ask: Ask = {}) => {
    const headers = { 'user-agent': path + JSON.stringify(ask), ...ask.headers };
    return visitsOf([[path, { ...ask, headers }]]);
  };
  assert.equal(await count('/page'), 1);
  assert.equal(await count('/page?a=b'), 1);
  assert.equal(await count('/wp-admin/'), 0);
  assert.equal(await count('/wp-login.php'), 0);
  assert.equal(await count('/wp-json/wp/v2/posts'), 0);
  assert.equal(await count('/feed/'), 0);
  assert.equal(await count('/missing'), 0);
  assert.equal(await count('/page', { method: 'POST' }), 0);
  assert.equal(await count('/page', { method: 'HEAD' }), 0);
  assert.equal(await count('/page', { headers: { cookie: 'wordpress_logged_in_1=x' } }), 0);
});

test('requests, bytes and the cache are counted, and told once', async () => {
  const replies = [];
  for (let index = 0; index < 4; index++) replies.push(await world.ask('/'));
  replies.push(await world.ask('/', { method: 'POST' }));
  world.writeFile('content/a.txt', 'y'.repeat(5000));
  replies.push(await world.ask('/wp-content/a.txt'));
  await pause(80);
  const [requests, hits, misses] = [sum('requests'), sum('cacheHits'), sum('cacheMisses')];
  assert.deepEqual([requests, hits, misses], [6, 3, 1]);
  const sent = replies.reduce((total, { body, rawHeaders }) => total + body.length + rawHeaders.join(': ').length, 0);
  assert.ok(Math.abs(sum('bytes') - sent) < 600, `${sum('bytes')} counted, about ${sent} sent`);
  assert.ok(sum('cachedBytes') > 30_000 && sum('cachedBytes') < 32_000);
  const last = world.usages.at(-1) as SiteUsage;
  assert.deepEqual([last.siteId, last.teamId, last.cacheObjects], ['site-1', 'team-1', 1]);
  assert.ok(last.cacheBytes > 10_000);
  assert.ok(world.usages.some(({ lastVisitAt }) => lastVisitAt && Date.now() - lastVisitAt.getTime() < 5000));
  world.usages.splice(0);
  await pause(60);
  assert.deepEqual(world.usages, [], 'nothing happened, so nothing is told');
});

test('failed answers and how long pages took are counted; files tell nothing of the site', async () => {
  world.writeFile('content/a.txt', 'y');
  for (const path of ['/', '/missing', '/wp-content/a.txt', '/broken', '/broken']) await world.ask(path);
  await pause(80);
  assert.deepEqual([sum('errors'), sum('pages')], [2, 4]);
  const durations = world.usages.flatMap(({ durations: counts }) => [...counts]);
  assert.equal(
    durations.reduce((total, count) => total + count, 0),
    4,
  );
  const last = world.usages.findLast(({ pages }) => pages > 0) as SiteUsage;
  assert.ok(last.pagesFailedLast > 0, 'the last page failed');
  world.usages.splice(0);
  for (const path of ['/broken', '/']) await world.ask(path);
  await pause(80);
  assert.equal(world.usages.findLast(({ pages }) => pages > 0)?.pagesFailedLast, 0, 'a good page ends the row');
});

test('counts by doubling tell how long most answers took, within a doubling', () => {
  const durations = new Durations();
  for (let ms = 1; ms <= 1000; ms++) durations.add(ms);
  const counts = durations.take();
  const p95 = quantileMs(counts, 0.95) as number;
  assert.ok(p95 > 800 && p95 < 1024, `${p95}`);
  assert.equal(quantileMs([], 0.95), null);
  durations.add(3);
  durations.giveBack(counts);
  assert.equal(durations.take()[1], 3);
});

test('a tunnel counts what went through it, and not what the connection carried before', async () => {
  world.site.server.on('upgrade', (_request, socket) => {
    socket.end(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n${'z'.repeat(500)}`,
    );
  });
  const visitor = connect(world.port, '127.0.0.1');
  let answer = '';
  visitor.on('data', (chunk) => {
    answer += chunk.toString('latin1');
  });
  const ask = (headers: string) => visitor.write(`GET / HTTP/1.1\r\nHost: ${HOST}\r\n${headers}\r\n`);
  ask('');
  await eventually(async () => answer.endsWith('x'.repeat(1000)) && answer.length > 10_000);
  ask('Connection: Upgrade\r\nUpgrade: websocket\r\n');
  await new Promise((resolve) => visitor.once('close', resolve));
  await pause(60);
  assert.match(answer.slice(-700), /101 Switching[\s\S]*z{500}$/);
  assert.equal(sum('bytes'), answer.length);
});

test('what could not be told is kept, and told when the edge closes', async () => {
  world.usageFails = true;
  await world.ask('/');
  await pause(60);
  await world.ask('/');
  await pause(60);
  assert.deepEqual(world.usages, []);
  world.usageFails = false;
  await world.edge.close();
  assert.deepEqual([sum('requests'), sum('visits'), world.usages.length], [2, 1, 1]);
});

test('what the whole edge did is counted over all sites, once it was told, and failures by their reason', async () => {
  world.usageFails = true;
  for (const path of ['/', '/', '/missing', '/broken']) await world.ask(path);
  await pause(60);
  const { totals } = world.edge;
  assert.equal(totals.requests, 0);
  world.usageFails = false;
  await world.edge.close();
  const { requests, visits, cacheHits, cacheMisses } = totals;
  assert.deepEqual({ requests, visits, cacheHits }, { requests: 4, visits: 1, cacheHits: 1 });
  assert.equal(cacheMisses, sum('cacheMisses'));
  assert.equal(totals.bytes, sum('bytes'));
  const answers = { '1xx': 0, '2xx': 1, '3xx': 0, '4xx': 1, '5xx': 0 };
  assert.deepEqual(Object.fromEntries(totals.answers), answers);
  assert.deepEqual(Object.fromEntries(totals.failures), { 'site.crash': 1 });
});

test('after a move, each team is told its own part', async () => {
  await world.ask('/');
  await world.setRoutes(world.route({ teamId: 'team-2' }));
  await world.ask('/');
  await world.edge.close();
  const requests = Map.groupBy(world.usages, ({ teamId }) => teamId);
  assert.deepEqual([...requests.keys()].sort(), ['team-1', 'team-2']);
});
