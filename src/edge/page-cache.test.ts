import assert from 'node:assert/strict';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, test } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import { SiteFailure } from '#runtimes/runtime.ts';
import { type Ask, EdgeWorld, HOST, type Reply } from '#testkit/app/edge-world.ts';
import { eventually } from '#testkit/expect.ts';
import { movableClock } from '#testkit/movable-clock.ts';
import { pause } from '#testkit/pause.ts';

let world: EdgeWorld;
/** Grows with each page that the site makes, so that an old page can be told from a new one. */
let made = 0;
beforeEach(() => {
  made = 0;
  world = new EdgeWorld(page());
});
afterEach(() => world.close());

function page(headers: Record<string, string | string[]> = {}, status = 200): RequestListener {
  return (_, response) => {
    made++;
    response.writeHead(status, { 'content-type': 'text/html; charset=UTF-8', ...headers });
    response.end(`page ${made} ${'x'.repeat(2000)}`);
  };
}

/** What the cache says, and the number of the page. */
async function look(path = '/', ask: Ask = {}): Promise<string> {
  const { headers, text } = await world.ask(path, ask);
  return `${headers['x-cache']} ${text.split(' ')[1]}`;
}

test('an anonymous page is made once and then comes from memory, with its headers', async (t) => {
  movableClock(t);
  world.site.handler = page({ link: '<a>; rel=b', 'x-siteyard-secret': 'x', 'keep-alive': 'timeout=1' });
  await world.start();
  const miss = await world.ask('/post?p=1');
  assert.equal(miss.headers['x-cache'], 'MISS');
  const hit = await world.ask('/post?p=1');
  assert.deepEqual([hit.headers['x-cache'], hit.headers.age, hit.text], ['HIT', '0', miss.text]);
  assert.equal(hit.headers.link, '<a>; rel=b');
  assert.equal(hit.headers['content-type'], 'text/html; charset=UTF-8');
  assert.equal(hit.headers['content-length'], String(hit.body.length));
  assert.ok(Math.abs(Date.parse(hit.headers.date as string) - Date.now()) < 2000);
  assert.equal(hit.headers['x-siteyard-secret'], undefined);
  assert.equal(hit.headers['keep-alive'], undefined);
  assert.equal(await look('/post?p=2'), 'MISS 2');
  assert.equal(world.site.requests.length, 2);
});

test('cached answers leave the connection usable, one behind the other and pipelined', async () => {
  await world.start();
  await world.ask('/');
  const one = `GET / HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`;
  const answer = await world.raw(one.repeat(5) + one.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'), 2000);
  assert.equal(answer.match(/HTTP\/1.1 200 OK/g)?.length, 6);
  assert.equal(answer.match(/page 1/g)?.length, 6);
  const old = await world.raw(`GET / HTTP/1.0\r\nHost: ${HOST}\r\n\r\n`, 2000);
  assert.match(old, /^HTTP\/1.1 200 OK[\s\S]*connection: close[\s\S]*page 1/i);
});

test('100 visitors of a missed page cause one request', async () => {
  world.site.handler = (request, response) => void setTimeout(() => page()(request, response), 100);
  await world.start();
  const seen = await Promise.all(Array.from({ length: 100 }, () => look('/popular')));
  assert.equal(world.site.requests.length, 1);
  assert.deepEqual(new Set(seen), new Set(['MISS 1', 'HIT 1']));
  assert.deepEqual([world.site.leased, world.site.released], [1, 1]);
});

test('when a page can not be cached, all who waited go by themselves at once', async () => {
  const ends: (() => void)[] = [];
  world.site.handler = (_, response) => {
    made++;
    response.writeHead(200, { 'cache-control': 'private' });
    response.write(`page ${made} `);
    ends.push(() => void response.end('end'));
    // Nobody is answered before all have asked: whoever queued up would wait for ever.
    if (made === 10) for (const end of ends) end();
  };
  await world.start();
  const seen = await Promise.all(Array.from({ length: 10 }, () => look('/mine')));
  assert.equal(new Set(seen).size, 10, 'each got a page of their own');
});

test('when the site fails, those who waited see the failure and do not all ask again', async () => {
  world.site.handler = (request) => {
    world.site.failure = new SiteFailure('timeout', 'too slow');
    void pause(200).then(() => request.socket.destroy());
  };
  await world.start();
  const replies = await Promise.all(Array.from({ length: 10 }, () => world.ask('/slow')));
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([504]));
  assert.equal(world.site.requests.length, 1);
});

test('the first visitor may leave: the page still comes for those who wait', async () => {
  world.site.handler = (request, response) => void setTimeout(() => page()(request, response), 150);
  await world.start();
  const first = connect(world.port, '127.0.0.1');
  first.write(`GET /left HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`);
  while (world.site.requests.length === 0) await pause(5);
  const second = look('/left');
  await pause(30);
  first.destroy();
  assert.equal(await second, 'HIT 1');
  assert.equal(world.site.requests.length, 1);
});

test('who is somebody, or asks for something special, gets their own page', async () => {
  await world.start();
  await world.ask('/');
  const personal: Ask[] = [
    { headers: { cookie: 'wordpress_logged_in_abc=x' } },
    { headers: { cookie: 'a=b; wordpress_sec_abc=x' } },
    { headers: { cookie: 'wp-postpass_abc=x' } },
    { headers: { cookie: 'comment_author_abc=x' } },
    { headers: { cookie: 'woocommerce_items_in_cart=1' } },
    { headers: { cookie: 'wp_woocommerce_session_abc=1' } },
    { headers: { cookie: 'edd_items=1' } },
    { headers: { cookie: 'wordpress_user_sw_abc=1' } },
    { headers: { authorization: 'Basic abc' } },
    { headers: { range: 'bytes=0-10' } },
    { headers: { 'x-requested-with': 'XMLHttpRequest' } },
    { method: 'POST' },
    { headers: { 'content-length': '2' }, body: 'ab' },
  ];
  for (const ask of personal) assert.match(await look('/', ask), /^BYPASS/, JSON.stringify(ask));
  for (const path of ['/wp-admin/', '/wp-admin', '/wp-login.php', '/wp-cron.php', '//wp-login.php']) {
    assert.match(await look(path), /^BYPASS/, path);
    assert.match(await look(path), /^BYPASS/, path);
  }
  for (const cookie of ['wordpress_test_cookie=1', '_ga=1', 'not_wordpress_x=1']) {
    assert.equal(await look('/', { headers: { cookie } }), 'HIT 1', cookie);
  }
});

test('dev mode asks WordPress each time', async () => {
  await world.start();
  await world.ask('/');
  await world.setRoutes(world.route({ devMode: true }));
  assert.equal(await look(), 'BYPASS 2');
  assert.equal(await look(), 'BYPASS 3');
});

test('answers are kept as long as they say, and no longer', async () => {
  const soon = new Date(Date.now() + 100_000).toUTCString();
  const cases: [Record<string, string | string[]>, number, boolean][] = [
    [{}, 200, true],
    [{ 'cache-control': 'max-age=100' }, 200, true],
    [{ 'cache-control': 'max-age=0, s-maxage=100' }, 200, true],
    [{ 'cache-control': 'max-age=0' }, 200, false],
    [{ 'cache-control': 'no-store' }, 200, false],
    [{ 'cache-control': 'private, max-age=100' }, 200, false],
    [{ 'cache-control': 'No-Cache, must-revalidate, max-age=0' }, 200, false],
    [{ 'cache-control': 'max-age=nonsense' }, 200, false],
    [{ expires: soon }, 200, true],
    [{ expires: 'Wed, 11 Jan 1984 05:00:00 GMT' }, 200, false],
    [{ expires: '0' }, 200, false],
    [{ 'set-cookie': 'a=b' }, 200, false],
    [{ vary: '*' }, 200, false],
    [{ vary: 'Accept-Encoding' }, 200, true],
    [{ vary: 'X-Special' }, 200, false],
    [{ 'content-encoding': 'gzip' }, 200, false],
    [{ location: '/new' }, 301, true],
    [{ location: '/new' }, 308, true],
    [{ location: '/new' }, 302, false],
    [{}, 404, true],
    [{}, 500, false],
    [{}, 403, false],
  ];
  await world.start();
  for (const [index, [headers, status, isKept]] of cases.entries()) {
    world.site.handler = page(headers, status);
    const path = `/case-${index}`;
    await world.ask(path);
    assert.match(await look(path), isKept ? /^HIT/ : /^(?:MISS|BYPASS)/, JSON.stringify([headers, status]));
  }
});

test('no page is shown for longer than WordPress takes its nonces, whatever it says', async (t) => {
  const clock = movableClock(t);
  const hours = (count: number) => count * 3_600_000;
  const month = 30 * 24 * 3600;
  const sayings = [
    {},
    { 'cache-control': `max-age=${month}` },
    { 'cache-control': `max-age=0, stale-while-revalidate=${month}` },
  ];
  await world.start();
  for (const [index, saying] of sayings.entries()) {
    world.site.handler = page(saying);
    const path = `/page-${index}`;
    await world.ask(path);
    clock.tick(hours(7.9));
    // The site can not make a new one, so that nothing but the age of the old one decides.
    world.site.handler = page({}, 500);
    assert.match(await look(path), /^(?:HIT|STALE)/, JSON.stringify(saying));
    clock.tick(hours(0.2));
    assert.match(await look(path), /^MISS/, JSON.stringify(saying));
  }
});

test('a site that says for how long its pages may be kept is obeyed, and nobody else hears of it', async (t) => {
  const clock = movableClock(t);
  world.site.handler = page({ 'x-siteyard-keep': '100', 'cache-control': 'max-age=3600' });
  await world.start();
  for (const reply of [await world.ask('/'), await world.ask('/')])
    assert.equal(reply.headers['x-siteyard-keep'], undefined);
  clock.tick(99_000);
  assert.match(await look(), /^HIT/);
  clock.tick(2_000);
  assert.match(await look(), /^MISS/);
  world.site.handler = page({ 'x-siteyard-keep': '0' });
  await world.ask('/not-at-all');
  assert.match(await look('/not-at-all'), /^BYPASS/);
  world.site.handler = page({ 'x-siteyard-keep': '100', 'cache-control': 'private' });
  await world.ask('/private');
  assert.match(await look('/private'), /^BYPASS/);
});

test('what programs ask for is cached only where it says so itself', async () => {
  await world.start();
  for (const path of ['/wp-json/wp/v2/posts?a=1', '/?rest_route=/wp/v2/posts']) {
    world.site.handler = page();
    assert.match(await look(path), /^MISS/);
    assert.doesNotMatch(await look(path), /^HIT/);
    world.site.handler = page({ 'cache-control': 'max-age=60' });
    assert.match(await look(`${path}&page=2`), /^MISS/);
    assert.match(await look(`${path}&page=2`), /^HIT/);
  }
});

test('a page that must not be kept is not waited for by others, and is kept again once it may be', async () => {
  world.site.handler = page({ 'cache-control': 'private' });
  await world.start();
  assert.deepEqual([await look(), await look()], ['MISS 1', 'BYPASS 2']);
  world.site.handler = page();
  assert.equal(await look(), 'BYPASS 3');
  world.edge.purge('site-1');
  assert.deepEqual([await look(), await look()], ['MISS 4', 'HIT 4']);
});

test('a page that depends on a header is kept once for each of its values', async () => {
  world.site.handler = (request, response) =>
    page({ vary: 'Accept-Language, Accept-Encoding', 'x-lang': request.headers['accept-language'] ?? '' })(
      request,
      response,
    );
  await world.start();
  const ask = async (language: string) => {
    const { headers } = await world.ask('/', { headers: { 'accept-language': language } });
    return `${headers['x-cache']} ${headers['x-lang']}`;
  };
  // The first answer says what the page depends on, and the visitor's own is asked for besides.
  assert.equal(await ask('de'), 'MISS de');
  assert.equal(await ask('fr'), 'MISS fr');
  assert.equal(await ask('de'), 'MISS de');
  assert.equal(await ask('de'), 'HIT de');
  assert.equal(await ask('fr'), 'HIT fr');
});

test('a page whose Vary has too many names or bytes is not cached, and the site’s log says why once in a while', async (t) => {
  const clock = movableClock(t);
  const names = (count: number) => Array.from({ length: count }, (_, index) => `x-${index}`).join(', ');
  const stateOf = async (path: string, vary: string) => {
    world.site.handler = page({ vary });
    for (let request = 0; request < 2; request++) await world.ask(path);
    return (await world.ask(path)).headers['x-cache'];
  };
  await world.start();
  assert.equal(await stateOf('/most', names(16)), 'HIT');
  assert.equal(world.errors.length, 0);
  assert.equal(await stateOf('/names?token=secret', names(1_500)), 'BYPASS');
  assert.equal(await stateOf('/one-more', names(17)), 'BYPASS');
  assert.equal(await stateOf('/bytes', `x-${'a'.repeat(1_024)}`), 'BYPASS');
  const [error] = world.errors;
  assert.equal(world.errors.length, 1, 'one line for all three pages');
  assert.deepEqual([error?.level, error?.request], ['warning', 'GET /names?token=secret']);
  assert.match(error?.message ?? '', /^This page is not cached: its Vary header has 1,500 names in 10,888 bytes; /);
  clock.tick(11 * 60_000);
  await stateOf('/later', names(17));
  assert.equal(world.errors.length, 2);
  world.site.handler = page({ vary: names(17), 'cache-control': 'private' });
  clock.tick(11 * 60_000);
  await world.ask('/private');
  assert.equal(world.errors.length, 2, 'another reason keeps this page from the cache');
});

test('a page that depends on cookies is kept for those who have none', async () => {
  world.site.handler = (request, response) =>
    page({ vary: 'Cookie', 'x-seen': request.headers.cookie ?? 'none' })(request, response);
  await world.start();
  const seen = async (cookie?: string) => {
    const { headers } = await world.ask('/', cookie === undefined ? {} : { headers: { cookie } });
    return `${headers['x-cache']} ${headers['x-seen']}`;
  };
  assert.equal(await seen('lang=de'), 'MISS lang=de');
  assert.equal(await seen('_ga=GA1.1; _gid=2'), 'MISS none');
  assert.equal(await seen(), 'HIT none');
  assert.equal(await seen('lang=fr'), 'BYPASS lang=fr');
});

test('a personal page is asked for with all that the visitor sent, so that nobody loses a session', async () => {
  world.site.handler = (request, response) => {
    const { cookie } = request.headers;
    page({
      'x-seen': `${cookie} ${request.url}`,
      ...(!cookie && { 'set-cookie': 'PHPSESSID=new' }),
      'cache-control': 'private',
    })(request, response);
  };
  await world.start();
  const { headers } = await world.ask('/cart?utm_source=x', { headers: { cookie: 'PHPSESSID=mine' } });
  assert.deepEqual([headers['x-seen'], headers['set-cookie']], ['PHPSESSID=mine /cart?utm_source=x', undefined]);
  const stranger = await world.ask('/other');
  assert.deepEqual(stranger.headers['set-cookie'], ['PHPSESSID=new']);
  assert.equal(world.site.requests.filter(({ url }) => url === '/other').length, 1);
});

test('nothing that is no part of the key shapes a page that others get', async () => {
  world.site.handler = (request, response) =>
    page({ 'x-seen': JSON.stringify([request.url, request.headers]) })(request, response);
  await world.start();
  const names = ['x-original-url', 'x-forwarded-host', 'x-forwarded-for', 'if-none-match', 'user-agent', 'referer'];
  const more = ['accept-language', 'client-ip', 'hx-request', 'true-client-ip', 'sec-ch-ua', 'via', 'cookie2', 'from'];
  const evil = {
    ...Object.fromEntries([...names, ...more].map((name) => [name, 'evil'])),
    accept: 'text/html, evil/evil',
    cookie: '_ga=evil',
  };
  const { headers } = await world.ask('/?utm_source=evil', { headers: evil });
  assert.doesNotMatch(headers['x-seen'] as string, /evil/);
  assert.equal(await look('/?fbclid=abc&gclid=1&msclkid=2&utm_medium=x'), 'HIT 1');
  assert.equal(await look('/?a=1&utm_source=x'), 'MISS 2');
  assert.equal(await look('/?utm_source=y&a=1'), 'HIT 2');
  assert.equal(await look('/', { host: `${HOST}:1234` }), 'MISS 3');
});

test('whoever wants something else than a page, or comes from another origin, is answered in person', async () => {
  world.site.handler = (request, response) => page({ 'x-seen': request.headers.accept ?? '' })(request, response);
  await world.start();
  assert.equal(await look('/', { headers: { accept: 'application/activity+json' } }), 'BYPASS 1');
  assert.equal(await look('/', { headers: { origin: 'https://elsewhere.example' } }), 'BYPASS 2');
  assert.equal(await look('/', { headers: { accept: 'text/html' } }), 'MISS 3');
  assert.equal(await look('/'), 'HIT 3');
});

test('a GET that can not be cached runs once, also with a campaign on its link or cookies', async () => {
  for (const [change, status] of [
    [{ 'cache-control': 'no-store' }, 200],
    [{ location: '/' }, 302],
    [{ 'set-cookie': 'a=b' }, 200],
  ] as const) {
    world.site.handler = page(change, status);
    if (!world.port) await world.start();
    for (const headers of [{}, { cookie: '_ga=1' }, { cookie: 'PHPSESSID=mine' }, { 'x-forwarded-for': '1.2.3.4' }]) {
      const before = world.site.requests.length;
      await world.ask(`/confirm-${before}?utm_source=mail`, { headers });
      assert.equal(world.site.requests.length - before, 1);
    }
  }
});

test('a purge counts whoever reads the answer, and whatever becomes of it', async () => {
  await world.start();
  const purges = async (change: Record<string, string>, status: number, ask: () => Promise<unknown>) => {
    const before = world.purges.length;
    world.site.handler = page({ 'x-siteyard-purge': 'all', ...change }, status);
    await ask();
    return world.purges.length > before;
  };
  assert.equal(await purges({ 'x-siteyard-failure': 'crash' }, 500, () => world.ask('/', { method: 'POST' })), true);
  assert.equal(await purges({ vary: 'Accept-Language' }, 200, () => world.ask('/varied')), true);
  assert.equal(await purges({ 'cache-control': 'no-store' }, 200, () => world.ask('/unkept')), true);
});

test('a refresh that must not be kept harms nobody who takes its connection next', async () => {
  world.site.handler = page({ 'cache-control': 'max-age=0, stale-while-revalidate=60' });
  await world.start();
  await world.ask('/');
  world.site.handler = page({ 'cache-control': 'no-store' });
  for (let round = 0; round < 10; round++) {
    await world.ask('/');
    assert.equal((await world.ask('/', { method: 'POST', body: 'x' })).status, 200);
  }
});

test('a visitor who reads slowly does not hold a page that others wait for', async () => {
  const large = Buffer.alloc(1_500_000, 'x');
  world.site.handler = (_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(large);
  };
  await world.start();
  const slow = connect({ port: world.port, host: '127.0.0.1' });
  slow.pause();
  slow.write(`GET / HTTP/1.1\r\nhost: ${HOST}\r\n\r\n`);
  await pause(100);
  const reply = await world.ask('/');
  assert.equal(reply.headers['x-cache'], 'HIT');
  assert.equal(reply.body.length, large.length);
  slow.destroy();
});

test('HEAD and If-None-Match are answered from the page', async () => {
  await world.start();
  await world.ask('/');
  const head = await world.ask('/', { method: 'HEAD' });
  assert.deepEqual([head.status, head.headers['x-cache'], head.body.length], [200, 'HIT', 0]);
  const { headers } = await world.ask('/');
  assert.equal(head.headers['content-length'], headers['content-length']);
  const known = await world.ask('/', { headers: { 'if-none-match': headers.etag as string } });
  assert.deepEqual([known.status, known.body.length, known.headers.etag], [304, 0, headers.etag]);
  assert.equal((await world.ask('/', { headers: { 'if-none-match': '"x"' } })).status, 200);
  assert.equal(world.site.requests.length, 1);
});

/** As the site's process answers: it says how long the answer is, and nothing of what HEAD does not send. */
function whole(headers: Record<string, string | string[]> = {}, status = 200): RequestListener {
  return (request, response) => {
    made++;
    const body = request.method === 'HEAD' ? '' : `page ${made} ${'x'.repeat(2000)}`;
    response.writeHead(status, { 'content-type': 'text/html', ...headers, 'content-length': body.length }).end(body);
  };
}

test('HEAD of a page that is not kept says what GET would, and no false length', async () => {
  world.site.handler = whole({ link: '<a>; rel=b', 'last-modified': new Date(0).toUTCString() });
  await world.start();
  const told = ({ headers: { date, age, 'x-cache': cache, connection, 'keep-alive': lasts, ...rest } }: Reply) => rest;
  for (const coding of ['identity', 'gzip']) {
    const headers = { 'accept-encoding': coding };
    const head = await world.ask(`/${coding}`, { method: 'HEAD', headers });
    assert.deepEqual([head.status, head.headers['x-cache'], head.body.length], [200, 'MISS', 0]);
    assert.notEqual(head.headers['content-length'], '0');
    const get = await world.ask(`/${coding}`, { headers });
    assert.equal(get.headers['x-cache'], 'HIT', 'the page was made for HEAD, and is there');
    assert.deepEqual(told(head), told(get));
  }
  // For somebody in particular PHP is asked for a head, and nobody knows how long the page would be.
  const own = { 'accept-encoding': 'gzip', cookie: 'wordpress_logged_in_x=1' };
  const head = await world.ask('/own', { method: 'HEAD', headers: own });
  assert.equal(world.site.requests.at(-1)?.method, 'HEAD');
  const get = await world.ask('/own', { headers: own });
  const { 'transfer-encoding': _, ...rest } = told(get);
  assert.deepEqual(told(head), rest);
  assert.equal(head.headers['content-length'], undefined);
});

for (const [form, make] of Object.entries({ 'in one piece': whole, 'bit by bit': page })) {
  test(`a feed that comes ${form} has the same tag and time for everybody, and who has it is told so`, async () => {
    const modified = new Date('2026-01-02T03:04:05Z').toUTCString();
    const says = { 'content-type': 'application/rss+xml', 'last-modified': modified, etag: '"abc"' };
    world.site.handler = make(says);
    await world.start();
    const ask = (headers: Record<string, string> = {}) =>
      world.ask('/feed/', { headers: { accept: 'application/rss+xml, text/xml', ...headers } });
    const [miss, hit] = [await ask(), await ask()];
    assert.deepEqual([miss.headers['x-cache'], hit.headers['x-cache']], ['MISS', 'HIT']);
    assert.deepEqual([miss.headers.etag, hit.headers.etag], ['W/"abc"', 'W/"abc"']);
    assert.equal(hit.headers['last-modified'], modified);
    const status = async (headers: Record<string, string>) => (await ask(headers)).status;
    assert.equal(await status({ 'if-modified-since': modified }), 304);
    assert.equal(await status({ 'if-modified-since': new Date('2026-01-02T03:04:04Z').toUTCString() }), 200);
    assert.equal(await status({ 'if-none-match': '"abc"' }), 304);
    assert.equal(await status({ 'if-none-match': '"old"', 'if-modified-since': modified }), 200, 'the tag decides');
    assert.equal(await status({ 'if-modified-since': 'nonsense' }), 200);
    assert.equal(world.site.requests.length, 1);
  });
}

test('a page without a time is never taken for one that did not change since', async () => {
  await world.start();
  await world.ask('/');
  const reply = await world.ask('/', { headers: { 'if-modified-since': new Date(Date.now() + 60_000).toUTCString() } });
  assert.deepEqual([reply.status, reply.headers['x-cache']], [200, 'HIT']);
});

test('a page has the same tag when it is made and when it is kept, and who has it already is told so at once', async () => {
  world.site.handler = (_, response) =>
    response.writeHead(200, { 'content-type': 'text/html', 'content-length': 2000 }).end('x'.repeat(2000));
  await world.start();
  const ask = (path: string, headers: Record<string, string>) => world.ask(path, { headers });
  const plain = await ask('/', {});
  const tag = plain.headers.etag as string;
  assert.match(tag, /^W\/"/);
  for (const coding of ['identity', 'gzip', 'br', 'zstd']) {
    for (const path of [`/${coding}`, `/${coding}`, '/'])
      assert.equal((await ask(path, { 'accept-encoding': coding })).headers.etag, tag);
  }
  const known = await ask('/new', { 'if-none-match': tag });
  assert.deepEqual([known.status, known.headers['x-cache'], known.body.length], [304, 'MISS', 0]);
});

const NO_STORE = 'no-cache, must-revalidate, max-age=0, no-store, private';

test('WordPress’ page for what is not there is kept for a moment where WordPress lets us, and by nobody else', async (t) => {
  const clock = movableClock(t);
  world.site.handler = whole({ 'cache-control': NO_STORE, 'x-siteyard-keep': '30' }, 404);
  await world.start();
  await world.ask('/gone');
  const { status, headers } = await world.ask('/gone');
  assert.deepEqual([status, headers['x-cache'], headers['cache-control']], [404, 'HIT', NO_STORE]);
  clock.tick(31_000);
  assert.equal(await look('/gone'), 'MISS 2');
  world.edge.purge('site-1');
  assert.equal(await look('/gone'), 'MISS 3', 'it may be there by now');
  world.site.handler = whole({ 'cache-control': NO_STORE, 'x-siteyard-keep': '30', 'set-cookie': 'a=b' }, 404);
  assert.deepEqual([await look('/cookie'), await look('/cookie')], ['MISS 4', 'BYPASS 5']);
  world.site.handler = whole({ 'cache-control': NO_STORE }, 404);
  assert.deepEqual([await look('/own'), await look('/own')], ['MISS 6', 'BYPASS 7']);
});

test('paths at random push out no page that is there, and take no more memory than their part', async () => {
  await world.start({ limits: { pageCacheBytes: 60_000, notFoundCacheBytes: 600_000 } });
  for (let index = 0; index < 10; index++) await world.ask(`/page-${index}`);
  world.site.handler = whole({ 'cache-control': NO_STORE, 'x-siteyard-keep': '30' }, 404);
  for (let index = 0; index < 300; index++) await world.ask(`/random-${index}`);
  assert.match(await look('/random-299'), /^HIT/);
  for (let index = 0; index < 10; index++) assert.match(await look(`/page-${index}`), /^HIT/);
  await world.edge.close();
  assert.equal(world.usages.at(-1)?.cacheObjects, 60, 'ten pages, and fifty that say that there is nothing');
  world.site.handler = (_, response) => {
    response.writeHead(404, { 'content-type': 'text/html', 'x-siteyard-keep': '30' });
    response.end('x'.repeat(300_000));
  };
  assert.deepEqual([await look('/huge'), await look('/huge')], ['MISS undefined', 'MISS undefined']);
});

test('pages are kept compressed too', async () => {
  await world.start();
  const ask = () => world.ask('/', { headers: { 'accept-encoding': 'gzip, br' } });
  await ask();
  const reply = await eventually(async () => {
    const next = await ask();
    return next.headers['content-encoding'] !== undefined && next;
  });
  assert.deepEqual([reply.headers['content-encoding'], reply.headers['x-cache']], ['br', 'HIT']);
  assert.match(brotliDecompressSync(reply.body).toString(), /^page 1 x/);
  assert.match(reply.headers.vary as string, /Accept-Encoding/);
  assert.equal((await world.ask('/')).headers['content-encoding'], undefined);
});

for (const where of ['header', 'trailer'] as const) {
  test(`a purge in a ${where} is done before the visitor sees the end of the answer`, async () => {
    world.site.handler = (request, response) => {
      if (request.method !== 'POST') return page()(request, response);
      request.resume();
      if (where === 'header') response.setHeader('x-siteyard-purge', 'all');
      else response.setHeader('trailer', 'x-siteyard-purge');
      response.write('published');
      if (where === 'trailer') response.addTrailers({ 'x-siteyard-purge': 'all' });
      response.end();
    };
    await world.start();
    assert.deepEqual([await look(), await look(), await look('/b')], ['MISS 1', 'HIT 1', 'MISS 2']);
    const publish = await world.ask('/wp-admin/post.php', { method: 'POST', body: 'x' });
    assert.deepEqual([await look(), await look('/b')], ['MISS 3', 'MISS 4']);
    assert.deepEqual(world.purges, ['site-1']);
    assert.equal(publish.headers['x-siteyard-purge'], undefined);
    assert.equal(publish.headers.trailer, undefined);
  });
}

test('a visitor can not purge', async () => {
  await world.start();
  await world.ask('/');
  await world.ask('/', { headers: { 'x-siteyard-purge': 'all' } });
  assert.deepEqual([await look(), world.purges], ['HIT 1', []]);
});

test('an answer that was on its way when the purge came is not kept', async () => {
  let release: (() => void) | undefined;
  world.site.handler = (_, response) => {
    made++;
    const number = made;
    response.writeHead(200, { 'content-type': 'text/html' });
    response.write(`page ${number} `);
    if (number > 1) response.end('end');
    else release = () => void response.end('end');
  };
  await world.start();
  const old = look();
  while (!release) await pause(5);
  world.edge.purge('site-1');
  // Nor does anybody who comes now wait for it.
  assert.equal(await look(), 'MISS 2');
  release();
  assert.equal(await old, 'MISS 1');
  assert.equal(await look(), 'HIT 2');
});

test('a stale page is shown once more while a new one is fetched, once', async (t) => {
  const clock = movableClock(t);
  world.site.handler = page({ 'cache-control': 'max-age=1, stale-while-revalidate=60' });
  await world.start();
  await world.ask('/');
  assert.equal(await look(), 'HIT 1');
  clock.tick(1100);
  const seen = await Promise.all([look(), look(), look()]);
  assert.equal(seen[0], 'STALE 1');
  await eventually(async () => (await look()) === 'HIT 2');
  assert.equal(world.site.requests.length, 2);
});

test('a stale page outlives a site that fails, and ends with its time', async (t) => {
  const clock = movableClock(t);
  world.site.handler = page({ 'cache-control': 'max-age=1, stale-while-revalidate=1' });
  await world.start();
  await world.ask('/');
  world.site.handler = page({}, 500);
  clock.tick(1100);
  assert.equal(await look(), 'STALE 1');
  await eventually(async () => world.site.requests.length === 2);
  await pause(50);
  assert.equal(await look(), 'STALE 1');
  clock.tick(1000);
  assert.match(await look(), /^MISS/);
});

test('whatever holds a site may change it, so its pages are forgotten; sleep forgets nothing', async () => {
  await world.start();
  await world.ask('/');
  await world.setRoutes(world.route({ state: 'asleep' }));
  assert.equal(await look(), 'HIT 1');
  assert.deepEqual(world.wakes, [], 'a page from memory wakes nobody');
  await world.setRoutes(world.route({ state: 'held' }));
  await world.setRoutes(world.route({ state: 'ready' }));
  assert.equal(await look(), 'MISS 2');
});

test('memory stays within its bounds, what is used stays longest, and large pages are not kept', async () => {
  await world.start({ limits: { pageCacheBytes: 60_000, pageBytes: 10_000 } });
  await world.ask('/loved');
  for (let index = 0; index < 100; index++) {
    await world.ask(`/${index}`);
    await world.ask('/loved');
  }
  assert.match(await look('/loved'), /^HIT/);
  assert.equal(world.site.requests.filter(({ url }) => url === '/loved').length, 1, 'it was never thrown away');
  assert.match(await look('/0'), /^MISS/);
  await world.edge.close();
  const { cacheBytes = 0, cacheObjects = 0 } = world.usages.at(-1) ?? {};
  assert.ok(cacheBytes <= 60_000 && cacheObjects > 5, `${cacheBytes} bytes in ${cacheObjects} pages`);
  world.site.handler = (_: IncomingMessage, response: ServerResponse) => response.end('x'.repeat(20_000));
  assert.equal((await world.ask('/large')).body.length, 20_000);
  assert.match((await world.ask('/large')).headers['x-cache'] as string, /MISS/);
});

test('a site that fills the cache evicts no page of a site that holds less', async () => {
  await world.start({ limits: { pageCacheBytes: 60_000 } });
  const small = 'small.example.org';
  const route = world.route({ fqdn: small });
  world.announceAs('site-2', world.route({}), { ...route, site: { ...route.site, id: 'site-2' } });
  await eventually(async () => (await world.ask('/', { host: small })).status === 200);
  for (let index = 0; index < 100; index++) await world.ask(`/${index}`);
  assert.match(await look('/', { host: small }), /^HIT/);
  assert.deepEqual([await look('/99'), await look('/0')], ['HIT 101', 'MISS 102']);
  await world.edge.close();
  const bytes = world.usages.reduce((sum, { cacheBytes }) => sum + cacheBytes, 0);
  assert.ok(bytes > 50_000 && bytes <= 60_000, `${bytes} bytes`);
});
