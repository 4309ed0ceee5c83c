import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, test } from 'node:test';
import { openConnections } from '#core/http/connections.ts';
import { whileArriving } from '#core/http/slow-requests.ts';
import { createLog } from '#core/log.ts';
import type { Route, RouteSource } from '#edge/route.ts';
import { EdgeWorld, HOST } from '#testkit/app/edge-world.ts';
import { pause } from '#testkit/pause.ts';
import { freshnessOf } from './cache/freshness.ts';
import { SitePages } from './cache/site-pages.ts';
import { Allowance } from './compression/allowance.ts';
import { HostedSite } from './hosted-site.ts';
import { DEFAULT_LIMITS } from './limits.ts';
import { MemoryBudget } from './memory-budget.ts';
import { AllBodies } from './proxy/body-budget.ts';
import { RouteTable } from './route-table.ts';
import { UsageReporter } from './usage.ts';

/** What a review found, each held by a test. */
const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: ${HOST}\r\n${headers}\r\n`;
const UPGRADE = 'Connection: Upgrade\r\nUpgrade: websocket\r\n';

let world: EdgeWorld;
beforeEach(() => {
  world = new EdgeWorld((request, response) => {
    response.setHeader('content-type', 'text/html; charset=UTF-8');
    setTimeout(() => response.end(`[${request.url}]`), request.url === '/slow' ? 100 : 0);
  });
});
// Some tests need no more of it than its routes.
afterEach(() => (world.port > 0 ? world.close() : rmSync(world.dir, { recursive: true })));

test('an upgrade behind a request that is not answered yet is an ordinary request', async () => {
  await world.start();
  const behindSlow = await world.raw(get('/slow') + get('/ws', UPGRADE));
  assert.deepEqual(behindSlow.match(/\[.*?\]/g), ['[/slow]', '[/ws]']);
  await world.ask('/');
  const behindCached = await world.raw(get('/') + get('/ws2', UPGRADE));
  assert.deepEqual(behindCached.match(/\[.*?\]/g), ['[/]', '[/ws2]'], 'one that comes from memory is written at once');
});

test('an upgrade behind a request that is answered is taken', async () => {
  await world.start();
  world.site.server.on('upgrade', (_request, socket) => {
    socket.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nhello');
  });
  const visitor = connect(world.port, '127.0.0.1');
  let answer = '';
  visitor.on('data', (chunk) => {
    answer += chunk.toString('latin1');
    if (answer.endsWith('[/first]')) setTimeout(() => visitor.write(get('/ws', UPGRADE)), 20);
  });
  visitor.write(get('/first'));
  await new Promise((resolve) => visitor.once('close', resolve));
  assert.match(answer, /\[\/first\]HTTP\/1\.1 101 [\s\S]*hello$/);
});

test('an upgrade with a body is refused, and the site is not asked', async () => {
  await world.start();
  for (const framing of ['Content-Length: 10\r\n', 'Transfer-Encoding: chunked\r\n']) {
    assert.match(await world.raw(get('/ws', UPGRADE + framing)), /^HTTP\/1\.1 400 /);
  }
  assert.equal(world.site.leased, 0);
});

test('a fault that shows at once is one visitor’s 500, and not the end of the process', async () => {
  await world.start();
  const broken = {
    ...world.route({ fqdn: 'broken.example.org' }),
    get devMode(): boolean {
      throw new Error('something nobody thought of');
    },
  };
  await world.setRoutes(world.route({}), broken);
  assert.match(await world.raw(get('/').replace(HOST, 'broken.example.org')), /^HTTP\/1\.1 500 /);
  assert.equal((await world.ask('/')).text, '[/]');
});

test('whoever goes before the routes are known is forgotten', async () => {
  const loaded = Promise.withResolvers<Route[]>();
  world.loadAll = () => loaded.promise;
  const started = world.start();
  while (world.port === 0) await pause(5);
  const visitor = connect(world.port, '127.0.0.1');
  visitor.write(get('/'));
  await pause(50);
  visitor.destroy();
  await pause(50);
  loaded.resolve([world.route({})]);
  await started;
  await pause(50);
  assert.equal(world.site.requests.length, 0);
});

test('a request that does not arrive in time is given up, unless it is a large body that still comes', async () => {
  const work = Promise.withResolvers<void>();
  const arriving = (request: IncomingMessage) =>
    request.url === '/large' && void whileArriving(request, () => work.promise);
  const { server } = openConnections(arriving, { requestMs: 100 });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const ask = (path: string) => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(`POST ${path} HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 10\r\n\r\nabc`);
    return { socket, answer: text(socket) };
  };
  const large = ask('/large');
  assert.match(await ask('/small').answer, /^HTTP\/1\.1 408 /);
  await pause(50);
  assert.equal(large.socket.readyState, 'open');
  large.socket.destroy();
  work.resolve();
  await large.answer.catch(() => '');
  await new Promise((resolve) => server.close(resolve));
});

test('a refusal keeps the connection, unless a body is left on it', async () => {
  await world.start();
  await world.setRoutes(world.route({ allowedAddresses: ['203.0.113.7'] }));
  const statuses = async (bytes: string) => (await world.raw(bytes)).match(/HTTP\/1\.1 \d+/g);
  assert.deepEqual(await statuses(get('/a') + get('/b')), ['HTTP/1.1 403', 'HTTP/1.1 403']);
  const post = `POST / HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 100\r\n\r\nabc`;
  assert.match(await world.raw(post), /^HTTP\/1\.1 403 [\s\S]*connection: close\r\n/i);
});

test('pages of a protected site are kept by nobody between, also those stored before', async () => {
  world.site.handler = (_, response) => {
    const headers = { 'cache-control': 'public, s-maxage=600, max-age=60', 'surrogate-control': 'max-age=600' };
    response.writeHead(200, { 'content-type': 'text/html', ...headers }).end('page');
  };
  await world.start();
  await world.ask('/');
  const open = await world.ask('/');
  assert.deepEqual(
    [open.headers['x-cache'], open.headers['cache-control']],
    ['HIT', 'public, s-maxage=600, max-age=60'],
  );
  await world.setRoutes(world.route({ allowedAddresses: ['127.0.0.1'] }));
  const asks = [{}, { method: 'HEAD' }, { headers: { 'if-none-match': open.headers.etag as string } }];
  for (const [index, ask] of asks.entries()) {
    const { status, headers, text } = await world.ask('/', ask);
    assert.deepEqual([status, headers['x-cache'], text], [[200, 200, 304][index], 'HIT', index === 0 ? 'page' : '']);
    assert.deepEqual([headers['cache-control'], headers['surrogate-control']], ['private, max-age=60', undefined]);
  }
});

test('protocol and host of a cached page are not mistaken for one another', async () => {
  world.site.handler = (request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(`${request.headers['x-forwarded-proto']} ${request.headers.host}`);
  };
  await world.start({ trustProxy: ['127.0.0.1'] });
  await world.setRoutes(world.route({ fqdn: 's.example.org' }), world.route({ fqdn: 'ss.example.org' }));
  const ask = async (proto: string, host: string) =>
    (await world.ask('/', { host, headers: { 'x-forwarded-proto': proto } })).text;
  assert.equal(await ask('http', 'ss.example.org'), 'http ss.example.org');
  assert.equal(await ask('https', 's.example.org'), 'https s.example.org');
});

test('a page that is not found is kept no longer than it says', () => {
  const freshMs = (cacheControl: string) =>
    freshnessOf(404, { 'cache-control': cacheControl }, false, Date.now())?.freshMs;
  assert.equal(freshMs('max-age=0'), undefined);
  assert.equal(freshMs('max-age=5'), 5_000);
  assert.equal(freshMs('max-age=500'), 30_000);
});

test('a stored page that goes takes no other with it, and memory is counted once', () => {
  const budget = new MemoryBudget(1e9);
  const pages = new SitePages('site', { pages: budget, notFound: new MemoryBudget(1e9) });
  const store = (language: string, names: string[]) => {
    const headers = { 'accept-language': language };
    const content = { answer: { status: 200, header: () => undefined }, headers: [], body: Buffer.alloc(100) };
    pages.store({ key: '/', headers, generation: 0 }, names, content, { freshMs: 60_000, staleMs: 0 });
    assert.equal(budget.sizeBytes, pages.sizeBytes);
  };
  const find = (language: string) => pages.find('/', { 'accept-language': language });
  store('de', ['accept-language']);
  store('fr', ['accept-language']);
  const [german, french] = [find('de'), find('fr')];
  pages.drop('/', { 'accept-language': 'de' });
  assert.deepEqual([find('de'), find('fr')], [undefined, french]);
  store('fr', ['accept-language']);
  store('de', ['accept-language']);
  const [newGerman, newFrench] = [find('de'), find('fr')];
  french?.forget();
  german?.forget();
  assert.ok(newFrench && newFrench !== french && find('fr') === newFrench);
  assert.ok(newGerman && find('de') === newGerman);
  store('de', ['cookie']);
  assert.deepEqual([pages.objects, pages.dependsOnCookies('/')], [1, true], 'what nobody finds any more is gone');
  store('de', []);
  assert.deepEqual([pages.objects, pages.dependsOnCookies('/')], [1, false]);
  pages.drop('/', {});
  assert.deepEqual([pages.objects, budget.sizeBytes], [0, 0]);
});

test('a change of one site looks at no other', async () => {
  let looks = 0;
  const watched = (index: number): Route => {
    const route = world.route({
      fqdn: `s${index}.example.org`,
      site: { ...world.route({}).site, id: `site-${index}` },
    });
    return new Proxy(route, {
      get: (target, name) => {
        looks++;
        return target[name as keyof Route];
      },
    });
  };
  const routes = Array.from({ length: 1000 }, (_, index) => watched(index));
  const source = { loadAll: async () => routes, load: async () => [watched(7)], subscribe: async () => undefined };
  const table = tableOf(source);
  await table.start();
  looks = 0;
  await table.refresh('site-7');
  assert.ok(table.find('s7.example.org') && looks < 50, `${looks} looks`);
  table.close();
});

test('all sites that change while others are read are read together', async () => {
  const reads: (readonly string[])[] = [];
  const source = {
    loadAll: async () => [],
    async load(siteIds: readonly string[]) {
      reads.push(siteIds);
      await pause(1);
      return siteIds.map((id) => ({
        ...world.route({ fqdn: `${id}.example.org` }),
        site: { ...world.route({}).site, id },
      }));
    },
    subscribe: async () => undefined,
  };
  const table = tableOf(source);
  await table.start();
  const first = table.refresh('first');
  while (reads.length === 0) await pause(1);
  const ids = Array.from({ length: 2_500 }, (_, index) => `site-${index}`);
  await Promise.all(ids.flatMap((id) => [table.refresh(id), table.refresh(id)]));
  await first;
  assert.deepEqual(
    reads.map(({ length }) => length),
    [1, 1000, 1000, 500],
  );
  assert.ok(ids.every((id) => table.find(`${id}.example.org`)));
  table.close();
});

function tableOf(source: RouteSource): RouteTable {
  const log = createLog('silent');
  const budget = new MemoryBudget(1e6);
  const pages = new SitePages('site', { pages: budget, notFound: budget });
  const makeSite = (siteId: string) =>
    new HostedSite(siteId, pages, new Allowance(1e6), new AllBodies(DEFAULT_LIMITS, log).ofSite());
  return new RouteTable(source, new UsageReporter(world, log), makeSite, log);
}
