import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, test } from 'node:test';
import { framedHeaders, previewToken } from '#edge/preview.ts';
import type { Route } from '#edge/route.ts';
import { EdgeWorld, HOST, type Reply } from '#testkit/app/edge-world.ts';
import { pause } from '#testkit/pause.ts';

const KEY = 'the key of this preview';
const MINUTE_MS = 60_000;

const wordpress: RequestListener = (_request, response) => {
  response.setHeader('content-type', 'text/html; charset=UTF-8');
  response.end('<h1>as it was</h1>');
};

let world: EdgeWorld;
beforeEach(async () => {
  world = new EdgeWorld(wordpress);
  await world.start({ limits: { flushMs: 20 }, trustProxy: ['127.0.0.1'] });
  await world.setRoutes(preview());
});
afterEach(() => world.close());

function preview(change: Partial<Route> = {}, endsInMs = 30 * MINUTE_MS): Route {
  return world.route({
    preview: { key: KEY, expiresAt: new Date(Date.now() + endsInMs), framedBy: 'https://yard.example' },
    ...change,
  });
}

function entrance(token = previewToken(KEY, HOST, Date.now() + MINUTE_MS)): string {
  return `/.siteyard/preview?token=${token}`;
}

/** The cookie of a visitor who came with a good token. */
async function enter(headers: Record<string, string> = {}): Promise<string> {
  const reply = await world.ask(entrance(), { headers });
  assert.equal(reply.status, 303);
  return setCookie(reply).split(';')[0] as string;
}

function setCookie(reply: Reply): string {
  const [cookie = '', ...more] = reply.headers['set-cookie'] ?? [];
  assert.deepEqual(more, []);
  return cookie;
}

function assertRefused(reply: Reply, about: string): void {
  assert.equal(reply.status, 403, about);
  assert.match(reply.text, /from the dashboard/, about);
  assert.equal(reply.headers['set-cookie'], undefined, about);
}

test('a token opens the preview, for the browser that brought it and until the preview ends', async () => {
  const entered = await world.ask(entrance());
  assert.equal(entered.status, 303);
  assert.equal(entered.headers.location, '/');
  assert.match(String(entered.headers['cache-control']), /no-store/);
  assert.equal(entered.headers['referrer-policy'], 'no-referrer');
  const [pair = '', ...attributes] = setCookie(entered).split('; ');
  assert.match(pair, /^siteyard_preview=/);
  const maxAge = Number(/^Max-Age=(\d+)$/.exec(attributes[1] ?? '')?.[1]);
  assert.ok(maxAge > 29 * 60 && maxAge <= 30 * 60, `${maxAge} seconds`);
  assert.deepEqual(attributes.toSpliced(1, 1), ['Path=/', 'HttpOnly', 'SameSite=Lax']);
  assert.equal((await world.ask('/', { headers: { cookie: pair } })).text, '<h1>as it was</h1>');
  assert.equal((await world.ask('/', { headers: { cookie: `a=b; ${pair}; c=d` } })).status, 200);
  assert.equal(world.site.requests.length, 2, 'WordPress never sees the entrance');
});

test('over https the cookie is one that no other host can set', async () => {
  const headers = { 'x-forwarded-proto': 'https' };
  const cookie = setCookie(await world.ask(entrance(), { headers }));
  assert.match(cookie, /^__Host-siteyard_preview=/);
  assert.match(cookie, /; Secure(?:;|$)/);
  assert.doesNotMatch(cookie, /Domain/i);
  const [pair = ''] = cookie.split(';');
  assert.equal((await world.ask('/', { headers: { ...headers, cookie: pair } })).status, 200);
  const unprefixed = pair.replace('__Host-', '');
  assertRefused(await world.ask('/', { headers: { ...headers, cookie: unprefixed } }), 'without the prefix');
});

test('nobody else gets in, whatever they ask for', async () => {
  world.writeFile('content/uploads/secret.txt', 'secret');
  const now = Date.now();
  const good = previewToken(KEY, HOST, now + MINUTE_MS);
  const cookie = await enter();
  const [, value = ''] = cookie.split('=');
  const later = `${now + 99 * MINUTE_MS}.${value.split('.')[1]}`;
  const asks: [string, string, string?][] = [
    ['no token', '/'],
    ['a file', '/wp-content/uploads/secret.txt'],
    ['the entrance alone', '/.siteyard/preview'],
    ['an empty token', '/.siteyard/preview?token='],
    ['an old token', entrance(previewToken(KEY, HOST, now - 1))],
    ["another key's token", entrance(previewToken('another key', HOST, now + MINUTE_MS))],
    ["another host's token", entrance(previewToken(KEY, 'other.example.org', now + MINUTE_MS))],
    ['a token with a later time', entrance(`${now + 2 * MINUTE_MS}.${good.split('.')[1]}`)],
    ['a token with something behind it', entrance(`${good}x`)],
    ['a token cut short', entrance(good.slice(0, -1))],
    ['one more parameter', `${entrance(good)}&a=b`],
    ['the token in another parameter', `/.siteyard/preview?x=${good}`],
    ['an escaped path', `/.siteyard/%70review?token=${good}`],
    ['a slash behind the path', `/.siteyard/preview/?token=${good}`],
    ['a doubled slash', `//.siteyard/preview?token=${good}`],
    ['the token elsewhere', `/?token=${good}`],
    ['the token as a cookie', '/', `siteyard_preview=${good}`],
    ['the cookie as a token', entrance(value)],
    ['a cookie with a later time', '/', `siteyard_preview=${later}`],
    ['a cookie of another name', '/', `x${cookie}`],
    ['an empty cookie', '/', 'siteyard_preview='],
    ['the entrance with a cookie', '/.siteyard/preview', cookie],
  ];
  for (const [about, path, sent] of asks) {
    assertRefused(await world.ask(path, { headers: sent ? { cookie: sent } : {} }), about);
  }
  assertRefused(await world.ask(entrance(good), { method: 'POST', body: 'a=b' }), 'a token in another method');
  await world.setRoutes(preview({ fqdn: 'second.example.org' }));
  assertRefused(await world.ask('/', { host: 'second.example.org', headers: { cookie } }), "another host's cookie");
  assert.equal(world.site.requests.length, 0);
});

test('a cookie that somebody else has put beside the good one keeps nobody out', async () => {
  const cookie = await enter();
  const reply = await world.ask('/', { headers: { cookie: `siteyard_preview=1.evil; ${cookie}` } });
  assert.equal(reply.status, 200);
});

test('a preview that has ended is gone for everybody, and cookies end with it', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  await world.setRoutes(preview({}, 300));
  const cookie = await enter();
  assert.equal((await world.ask('/', { headers: { cookie } })).status, 200);
  t.mock.timers.tick(350);
  for (const path of ['/', entrance(), '/wp-content/a.txt']) {
    const reply = await world.ask(path, { headers: { cookie } });
    assert.equal(reply.status, 410, path);
    assert.match(reply.text, /This preview has ended/);
  }
  // The same key for longer: what was given until then stays over.
  await world.setRoutes(preview());
  assertRefused(await world.ask('/', { headers: { cookie } }), 'an old cookie');
});

test('WordPress neither sees nor sets the cookie', async () => {
  world.site.handler = (request, response) => {
    response.setHeader('set-cookie', [
      'siteyard_preview=stolen',
      ' SITEYARD_preview = x; Path=/',
      '__Host-siteyard_preview=stolen; Secure; Path=/',
      'wordpress_test=1',
    ]);
    wordpress(request, response);
  };
  const cookie = await enter();
  const reply = await world.ask('/', { headers: { cookie: `a=b; ${cookie}; __Host-siteyard_preview=x; c=d` } });
  assert.equal(world.site.requests[0]?.headers.cookie, 'a=b; c=d');
  assert.deepEqual(reply.headers['set-cookie'], ['wordpress_test=1']);
  await world.ask('/', { method: 'POST', body: 'x', headers: { cookie } });
  assert.equal(world.site.requests[1]?.headers.cookie, undefined);
  await world.ask('/', { headers: { cookie: ['a=b', cookie] } });
  assert.doesNotMatch(String(world.site.requests[2]?.headers.cookie), /siteyard_preview/);
});

test('nothing of a preview is kept or indexed, whatever WordPress says', async () => {
  let pages = 0;
  world.site.handler = (request, response) => {
    response.setHeader('cache-control', 'public, max-age=3600');
    response.setHeader('cdn-cache-control', 'max-age=3600');
    response.setHeader('x-robots-tag', 'all');
    pages++;
    wordpress(request, response);
  };
  world.writeFile('content/style.css', 'a{}');
  const cookie = await enter();
  for (const path of ['/', '/', '/wp-content/style.css', '/wp-content/style.css?ver=1', '/wp-content/style.css']) {
    const { status, headers } = await world.ask(path, { headers: { cookie } });
    assert.equal(status, 200);
    assert.equal(headers['cache-control'], 'private, no-store', path);
    assert.equal(headers['x-robots-tag'], 'noindex', path);
    assert.equal(headers['cdn-cache-control'], undefined);
  }
  assert.equal(pages, 2);
  // Nor is a page that was kept before the route was a preview's.
  await world.setRoutes(world.route({}));
  await world.ask('/');
  assert.equal((await world.ask('/')).headers['x-cache'], 'HIT');
  await world.setRoutes(preview());
  assert.equal((await world.ask('/', { headers: { cookie: await enter() } })).headers['x-cache'], 'BYPASS');
});

test('looking at a preview is no usage', async () => {
  world.writeFile('content/style.css', 'a{}');
  const cookie = await enter();
  for (const path of ['/', '/wp-content/style.css', '/wp-login.php']) await world.ask(path, { headers: { cookie } });
  await world.ask('/');
  await pause(60);
  assert.deepEqual(world.usages, []);
});

test('a WebSocket needs the cookie too, and does not carry it on', async () => {
  const seen: IncomingMessage[] = [];
  world.site.server.on('upgrade', (request, socket) => {
    seen.push(request);
    const cookies = 'Set-Cookie: siteyard_preview=stolen\r\nSet-Cookie: a=b\r\n';
    socket.end(`HTTP/1.1 101 Switching Protocols\r\n${cookies}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\nhello`);
  });
  const upgrade = (more: string) =>
    world.raw(`GET /socket HTTP/1.1\r\nHost: ${HOST}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${more}\r\n`);
  assert.match(await upgrade(''), /^HTTP\/1\.1 403 /);
  assert.equal(seen.length, 0);
  const cookie = await enter();
  const answer = await upgrade(`Cookie: ${cookie}; c=d\r\n`);
  assert.match(answer, /^HTTP\/1\.1 101 [\s\S]*hello$/);
  assert.match(answer, /a=b/);
  assert.doesNotMatch(answer, /stolen/);
  assert.equal(seen[0]?.headers.cookie, 'c=d');
});

test('a preview leads to no other server', async (t) => {
  let visits = 0;
  const other = createServer((_request, response) => {
    visits++;
    response.end('elsewhere');
  }).listen(0, '127.0.0.1');
  await once(other, 'listening');
  t.after(() => other.close().closeAllConnections());
  const target = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`;
  await world.setRoutes(preview({ externalPaths: [{ path: 'shop', target }] }));
  const reply = await world.ask('/shop/cart', { headers: { cookie: await enter() } });
  assert.equal(reply.text, '<h1>as it was</h1>');
  assert.equal(visits, 0);
});

test('who enters while the preview is being made waits for it inside', async () => {
  await world.setRoutes(preview({ state: 'creating' }));
  assertRefused(await world.ask('/'), 'without a cookie');
  const waiting = world.ask('/', { headers: { cookie: await enter() } });
  await pause(50);
  assert.equal(world.site.requests.length, 0);
  world.announce(preview());
  assert.equal((await waiting).text, '<h1>as it was</h1>');
});

test('the dashboard shows it in a frame and nobody else does, whatever the site says, and its page is not touched', async () => {
  const framed = await world.ask(entrance(), { headers: { 'sec-fetch-dest': 'iframe' } });
  const cookies = framed.headers['set-cookie'] ?? [];
  assert.equal(cookies.length, 2);
  assert.match(String(cookies[1]), /; SameSite=None; Secure; Partitioned$/);
  const cookie = String(cookies[1]).split(';')[0] as string;
  world.site.handler = (_request, response) => {
    response.setHeader('x-frame-options', 'DENY');
    response.setHeader('content-security-policy', "default-src 'self'; frame-ancestors 'none'; img-src *");
    response.end('<h1>as it was</h1>');
  };
  const reply = await world.ask('/', { headers: { cookie } });
  assert.equal(reply.text, '<h1>as it was</h1>');
  assert.equal(reply.headers['x-frame-options'], undefined);
  const policy = String(reply.headers['content-security-policy']);
  assert.match(policy, /default-src 'self'; img-src \*/);
  assert.deepEqual(policy.match(/frame-ancestors[^;]*/g), ["frame-ancestors 'self' https://yard.example"]);
});

test('a policy that is mostly room takes no longer than any other', () => {
  const policy = `default-src${' '.repeat(300_000)}'self'; frame-ancestors 'none'`;
  const said = framedHeaders(['Content-Security-Policy', policy], 'https://yard.example');
  assert.equal(said.filter((each) => each.includes('frame-ancestors')).length, 1);
});

test('whoever stands in a frame in which the browser keeps no cookie is told what helps', async () => {
  const framed = await world.ask('/', { headers: { 'sec-fetch-dest': 'iframe' } });
  assert.equal(framed.status, 403);
  assert.match(framed.text, /Your browser keeps no cookie[\s\S]*in a tab of its own/);
  assertRefused(await world.ask('/'), 'in no frame');
});
