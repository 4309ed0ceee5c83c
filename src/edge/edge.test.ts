import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, test } from 'node:test';
import { SiteFailure } from '#runtimes/runtime.ts';
import { createLoginUrl } from '#runtimes/wordpress/access.ts';
import { EdgeWorld, HOST } from '#testkit/app/edge-world.ts';
import { eventually } from '#testkit/expect.ts';
import { movableClock } from '#testkit/movable-clock.ts';
import { pause } from '#testkit/pause.ts';

const hello: RequestListener = (request, response) => {
  response.setHeader('content-type', 'text/html; charset=UTF-8');
  response.setHeader('cache-control', 'no-store');
  response.end(`hello ${request.url}`);
};

let world: EdgeWorld;
beforeEach(async () => {
  world = new EdgeWorld(hello);
});
afterEach(() => world.close());

test('a site is found by its host in any spelling, and by nothing else', async () => {
  await world.start();
  for (const host of [HOST, `${HOST}:8080`, `${HOST}.`, 'BLOG.example.ORG', `${HOST}.:80`]) {
    assert.equal((await world.ask('/x', { host })).text, 'hello /x', host);
  }
  for (const host of ['example.org', 'x.blog.example.org', '', 'blog.example.org.evil', '[::1]']) {
    const reply = await world.ask('/x', { host });
    assert.equal(reply.status, 404, host);
    assert.match(reply.text, /There is no site at this address/);
  }
});

test('a change of routes is served at once, and a site that is gone is not served', async () => {
  await world.start();
  await world.setRoutes(world.route({ fqdn: 'new.example.org' }));
  assert.equal((await world.ask('/', { host: HOST })).status, 404);
  assert.equal((await world.ask('/', { host: 'new.example.org' })).status, 200);
  await world.setRoutes();
  assert.equal((await world.ask('/', { host: 'new.example.org' })).status, 404);
});

test('a name that goes from one site to another leads to the new one, whichever is read first', async () => {
  await world.start();
  const { site } = world.route({});
  const second = world.route({ site: { ...site, id: 'site-2' }, devMode: true });
  world.announceAs('site-2', second);
  await pause(20);
  world.announceAs('site-1', second);
  await pause(20);
  assert.equal((await world.ask('/')).status, 200);
  world.edge.purge('site-1');
  world.announceAs('site-2');
  await pause(20);
  assert.equal((await world.ask('/')).status, 404);
});

test('requests that come before the routes are known wait for them', async () => {
  const { loadAll } = world;
  const known = Promise.withResolvers<void>();
  world.loadAll = async () => {
    await known.promise;
    return loadAll.call(world);
  };
  const starting = world.start();
  while (world.port === 0) await pause(5);
  const reply = world.ask('/early');
  await pause(50);
  known.resolve();
  assert.equal((await reply).text, 'hello /early');
  await starting;
});

test('suspended and expired teams have their own pages, and their sites are not asked', async () => {
  await world.start();
  await world.setRoutes(world.route({ state: 'suspended' }));
  const suspended = await world.ask('/');
  assert.deepEqual([suspended.status, /suspended/.test(suspended.text)], [403, true]);
  await world.setRoutes(world.route({ state: 'expired' }));
  const expired = await world.ask('/', { headers: { accept: 'application/json' } });
  assert.equal(expired.status, 402);
  assert.equal(JSON.parse(expired.text).code, 'site.expired');
  assert.equal(world.site.requests.length, 0);
});

test('the firewall lets in what it lists, in every notation, and nobody else', async () => {
  await world.start({ trustProxy: ['127.0.0.1'] });
  const cases: [string[], string, boolean][] = [
    [['203.0.113.7'], '203.0.113.7', true],
    [['203.0.113.7'], '203.0.113.8', false],
    [['203.0.113.0/24'], '203.0.113.200', true],
    [['203.0.113.0/24'], '203.0.114.1', false],
    [['203.0.113.7'], '::ffff:203.0.113.7', true],
    [['::ffff:203.0.113.0/120'], '203.0.113.9', true],
    [['2001:db8::/32'], '2001:db8:1::1', true],
    [['2001:db8::/32'], '2001:db9::1', false],
    [['2001:DB8:0:0::1'], '2001:db8::1', true],
    [['0.0.0.0/0'], '2001:db8::1', false],
    [[], '203.0.113.7', false],
    [['nonsense', '203.0.113.7/99'], '203.0.113.7', false],
  ];
  for (const [allowedAddresses, from, isIn] of cases) {
    await world.setRoutes(world.route({ allowedAddresses }));
    const { status } = await world.ask('/', { headers: { 'x-forwarded-for': from } });
    assert.equal(status, isIn ? 200 : 403, `${from} with ${allowedAddresses}`);
  }
});

test('X-Forwarded-For counts only from a trusted proxy, and only as far as it was written by one', async () => {
  await world.start();
  await world.setRoutes(world.route({ allowedAddresses: ['203.0.113.7'] }));
  const forged = await world.ask('/', { headers: { 'x-forwarded-for': '203.0.113.7' } });
  assert.equal(forged.status, 403);
  await world.close();
  world = new EdgeWorld(hello);
  await world.start({ trustProxy: ['127.0.0.0/8', '10.0.0.0/8'] });
  await world.setRoutes(world.route({ allowedAddresses: ['203.0.113.7'] }));
  const status = async (chain: string) => (await world.ask('/', { headers: { 'x-forwarded-for': chain } })).status;
  assert.equal(await status('203.0.113.7'), 200);
  assert.equal(await status('203.0.113.7, 10.1.1.1'), 200);
  assert.equal(await status('203.0.113.7, 198.51.100.1'), 403);
  assert.equal(await status('203.0.113.7, nonsense'), 403);
});

test('the HTTP sign-in asks for its password, and keeps it from the site', async () => {
  await world.start();
  await world.setRoutes(world.route({ signIn: { username: 'admin', password: 'sécret:with:colons' } }));
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
  const cases: [string | undefined, number][] = [
    [undefined, 401],
    [basic('admin:wrong'), 401],
    [basic('admin:'), 401],
    [basic('Admin:sécret:with:colons'), 401],
    ['Bearer abc', 401],
    ['Basic', 401],
    ['Basic !!!', 401],
    [basic('admin:sécret:with:colons'), 200],
    [basic('admin:sécret:with:colons').replace('Basic', 'bAsIc'), 200],
  ];
  for (const [authorization, status] of cases) {
    const reply = await world.ask('/', authorization === undefined ? {} : { headers: { authorization } });
    assert.equal(reply.status, status, authorization);
    if (status === 401) assert.equal(reply.headers['www-authenticate'], `Basic realm="${HOST}", charset="UTF-8"`);
  }
  assert.deepEqual(
    world.site.requests.map(({ headers }) => headers.authorization),
    [undefined, undefined],
  );
});

test("the dashboard's one-click link passes the HTTP sign-in, and so does whoever came by it until the password changes", async () => {
  await world.start();
  const route = world.route({ signIn: { username: 'admin', password: 'x' } });
  await world.setRoutes(route);
  const link = (now?: Date) => new URL(createLoginUrl(route.site, now).url);
  const open = (url: URL, headers = {}) => world.ask(`${url.pathname}${url.search}`, { headers });
  const url = link();
  const first = await open(url);
  assert.equal(first.status, 303);
  assert.equal(first.headers.location, `${url.pathname}${url.search}`);
  const cookie = String(first.headers['set-cookie']).split(';')[0] as string;
  assert.equal((await open(url, { cookie: `${cookie}; wordpress_test=1` })).status, 200);
  assert.equal(world.site.requests.at(-1)?.headers.cookie, 'wordpress_test=1', 'the site sees nothing of the pass');
  assert.equal((await world.ask('/', { headers: { cookie } })).status, 200);

  const old = link(new Date(Date.now() - 120_000));
  assert.equal((await open(old)).status, 401, 'a link that is too old');
  url.searchParams.set('siteyard_login', `${url.searchParams.get('siteyard_login')}0`);
  assert.equal((await open(url)).status, 401, 'a link with another signature');
  assert.equal((await world.ask('/', { headers: { cookie: `${cookie}0` } })).status, 401);
  await world.setRoutes(world.route({ signIn: { username: 'admin', password: 'y' } }));
  assert.equal((await world.ask('/', { headers: { cookie } })).status, 401, 'a pass of before the password changed');
});

test('the site learns who visits from the edge alone', async () => {
  await world.start();
  await world.ask('/', {
    method: 'DELETE',
    headers: {
      'x-forwarded-for': '1.2.3.4',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'gopher',
      'x-forwarded-port': '1',
      'x-real-ip': '1.2.3.4',
      forwarded: 'for=1.2.3.4',
      proxy: 'http://evil.example',
      'x-siteyard-signature': 'forged',
      x_siteyard_signature: 'forged',
      X_Forwarded_For: 'forged',
      'keep-alive': 'timeout=1',
      te: 'trailers',
      'x-private': 'hop',
      connection: 'close, x-private, x-forwarded-for',
      'x-kept': 'yes',
      'proxy-authorization': 'Basic x',
    },
  });
  const { headers } = world.site.requests[0] as { headers: Record<string, string> };
  assert.deepEqual(headers, {
    host: HOST,
    'x-kept': 'yes',
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-proto': 'http',
    'x-forwarded-host': HOST,
    'x-real-ip': '127.0.0.1',
  });
});

test('the site learns with each request that it takes no uploads, in words that are the edge’s alone', async () => {
  await world.start();
  const said = async (uploadsRefused: string | null) => {
    await world.setRoutes(world.route({ uploadsRefused }));
    await world.ask('/', { method: 'POST', headers: { 'x-siteyard-uploads-refused': 'forged' }, body: 'x' });
    return world.site.requests.at(-1)?.headers['x-siteyard-uploads-refused'];
  };
  assert.equal(await said('It is full.'), 'It is full.');
  assert.equal(await said(null), undefined);
});

test('a trusted proxy is believed, and named behind what it says', async () => {
  await world.start({ trustProxy: ['127.0.0.1'] });
  const headersSent = { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-proto': 'https' };
  await world.ask('/', { method: 'POST', headers: headersSent });
  const { headers } = world.site.requests[0] as { headers: Record<string, string> };
  assert.equal(headers['x-forwarded-for'], '203.0.113.7, 127.0.0.1');
  assert.equal(headers['x-forwarded-proto'], 'https');
  assert.equal(headers['x-real-ip'], '203.0.113.7');
});

test("the visitor sees nothing of the platform's own headers, nor of one hop's", async () => {
  world.site.handler = (_, response) => {
    response.writeHead(200, [
      'X-Siteyard-Secret',
      'a',
      'Connection',
      'x-hop',
      'X-Hop',
      'b',
      'HTTP2-Settings',
      'c',
      'Set-Cookie',
      'a=1',
      'Set-Cookie',
      'b=2',
      'Content-Length',
      '2',
    ]);
    response.end('ok');
  };
  await world.start();
  const { headers } = await world.ask('/');
  assert.equal(headers['x-siteyard-secret'], undefined);
  assert.equal(headers['x-hop'], undefined);
  assert.equal(headers['http2-settings'], undefined);
  assert.deepEqual(headers['set-cookie'], ['a=1', 'b=2']);
});

test('a body goes through whole, with its length or without', async () => {
  world.site.handler = async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
    response.end(`${Buffer.concat(chunks).length} ${length} ${coding}`);
  };
  await world.start();
  const body = Buffer.alloc(3_000_000, 'a');
  const known = await world.ask('/', { method: 'POST', body, headers: { 'content-length': String(body.length) } });
  assert.equal(known.text, '3000000 3000000 undefined');
  const chunked = await world.ask('/', { method: 'POST', body, headers: { 'transfer-encoding': 'chunked' } });
  assert.equal(chunked.text, '3000000 undefined chunked');
});

test('a body that is too large is refused, announced or not', async () => {
  world.site.handler = (request, response) => {
    request.resume().on('end', () => response.end('taken'));
  };
  await world.start({ limits: { bodyBytes: 100_000 } });
  const head = `POST / HTTP/1.1\r\nHost: ${HOST}\r\n`;
  assert.match(await world.raw(`${head}Content-Length: 100001\r\n\r\n`), /^HTTP\/1.1 413 [\s\S]*connection: close/i);
  assert.equal(world.site.requests.length, 0);
  const chunk = `4000\r\n${'a'.repeat(0x4000)}\r\n`;
  assert.match(await world.raw(`${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(8)}`), /^HTTP\/1.1 413 /);
  const fits = await world.ask('/', { method: 'POST', body: 'a'.repeat(100_000) });
  assert.equal(fits.text, 'taken');
  await eventually(async () => world.site.leased === world.site.released);
});

test('somebody who sends slowly does not hold the site for others', async () => {
  await world.start();
  const slow = connect(world.port, '127.0.0.1');
  slow.write(`POST /slow HTTP/1.1\r\nhost: ${HOST}\r\ncontent-length: 10\r\n\r\nhalf`);
  await pause(50);
  assert.equal(world.site.leased, 0);
  assert.equal((await world.ask('/quick', { method: 'POST', body: 'x' })).text, 'hello /quick');
  slow.write(' whole');
  const [answer] = (await once(slow, 'data')) as [Buffer];
  assert.match(answer.toString(), /hello \/slow/);
  slow.destroy();
});

test('what a protected site answers is for the visitor alone, and no-store stays no-store', async () => {
  await world.start();
  await world.setRoutes(world.route({ allowedAddresses: ['127.0.0.1'] }));
  for (const [said, heard] of [
    ['public, max-age=60', /private/],
    ['no-store', /no-store/],
  ] as const) {
    world.site.handler = (_request, response) => response.setHeader('cache-control', said).end('x');
    const { headers } = await world.ask('/', { method: 'POST' });
    assert.match(headers['cache-control'] ?? '', heard);
    assert.doesNotMatch(headers['cache-control'] ?? '', /public/);
  }
});

test('bodies of visitors have a limit together, and count as waiting', async () => {
  await world.start({ limits: { allBodiesBytes: 1_000_000, waitingPerSite: 3 } });
  assert.equal((await world.ask('/', { method: 'POST', body: Buffer.alloc(900_000) })).status, 200);
  const refused = await world.ask('/', { method: 'POST', body: Buffer.alloc(1_100_000) });
  assert.equal(refused.status, 503);
  assert.equal((await world.ask('/', { method: 'POST', body: Buffer.alloc(900_000) })).status, 200);
  const slow = [1, 2, 3].map(() => {
    const socket = connect(world.port, '127.0.0.1');
    socket.write(`POST / HTTP/1.1\r\nhost: ${HOST}\r\ncontent-length: 10\r\n\r\n`);
    return socket;
  });
  await pause(50);
  assert.equal((await world.ask('/', { method: 'POST', body: 'x' })).status, 503);
  for (const socket of slow) socket.destroy();
});

test('bodies that wait for one site leave room for those of others', async () => {
  const { promise: turn, resolve: giveTurn } = Promise.withResolvers<void>();
  await world.start({ limits: { allBodiesBytes: 1_000_000, siteBodiesBytes: 600_000 } });
  const other = world.route({ fqdn: 'other.example.org' });
  world.announceAs('site-2', world.route({}), { ...other, site: { ...other.site, id: 'site-2' } });
  const post = (host: string) => world.ask('/', { method: 'POST', host, body: Buffer.alloc(400_000) });
  await eventually(async () => (await post('other.example.org')).status === 200);
  world.site.beforeLease = () => turn;
  const { starts } = world.site;
  const waiting = post(HOST);
  await eventually(async () => world.site.starts > starts);
  assert.equal((await post(HOST)).status, 503);
  const others = post('other.example.org');
  giveTurn();
  assert.deepEqual([(await waiting).status, (await others).status], [200, 200]);
});

/** Somebody who sends the beginning of a body and then takes their time. */
const sendSlowly = async (localAddress: string, bytes: number) => {
  const socket = connect({ port: world.port, host: '127.0.0.1', localAddress });
  let text = '';
  socket.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  const closed = once(socket, 'close');
  socket.on('error', () => {});
  socket.write(`POST / HTTP/1.1\r\nhost: ${HOST}\r\ncontent-length: ${bytes * 2}\r\n\r\n`);
  await new Promise((sent) => socket.write(Buffer.alloc(bytes), sent));
  return { socket, closed, said: () => text };
};

test('who sends slowly makes way for others, whose bodies get through', async () => {
  await world.start({ limits: { allBodiesBytes: 4_000_000, siteBodiesBytes: 4_000_000, bodyLookMs: 200 } });
  const slow = await Promise.all([2, 3, 4, 5].map((last) => sendSlowly(`127.0.0.${last}`, 990_000)));
  const post = () => world.ask('/', { method: 'POST', body: Buffer.alloc(900_000) });
  await eventually(async () => (await post()).status === 200);
  await eventually(async () => slow.some(({ said }) => said().startsWith('HTTP/1.1 408 ')));
  for (const { socket } of slow) socket.destroy();
});

test('who sends next to nothing is told so after a while, and holds no place of others', async () => {
  await world.start({ limits: { bodyLookMs: 50, waitingPerSite: 3 } });
  const slow = await Promise.all([2, 3, 4].map((last) => sendSlowly(`127.0.0.${last}`, 10)));
  await Promise.all(slow.map(({ closed }) => closed));
  for (const { said } of slow) assert.match(said(), /^HTTP\/1\.1 408 /);
  assert.equal((await world.ask('/', { method: 'POST', body: 'x' })).status, 200);
});

test('one address has its share of what bodies may take, and leaves the rest to others', async () => {
  await world.start({ limits: { addressBodiesBytes: 1_000_000, addressBodies: 2, bodyLookMs: 60_000 } });
  const slow: Awaited<ReturnType<typeof sendSlowly>>[] = [];
  // Which of two that come together is too much, nobody can tell.
  for (const bytes of [800_000, 10]) {
    const two = [await sendSlowly('127.0.0.2', bytes), await sendSlowly('127.0.0.2', bytes)];
    await eventually(async () => two.filter(({ said }) => /^HTTP\/1\.1 503 /.test(said())).length === 1);
    slow.push(...two);
  }
  assert.equal((await world.ask('/', { method: 'POST', body: Buffer.alloc(800_000) })).status, 200);
  for (const { socket } of slow) socket.destroy();
});

test('who waits for an answer sends nothing any more, and may send again', async () => {
  const waiting: (() => void)[] = [];
  world.site.handler = (request, response) => {
    request.resume().on('end', () => waiting.push(() => response.end('done')));
  };
  await world.start({ limits: { addressBodies: 1, bodyLookMs: 60_000 } });
  const posts: Promise<{ status: number }>[] = [];
  for (const count of [1, 2, 3]) {
    posts.push(world.ask('/', { method: 'POST', body: 'x' }));
    await eventually(async () => waiting.length === count);
  }
  for (const answer of waiting) answer();
  assert.deepEqual(
    (await Promise.all(posts)).map(({ status }) => status),
    [200, 200, 200],
  );
});

test('PHP that fails without a word has a page that says so', async () => {
  let reason = '';
  world.site.handler = (_request, response) => {
    response.writeHead(500, { 'x-siteyard-failure': reason, 'content-length': 0 }).end();
  };
  await world.start();
  for (const [failure, status, title] of [
    ['memory', 500, 'Out of memory'],
    ['crash', 502, 'The site broke'],
    ['anything', 502, 'The site broke'],
  ] as const) {
    reason = failure;
    for (const method of ['GET', 'POST']) {
      const reply = await world.ask('/', { method });
      assert.equal(reply.status, status);
      assert.match(reply.text, new RegExp(title));
      assert.equal(reply.headers['x-siteyard-failure'], undefined);
    }
  }
  assert.equal(world.site.released, world.site.leased);
});

test('a response with too many headers is refused and not asked for again, and the site’s log says why once', async () => {
  world.site.handler = ({ url }, response) => {
    if (url === '/cookies') response.setHeader('set-cookie', Array(16_000).fill('a'));
    if (url === '/headers') response.setHeader('x-a', Array(201).fill('a'));
    response.end('hello');
  };
  await world.start();
  for (const [index, path] of ['/cookies', '/headers', '/headers'].entries()) {
    // Leaves a connection that the next request takes.
    assert.equal((await world.ask('/', { method: 'POST' })).status, 200);
    const { status, text } = await world.ask(path);
    assert.deepEqual([status, /look at the site’s log/.test(text)], [502, true]);
    assert.equal(world.site.requests.length, 2 * (index + 1));
  }
  assert.deepEqual(
    world.errors.map(({ level, request }) => [level, request]),
    [['fatal', 'GET /cookies']],
  );
  assert.match(world.errors[0]?.message ?? '', /^The headers of the response are larger than 64 kB; set-cookie takes /);
  assert.equal(world.site.released, world.site.leased);
});

test('too many trailers abort the response, and the site’s log says why', async () => {
  world.site.handler = (_request, response) => {
    response.setHeader('trailer', 'x-a').write('hello');
    response.addTrailers(Array.from({ length: 201 }, () => ['x-a', 'b'] as const));
    setTimeout(() => response.end(), 20);
  };
  await world.start();
  await assert.rejects(world.ask('/', { method: 'POST' }));
  await eventually(async () => world.errors.length === 1);
  assert.match(world.errors[0]?.message ?? '', /^The response has 201 headers, 201 of them x-a/);
  assert.equal(world.site.released, world.site.leased);
});

test('informational heads before a response are limited', async () => {
  world.site.handler = ({ url }, response) => {
    for (let count = 0; count < Number(url?.slice(1)); count++) response.writeEarlyHints({ link: '</a>; rel=preload' });
    response.end('hello');
  };
  await world.start();
  assert.equal((await world.ask('/16')).status, 200);
  assert.equal((await world.ask('/17')).status, 502);
  assert.match(world.errors[0]?.message ?? '', /^More than 16 heads with a status of 1xx/);
});

test('a response to an upgrade has the same limits', async () => {
  const head = (status: string, count: number) => `HTTP/1.1 ${status}\r\n${'X-A: b\r\n'.repeat(count)}`;
  const upgrade = 'Upgrade: websocket\r\nConnection: Upgrade\r\n';
  const replies: Record<string, string> = {
    '/most': `${head('101 Switching Protocols', 198)}${upgrade}\r\n`,
    '/switched': `${head('101 Switching Protocols', 199)}${upgrade}\r\n`,
    '/ordinary': `${head('200 OK', 201)}\r\n`,
    '/large': `HTTP/1.1 200 OK\r\nX-A: ${'b'.repeat(65_536)}\r\n\r\n`,
    '/hints': `${'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(17)}HTTP/1.1 200 OK\r\n\r\n`,
  };
  await world.start();
  world.site.server.on('upgrade', ({ url = '' }, socket) => socket.on('error', () => {}).end(replies[url]));
  for (const [path, status] of Object.entries({ most: 101, switched: 502, ordinary: 502, large: 502, hints: 502 })) {
    const reply = await world.raw(`GET /${path} HTTP/1.1\r\nHost: ${HOST}\r\n${upgrade}\r\n`);
    assert.match(reply, new RegExp(`^HTTP/1.1 ${status} `), path);
  }
  assert.match(world.errors[0]?.message ?? '', /^The response has 201 headers, 199 of them X-A/);
  await eventually(async () => world.site.released === world.site.leased);
});

test('a sleeping site is woken once, however many visitors come, and all of them are answered', async () => {
  world.site.beforeStart = () => pause(100);
  await world.start();
  await world.setRoutes(world.route({ state: 'asleep' }));
  const replies = await Promise.all(Array.from({ length: 20 }, (_, index) => world.ask(`/${index}`)));
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
  assert.deepEqual([world.site.starts, world.wakes], [1, ['site-1']]);
  assert.deepEqual([world.site.leased, world.site.released], [20, 20]);
});

test('a site that does not wake in time gets a page that tries again', async () => {
  world.site.beforeStart = () => pause(500);
  await world.start({ limits: { wakeMs: 50 } });
  await world.setRoutes(world.route({ state: 'asleep' }));
  const reply = await world.ask('/');
  assert.equal(reply.status, 503);
  assert.match(reply.text, /http-equiv="refresh"/);
  assert.ok(reply.headers['retry-after']);
  await pause(600);
  assert.equal(world.site.leased, world.site.released, 'a lease that came too late is given back');
});

test('visitors of a held site wait for it and then get the page', async () => {
  await world.start();
  await world.setRoutes(world.route({ state: 'held' }));
  const waiting = [world.ask('/a'), world.ask('/b')];
  await pause(80);
  assert.equal(world.site.requests.length, 0);
  world.announce(world.route({ state: 'ready' }));
  assert.deepEqual(
    (await Promise.all(waiting)).map(({ text }) => text),
    ['hello /a', 'hello /b'],
  );
});

test('who waits for a held site is checked anew when it is back', async () => {
  await world.start();
  await world.setRoutes(world.route({ state: 'held' }));
  const waiting = world.ask('/a');
  await pause(50);
  world.announce(world.route({ state: 'ready', signIn: { username: 'admin', password: 'x' } }));
  assert.equal((await waiting).status, 401);
});

test('a site that stays held or unfinished gets a page of its own', async () => {
  await world.start({ limits: { holdMs: 50 } });
  await world.setRoutes(world.route({ state: 'held' }));
  const held = await world.ask('/');
  assert.deepEqual([held.status, /Somebody works on this site/.test(held.text)], [503, true]);
  await world.setRoutes(world.route({ state: 'creating' }));
  const creating = await world.ask('/');
  assert.deepEqual([creating.status, /being set up/.test(creating.text)], [503, true]);
});

test('every failure of a site has a page that names whose turn it is, and nothing internal', async () => {
  await world.start();
  const cases = { timeout: 504, memory: 500, crash: 502, start: 503, overload: 503, stopped: 503 } as const;
  for (const [reason, status] of Object.entries(cases)) {
    world.site.leaseFailure = new SiteFailure(reason as keyof typeof cases, '/srv/secret/path');
    const page = await world.ask('/');
    assert.equal(page.status, status, reason);
    assert.equal(page.headers['cache-control'], 'no-store');
    assert.doesNotMatch(page.text, /secret/);
    assert.ok(page.text.includes(page.headers['x-request-id'] as string));
    const json = await world.ask('/', { headers: { accept: 'application/json, text/html;q=0.5' } });
    assert.equal(JSON.parse(json.text).code, `site.${reason}`);
  }
});

test('a site that is stopped in the moment it is asked is asked again, body and all', async () => {
  let attempts = 0;
  world.site.handler = async (request, response) => {
    attempts++;
    world.site.failure = attempts === 1 ? new SiteFailure('stopped', 'not begun') : undefined;
    if (attempts === 1) return void request.socket.destroy();
    let body = '';
    for await (const chunk of request) body += chunk;
    response.end(body);
  };
  await world.start();
  assert.equal((await world.ask('/', { method: 'POST', body: 'once' })).text, 'once');
  assert.equal(attempts, 2);
  assert.equal(world.site.leased, world.site.released);
});

test('a site that breaks off before answering is reported by the reason that the runtime knows', async () => {
  world.site.handler = (request) => {
    world.site.failure = new SiteFailure('timeout', 'took too long');
    request.socket.destroy();
  };
  await world.start();
  assert.equal((await world.ask('/', { method: 'POST' })).status, 504);
  world.site.handler = (request) => {
    world.site.failure = undefined;
    request.socket.destroy();
  };
  assert.equal((await world.ask('/', { method: 'POST' })).status, 502);
  assert.equal(world.site.leased, world.site.released);
});

test('an answer that breaks off midway breaks for the visitor too', async () => {
  world.site.handler = (request, response) => {
    response.write('half of it');
    setTimeout(() => request.socket.destroy(), 20);
  };
  await world.start();
  await assert.rejects(world.ask('/', { method: 'POST' }), /aborted|hang up/);
  await eventually(async () => world.site.leased === world.site.released);
});

test('when the visitor goes, the site is told and its lease is free', async () => {
  let closed = 0;
  world.site.handler = (_, response) => {
    response.write('begun');
    response.once('close', () => closed++);
  };
  await world.start();
  const visitor = connect(world.port, '127.0.0.1');
  visitor.write(`POST / HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 0\r\n\r\n`);
  await new Promise((resolve) => visitor.once('data', resolve));
  assert.equal(world.site.released, 0);
  visitor.destroy();
  await eventually(async () => closed === 1 && world.site.released === 1);
});

test('a visitor who goes before the answer begins is not waited for', async () => {
  let closed = 0;
  world.site.handler = (_, response) => void response.once('close', () => closed++);
  await world.start();
  for (const [index, method] of ['POST', 'GET'].entries()) {
    const visitor = connect(world.port, '127.0.0.1');
    visitor.write(`${method} / HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 0\r\n\r\n`);
    await eventually(async () => world.site.requests.length === index + 1);
    visitor.destroy();
    await eventually(async () => closed === index + 1 && world.site.released === index + 1);
  }
  assert.equal(world.site.leased, 2);
});

test('a stream reaches the visitor part by part', async () => {
  let goOn = () => {};
  world.site.handler = (_, response) => {
    response.write('one');
    goOn = () => void response.end('two');
  };
  await world.start();
  const visitor = connect(world.port, '127.0.0.1');
  visitor.write(`POST / HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 0\r\n\r\n`);
  let seen = '';
  visitor.on('data', (chunk) => {
    seen += chunk;
  });
  await eventually(async () => seen.includes('one'));
  goOn();
  await eventually(async () => seen.includes('two'));
  visitor.destroy();
});

test('a slow visitor slows the site down instead of filling memory', async () => {
  const total = 60 * 1024 * 1024;
  let written = 0;
  world.site.handler = (_, response) => {
    const chunk = Buffer.alloc(64 * 1024);
    const pump = () => {
      while (written < total) {
        written += chunk.length;
        if (!response.write(chunk)) return void response.once('drain', pump);
      }
      response.end();
    };
    pump();
  };
  await world.start();
  const visitor = connect(world.port, '127.0.0.1');
  visitor.pause();
  visitor.write(`POST / HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 0\r\n\r\n`);
  await pause(400);
  assert.ok(written < total / 2, `${written} bytes were taken from the site`);
  visitor.destroy();
});

test('too many who wait for one site get the overload page', async () => {
  const waiting: (() => void)[] = [];
  world.site.handler = (_, response) => void waiting.push(() => response.end('late'));
  await world.start({ limits: { waitingPerSite: 3 } });
  const patient = [1, 2, 3].map((each) => world.ask(`/${each}`, { method: 'POST' }));
  while (waiting.length < 3) await pause(5);
  const reply = await world.ask('/4', { method: 'POST' });
  assert.deepEqual([reply.status, /Too many visitors/.test(reply.text)], [503, true]);
  for (const answer of waiting) answer();
  assert.deepEqual(
    (await Promise.all(patient)).map(({ text }) => text),
    ['late', 'late', 'late'],
  );
});

test('an idle connection that the site closed is replaced without the visitor noticing', async () => {
  await world.start();
  await world.ask('/one');
  // The site's side of the kept connection ends exactly when the edge sends the next request over it.
  let isFirst = true;
  world.site.handler = (request, response) => {
    if (isFirst) request.socket.destroy();
    else hello(request, response);
    isFirst = false;
  };
  assert.equal((await world.ask('/two')).text, 'hello /two');
});

test('what can not be repeated takes no connection that the site may be about to close', async (t) => {
  const clock = movableClock(t);
  let connections = 0;
  world.site.server.on('connection', () => connections++);
  await world.start();
  await world.ask('/', { method: 'POST' });
  await world.ask('/', { method: 'POST' });
  assert.equal(connections, 1);
  clock.tick(600);
  await world.ask('/', { method: 'POST' });
  assert.equal(connections, 2);
});

test('a WebSocket reaches the site and bytes go both ways', async () => {
  world.site.server.on('upgrade', (request, socket) => {
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nX-Siteyard-A: b\r\nX-Key: ${request.headers['sec-websocket-key']}\r\n\r\n`,
    );
    socket.on('data', (chunk: Buffer) => socket.write(`echo ${chunk}`));
    socket.on('end', () => socket.end());
  });
  await world.start();
  assert.match(await echo(world.port, '/ws'), /^HTTP\/1.1 101 [\s\S]*X-Key: abc[\s\S]*\r\n\r\necho ping$/);
  await eventually(async () => world.site.leased === 1 && world.site.released === 1);
});

test('a WebSocket that the site refuses gets its answer, one to nowhere a page', async () => {
  world.site.server.on('upgrade', (_, socket) => socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno'));
  await world.start();
  const ask = (host: string) =>
    world.raw(`GET /ws HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
  assert.match(await ask(HOST), /^HTTP\/1.1 403 [\s\S]*no$/);
  assert.match(await ask('nowhere.example.org'), /^HTTP\/1.1 404 /);
  await world.setRoutes(world.route({ signIn: { username: 'admin', password: 'x' } }));
  assert.match(await ask(HOST), /^HTTP\/1.1 401 /);
});

async function echo(port: number, path: string): Promise<string> {
  const visitor = connect(port, '127.0.0.1');
  let answer = '';
  visitor.on('data', (chunk) => {
    if (!answer.includes('\r\n\r\n')) visitor.write('ping');
    answer += chunk.toString('latin1');
    if (answer.endsWith('echo ping')) visitor.end();
  });
  visitor.write(
    `GET ${path} HTTP/1.1\r\nHost: ${HOST}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: abc\r\n\r\n`,
  );
  await new Promise((resolve) => visitor.once('close', resolve));
  return answer;
}
