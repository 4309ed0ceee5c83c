import assert from 'node:assert/strict';
import { linkSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { localFiles } from '#host/local-files.ts';
import { EdgeWorld, HOST } from '#testkit/app/edge-world.ts';
import { eventually } from '#testkit/expect.ts';
import { movableClock } from '#testkit/movable-clock.ts';

const CSS = 'body { color: rebeccapurple }\n'.repeat(200);
const BIG = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => index % 251));

let world: EdgeWorld;
before(async () => {
  world = new EdgeWorld((request, response) => response.writeHead(404).end(`php ${request.url}`));
  await world.start();
  world.writeFile('content/uploads/a b.txt', 'a text of the site');
  world.writeFile('content/uploads/style.css', CSS);
  world.writeFile('content/uploads/big.bin.zip', BIG);
  world.writeFile('content/uploads/page.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>');
  world.writeFile('content/uploads/empty.txt', '');
  world.writeFile('content/uploads/shell.php', '<?php echo 1;');
  world.writeFile('content/uploads/.hidden.txt', 'hidden');
  world.writeFile('content/uploads/.git/config.txt', 'hidden');
  world.writeFile('content/database/.ht.sqlite', 'secret');
  world.writeFile('content/database/dump.txt', 'secret');
  world.writeFile('content/themes/own/style.css', 'own');
  world.writeFile('content/debug.log', 'secret');
  world.writeFile('core/wp-content/themes/bundled/style.css', 'bundled');
  world.writeFile('core/wp-content/plugins/hello.css', 'not shared');
  world.writeFile('core/wp-includes/js/jquery.js', 'jquery');
  world.writeFile('core/wp-includes/version.php', '<?php');
  world.writeFile('core/wp-admin/css/common.css', 'common');
  world.writeFile('secret.txt', 'outside');
  world.writeFile('outside/secret.txt', 'outside');
});
after(() => world.close());
beforeEach(() => world.site.requests.splice(0));

test('files come from disk: the own ones, shared themes, and those of WordPress', async () => {
  const cases: [string, string, string][] = [
    ['/wp-content/uploads/a%20b.txt', 'a text of the site', 'text/plain; charset=utf-8'],
    ['/wp-content/themes/own/style.css', 'own', 'text/css; charset=utf-8'],
    ['/wp-content/themes/bundled/style.css', 'bundled', 'text/css; charset=utf-8'],
    ['/wp-includes/js/jquery.js?ver=3.7', 'jquery', 'text/javascript; charset=utf-8'],
    ['/wp-admin/css/common.css', 'common', 'text/css; charset=utf-8'],
    ['/wp-content/uploads/empty.txt', '', 'text/plain; charset=utf-8'],
  ];
  for (const [path, text, type] of cases) {
    const reply = await world.ask(path);
    assert.deepEqual([reply.status, reply.text, reply.headers['content-type']], [200, text, type], path);
    assert.equal(reply.headers['content-length'], String(text.length));
    assert.equal(reply.headers['x-content-type-options'], 'nosniff');
  }
  assert.equal(world.site.requests.length, 0);
});

test('a file has the type that browsers want, with the charset where it is text; what is none of these is for PHP', async () => {
  const types: Record<string, string> = {
    js: 'text/javascript; charset=utf-8',
    mjs: 'text/javascript; charset=utf-8',
    json: 'application/json; charset=utf-8',
    map: 'application/json; charset=utf-8',
    html: 'text/html; charset=utf-8',
    xml: 'application/xml; charset=utf-8',
    xsl: 'application/xslt+xml; charset=utf-8',
    webmanifest: 'application/manifest+json',
    svg: 'image/svg+xml',
    JPG: 'image/jpeg',
    avif: 'image/avif',
    webp: 'image/webp',
    ico: 'image/x-icon',
    cur: 'image/x-icon',
    woff: 'font/woff',
    woff2: 'font/woff2',
    ttf: 'font/ttf',
    otf: 'font/otf',
    eot: 'application/vnd.ms-fontobject',
    wasm: 'application/wasm',
    mp3: 'audio/mpeg',
    flac: 'audio/flac',
    m4a: 'audio/mp4',
    mp4: 'video/mp4',
    m4v: 'video/mp4',
    webm: 'video/webm',
    pdf: 'application/pdf',
    zip: 'application/zip',
    docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  };
  for (const [extension, type] of Object.entries(types)) {
    world.writeFile(`content/uploads/typed.${extension}`, 'x');
    const { status, headers } = await world.ask(`/wp-content/uploads/typed.${extension}`);
    assert.deepEqual([status, headers['content-type']], [200, type], extension);
  }
  for (const extension of ['php', 'sql', 'log', 'sqlite', 'bin', 'sh', 'yaml', 'phar']) {
    world.writeFile(`content/uploads/typed.${extension}`, 'x');
    const { status, text } = await world.ask(`/wp-content/uploads/typed.${extension}`);
    assert.deepEqual([status, text], [404, `php /wp-content/uploads/typed.${extension}`]);
  }
});

test('what is versioned is kept long, other things shortly, and by nobody else where a sign-in is', async () => {
  const caching = async (path: string) => (await world.ask(path)).headers['cache-control'];
  assert.equal(await caching('/wp-includes/js/jquery.js?ver=3.7'), 'public, max-age=31536000');
  assert.equal(await caching('/wp-includes/js/jquery.js'), 'public, max-age=600');
  await world.setRoutes(world.route({ allowedAddresses: ['127.0.0.1'] }));
  assert.equal(await caching('/wp-includes/js/jquery.js'), 'private, max-age=600');
  await world.setRoutes(world.route({}));
});

test('nothing outside, nothing hidden, no code and no database comes from disk, however it is written', async () => {
  const paths = [
    '/../secret.txt',
    '/wp-content/../../secret.txt',
    '/wp-content/uploads/../../../secret.txt',
    '/wp-content/uploads/%2e%2e/%2e%2e/%2e%2e/secret.txt',
    '/wp-content/uploads/..%2f..%2f..%2fsecret.txt',
    '/wp-content/uploads/%2e%2e%2f%2e%2e%2fsecret.txt',
    '/wp-content/uploads/..%5c..%5csecret.txt',
    '/wp-content/uploads/..\\..\\secret.txt',
    '/wp-content/uploads/%252e%252e/secret.txt',
    '/wp-content/uploads/a%20b.txt%00.css',
    '/wp-content/uploads/%00/a.txt',
    '/wp-content/uploads/.hidden.txt',
    '/wp-content/uploads/%2ehidden.txt',
    '/wp-content/uploads/.git/config.txt',
    '/wp-content/database/.ht.sqlite',
    '/wp-content/database/dump.txt',
    '/wp-content//database/dump.txt',
    '/wp-content/%64atabase/dump.txt',
    '/wp-content%2fdatabase/dump.txt',
    '/wp-content/./database/dump.txt',
    '/wp-content/uploads/%c0%ae%c0%ae/secret.txt',
    '//wp-content/uploads/style.css',
    '/wp-content/uploads//style.css',
    '/wp-content/debug.log',
    '/wp-content/uploads/shell.php',
    '/wp-content/uploads/',
    '/.env.txt',
    '/wp-content/plugins/hello.css',
    '/wp-content/uploads/style.css/',
    '/wp-content/uploads/style.css/x.css',
  ];
  for (const path of paths) {
    const answer = await world.raw(`GET ${path} HTTP/1.1\r\nHost: ${HOST}\r\nConnection: close\r\n\r\n`);
    assert.match(answer, /^HTTP\/1.1 40[04] /, path);
    assert.doesNotMatch(answer, /secret$|outside$|hidden$|not shared$|rebecca|<\?php/, path);
  }
  for (const { url } of world.site.requests) {
    assert.doesNotMatch(
      decodeURIComponent(String(url).replace(/%c0|%ae/g, '')),
      /\/\.|database|\0|\\/,
      `${url} went to PHP`,
    );
  }
});

test('no symbolic link is followed, be it the file, a folder on the way, or one that appears later', async (t) => {
  const clock = movableClock(t);
  const uploads = join(world.contentFolder, 'uploads');
  symlinkSync(join(world.dir, 'secret.txt'), join(uploads, 'link.txt'));
  symlinkSync(join(world.dir, 'outside'), join(uploads, 'folder'));
  symlinkSync('style.css', join(uploads, 'inside.css'));
  for (const path of ['link.txt', 'folder/secret.txt', 'inside.css']) {
    const reply = await world.ask(`/wp-content/uploads/${path}`);
    assert.deepEqual([reply.status, reply.text], [404, `php /wp-content/uploads/${path}`]);
  }
  mkdirSync(join(uploads, 'swapped'));
  writeFileSync(join(uploads, 'swapped/secret.txt'), 'fine');
  assert.equal((await world.ask('/wp-content/uploads/swapped/secret.txt')).text, 'fine');
  rmSync(join(uploads, 'swapped'), { recursive: true });
  symlinkSync(join(world.dir, 'outside'), join(uploads, 'swapped'));
  clock.tick(1100);
  assert.equal((await world.ask('/wp-content/uploads/swapped/secret.txt')).status, 404);
});

test('a folder without its slash leads to the one with it, query included, and nothing else does', async () => {
  world.writeFile('content/plugins/odd.css/readme.txt', 'a folder with the name of a file');
  world.writeFile('content/uploads/no-extension', 'x');
  const folders: [string, string][] = [
    ['/wp-admin', '/wp-admin/'],
    ['/wp-admin?a=1&b=%2F', '/wp-admin/?a=1&b=%2F'],
    ['/wp-admin/css', '/wp-admin/css/'],
    ['/wp-includes/js', '/wp-includes/js/'],
    ['/wp-content', '/wp-content/'],
    ['/wp-content/uploads', '/wp-content/uploads/'],
    ['/wp-content/themes/own', '/wp-content/themes/own/'],
    ['/wp-content/themes/bundled', '/wp-content/themes/bundled/'],
    ['/wp-content/plugins/odd.css', '/wp-content/plugins/odd.css/'],
    ['/%77p-admin', '/%77p-admin/'],
    // Never with two slashes in front, which is another host.
    ['//wp-admin', '/wp-admin/'],
    ['/wp-content//uploads', '/wp-content/uploads/'],
  ];
  for (const [path, location] of folders) {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers, body } = await world.ask(path, { method });
      assert.deepEqual([status, headers.location, body.length], [301, location, 0], `${method} ${path}`);
      assert.equal(headers['cache-control'], 'public, max-age=600');
    }
  }
  assert.equal(world.site.requests.length, 0);
  const others = [
    '/wp-admin/',
    '/wp-login.php',
    '/wp-content%2fuploads',
    '/wp-content/plugins/hello.css',
    '/wp-content/nothing-here',
    '/wp-content/uploads/no-extension',
    '/uploads',
    '/hello-world',
    '/',
  ];
  for (const path of others) assert.equal((await world.ask(path)).text, `php ${path}`);
  assert.equal((await world.ask('/wp-admin', { method: 'POST' })).text, 'php /wp-admin');
  world.site.requests.splice(0);
  const hidden = [
    '/wp-content/uploads/.git',
    '/wp-content/database',
    '/wp-content//database',
    '/wp-content/%64atabase',
  ];
  for (const path of hidden) assert.equal((await world.ask(path)).status, 404, path);
  assert.equal(world.site.requests.length, 0);
});

test('what comes before files comes before folders too, and what lies behind a link is none', async () => {
  const uploads = join(world.contentFolder, 'uploads');
  mkdirSync(join(world.dir, 'outside/inner'), { recursive: true });
  symlinkSync(join(world.dir, 'outside'), join(uploads, 'linked'));
  for (const path of ['linked', 'linked/inner']) {
    assert.equal((await world.ask(`/wp-content/uploads/${path}`)).text, `php /wp-content/uploads/${path}`);
  }
  const status = async () => (await world.ask('/wp-admin')).status;
  await world.setRoutes(world.route({ allowedAddresses: ['192.0.2.1'] }));
  assert.equal(await status(), 403);
  await world.setRoutes(world.route({ signIn: { username: 'admin', password: 'x' } }));
  assert.equal(await status(), 401);
  await world.setRoutes(world.route({ externalPaths: [{ path: '/wp-admin', target: 'http://127.0.0.1:9/' }] }));
  assert.equal(await status(), 502);
  await world.setRoutes(world.route({ allowedAddresses: ['127.0.0.1'] }));
  assert.equal((await world.ask('/wp-admin')).headers['cache-control'], 'private, max-age=600');
  await world.setRoutes(world.route({}));
});

test('a missing file is WordPress’ to answer, except below its own folders', async () => {
  for (const path of [
    '/robots.txt',
    '/favicon.ico',
    '/sitemap.xml',
    '/wp-content/uploads/gone.jpg',
    '/.well-known/acme.txt',
  ]) {
    assert.equal((await world.ask(path)).text, `php ${path}`);
  }
  world.site.requests.splice(0);
  for (const path of ['/wp-includes/gone.js', '/wp-admin/gone.css']) assert.equal((await world.ask(path)).status, 404);
  assert.equal(
    (await world.ask('/wp-content/uploads/style.css', { method: 'POST' })).text,
    'php /wp-content/uploads/style.css',
  );
  assert.equal(world.site.requests.length, 1);
});

test('who has a file is told so, by tag or by time', async () => {
  const path = '/wp-content/uploads/style.css';
  const { headers } = await world.ask(path);
  const etag = headers.etag as string;
  const modified = headers['last-modified'] as string;
  const status = async (ask: Record<string, string>) => (await world.ask(path, { headers: ask })).status;
  assert.equal(await status({ 'if-none-match': etag }), 304);
  assert.equal(await status({ 'if-none-match': `"x", W/${etag}` }), 304);
  assert.equal(await status({ 'if-none-match': '*' }), 304);
  assert.equal(await status({ 'if-none-match': '"x"' }), 200);
  assert.equal(await status({ 'if-modified-since': modified }), 304);
  assert.equal(await status({ 'if-modified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' }), 200);
  assert.equal(await status({ 'if-none-match': '"x"', 'if-modified-since': modified }), 200);
  assert.equal(await status({ 'if-modified-since': 'nonsense' }), 200);
});

for (const [name, path, content] of [
  ['a small file', '/wp-content/uploads/style.css', Buffer.from(CSS)],
  ['a large file', '/wp-content/uploads/big.bin.zip', BIG],
] as const) {
  test(`${name} comes whole, in ranges, and as a head alone`, async () => {
    const size = content.length;
    const whole = await world.ask(path);
    assert.deepEqual([whole.status, whole.body.equals(content)], [200, true]);
    const head = await world.ask(path, { method: 'HEAD' });
    assert.deepEqual([head.status, head.headers['content-length'], head.body.length], [200, String(size), 0]);
    const ranges: [string, number, number][] = [
      ['bytes=0-0', 0, 0],
      ['bytes=10-19', 10, 19],
      ['bytes=100-', 100, size - 1],
      ['bytes=-7', size - 7, size - 1],
      [`bytes=5-${size + 100}`, 5, size - 1],
      [`bytes=-${size * 2}`, 0, size - 1],
    ];
    for (const [range, first, last] of ranges) {
      const reply = await world.ask(path, { headers: { range, 'accept-encoding': 'br' } });
      assert.equal(reply.status, 206, range);
      assert.equal(reply.headers['content-range'], `bytes ${first}-${last}/${size}`);
      assert.ok(reply.body.equals(content.subarray(first, last + 1)), range);
    }
    for (const range of ['bytes=1-2,4-5', 'bytes=9-3', 'lines=1-2', 'bytes=-', 'bytes=a-b']) {
      assert.equal((await world.ask(path, { headers: { range } })).status, 200, range);
    }
    const beyond = await world.ask(path, { headers: { range: `bytes=${size}-` } });
    assert.deepEqual([beyond.status, beyond.headers['content-range']], [416, `bytes */${size}`]);
    const ifRange = async (value: string) =>
      (await world.ask(path, { headers: { range: 'bytes=0-1', 'if-range': value } })).status;
    assert.equal(await ifRange(whole.headers.etag as string), 206);
    assert.equal(await ifRange(whole.headers['last-modified'] as string), 206);
    assert.equal(await ifRange(`W/${whole.headers.etag}`), 200);
    assert.equal(await ifRange('"old"'), 200);
  });
}

test('text is compressed as the visitor takes it, and each form has its own tag', async () => {
  const path = '/wp-content/uploads/style.css';
  const ask = (coding: string) => world.ask(path, { headers: { 'accept-encoding': coding } });
  for (const coding of ['br', 'gzip'])
    await eventually(async () => (await ask(coding)).headers['content-encoding'] === coding);
  const br = await ask('gzip, deflate, br');
  assert.deepEqual([br.headers['content-encoding'], brotliDecompressSync(br.body).toString()], ['br', CSS]);
  const gzip = await ask('gzip;q=1.0, br;q=0');
  assert.deepEqual([gzip.headers['content-encoding'], gunzipSync(gzip.body).toString()], ['gzip', CSS]);
  const plain = await ask('identity');
  assert.deepEqual([plain.headers['content-encoding'], plain.text], [undefined, CSS]);
  assert.equal(new Set([br, gzip, plain].map(({ headers }) => headers.etag)).size, 3);
  assert.equal(br.headers.vary, 'Accept-Encoding');
  assert.equal((await world.ask(path, { headers: { 'if-none-match': br.headers.etag as string } })).status, 304);
  assert.equal(
    (await world.ask('/wp-content/uploads/big.bin.zip', { headers: { 'accept-encoding': 'br' } })).headers.vary,
    undefined,
  );
});

test('who has a form of a text is told the tag of that form, and what it depends on', async () => {
  const path = '/wp-content/uploads/style.css';
  const br = { 'accept-encoding': 'br' };
  await eventually(async () => (await world.ask(path, { headers: br })).headers['content-encoding'] === 'br');
  const { etag = '' } = (await world.ask(path, { headers: br })).headers;
  assert.match(etag, /-br"$/);
  for (const asked of [{ ...br, 'if-none-match': etag }, { ...br, 'if-none-match': '*' }, { 'if-none-match': etag }]) {
    const { status, headers } = await world.ask(path, { headers: asked });
    assert.deepEqual([status, headers.etag, headers.vary], [304, etag, 'Accept-Encoding']);
  }
  const plain = await world.ask(path, { headers: { 'if-none-match': '*' } });
  assert.deepEqual([plain.status, plain.headers.etag], [304, etag.replace('-br', '')]);
  const image = await world.ask('/wp-content/uploads/big.bin.zip', { headers: { 'if-none-match': '*' } });
  assert.deepEqual([image.status, image.headers.vary], [304, undefined]);
});

test('a large file that just changed is served as it is now', async () => {
  const path = '/wp-content/uploads/changing.zip';
  for (const sizeBytes of [2_000_000, 2_100_000, 2_200_000]) {
    world.writeFile('content/uploads/changing.zip', Buffer.alloc(sizeBytes));
    const { status, body } = await world.ask(path);
    assert.deepEqual([status, body.length], [200, sizeBytes]);
  }
  rmSync(join(world.contentFolder, 'uploads/changing.zip'));
  assert.equal((await world.ask(path)).text, `php ${path}`);
});

test('a file that changed is seen within a second, also when its time was set back', async (t) => {
  const clock = movableClock(t);
  const path = '/wp-content/uploads/changing.txt';
  const file = join(world.contentFolder, 'uploads/changing.txt');
  assert.equal((await world.ask(path)).text, `php ${path}`);
  writeFileSync(file, 'first');
  clock.tick(1100);
  assert.equal((await world.ask(path)).text, 'first');
  writeFileSync(file, 'later');
  utimesSync(file, new Date(0), new Date(0));
  clock.tick(1100);
  assert.equal((await world.ask(path)).text, 'later');
  rmSync(file);
  clock.tick(1100);
  assert.equal((await world.ask(path)).status, 404);
  linkSync(join(world.dir, 'content/uploads/style.css'), file);
  clock.tick(1100);
  assert.equal((await world.ask(path)).text, CSS);
});

test('a site with many files evicts none of a site that holds less, and none of WordPress itself', async (t) => {
  const crowded = new EdgeWorld((_, response) => response.end());
  t.after(() => crowded.close());
  const files = localFiles(({ root }) => ('siteId' in root ? crowded.contentFolder : crowded.coreFolder));
  const reads: string[] = [];
  const readFile: typeof files.readFile = (root, path, limit) => {
    reads.push(path);
    return files.readFile(root, path, limit);
  };
  await crowded.start({
    host: { ...files, readFile, start: () => crowded.site.start() },
    limits: { fileCacheBytes: 60_000, coreFileCacheBytes: 60_000 },
  });
  const small = 'small.example.org';
  const route = crowded.route({ fqdn: small });
  crowded.announceAs('site-2', crowded.route({}), { ...route, site: { ...route.site, id: 'site-2' } });
  crowded.writeFile('content/small.css', CSS);
  crowded.writeFile('core/wp-includes/core.css', CSS);
  await eventually(async () => (await crowded.ask('/wp-content/small.css', { host: small })).text === CSS);
  await crowded.ask('/wp-includes/core.css');
  for (let index = 0; index < 30; index++) {
    crowded.writeFile(`content/${index}.css`, CSS);
    await crowded.ask(`/wp-content/${index}.css`);
  }
  reads.splice(0);
  assert.equal((await crowded.ask('/wp-content/small.css', { host: small })).text, CSS);
  assert.equal((await crowded.ask('/wp-includes/core.css')).text, CSS);
  assert.deepEqual(reads, []);
  await crowded.ask('/wp-content/0.css');
  assert.deepEqual(reads, ['/0.css']);
});
