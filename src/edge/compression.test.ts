import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request as openRequest, type RequestListener, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterEach, beforeEach, test } from 'node:test';
import {
  brotliDecompressSync,
  createBrotliDecompress,
  createGunzip,
  createZstdDecompress,
  gunzipSync,
  zstdDecompressSync,
} from 'node:zlib';
import { EdgeWorld, HOST } from '#testkit/app/edge-world.ts';
import { eventually } from '#testkit/expect.ts';
import { pause } from '#testkit/pause.ts';

const TEXT = 'All happy families are alike; each unhappy family is unhappy in its own way. '.repeat(1000);
const UNPACK = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync };
type Coding = keyof typeof UNPACK;
const CODINGS = Object.keys(UNPACK) as Coding[];
/** Somebody in particular, whose pages are not kept. */
const OWN = { cookie: 'wordpress_logged_in_x=1' };

let world: EdgeWorld;
beforeEach(() => {
  world = new EdgeWorld(text());
});
afterEach(() => world.close());

function text(headers: Record<string, string> = {}, status = 200, body = TEXT): RequestListener {
  return (_, response) => {
    const length = { 'content-length': Buffer.byteLength(body) };
    response.writeHead(status, { 'content-type': 'text/html; charset=UTF-8', ...length, ...headers }).end(body);
  };
}

const ask = (coding: string | undefined, headers: Record<string, string> = OWN, path = '/') =>
  world.ask(path, { headers: { ...headers, ...(coding !== undefined && { 'accept-encoding': coding }) } });

test('an uncached page is compressed by what the visitor takes, the quickest of it', async () => {
  await world.start();
  const cases: [string, Coding][] = [
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip, deflate, br', 'br'],
    ['gzip, deflate', 'gzip'],
    ['zstd;q=0, br;q=0.0, x-gzip', 'gzip'],
  ];
  for (const [taken, coding] of cases) {
    const { status, headers, body } = await ask(taken);
    assert.deepEqual([status, headers['x-cache'], headers['content-encoding']], [200, 'BYPASS', coding]);
    assert.equal(UNPACK[coding](body).toString(), TEXT);
    assert.ok(body.length < TEXT.length / 5);
    assert.deepEqual([headers.vary, headers['content-length']], ['Accept-Encoding', undefined]);
  }
  for (const taken of [undefined, 'identity', 'deflate', 'gzip;q=0']) {
    const { headers, text: plain } = await ask(taken);
    assert.deepEqual([headers['content-encoding'], headers.vary, plain], [undefined, 'Accept-Encoding', TEXT]);
    assert.equal(headers['content-length'], String(TEXT.length));
  }
});

test('the first answer of a page that is kept is compressed too, and as small as the ones after it', async () => {
  await world.start();
  for (const coding of CODINGS) {
    const [miss, hit] = [await ask(coding, {}, `/${coding}`), await ask(coding, {}, `/${coding}`)];
    assert.deepEqual([miss.headers['x-cache'], hit.headers['x-cache']], ['MISS', 'HIT']);
    for (const { headers, body } of [miss, hit]) {
      assert.deepEqual([headers['content-encoding'], headers['content-length']], [coding, String(body.length)]);
      assert.equal(UNPACK[coding](body).toString(), TEXT);
    }
    assert.equal(miss.body.length, hit.body.length);
  }
  world.site.handler = (request, response) => void pause(300).then(() => text()(request, response));
  const together = await Promise.all(Array.from({ length: 20 }, () => ask('br', {}, '/popular')));
  assert.deepEqual(new Set(together.map(({ headers }) => headers['content-encoding'])), new Set(['br']));
});

test('what is no text, tiny, compressed already, a part, or not to be touched goes as it is', async () => {
  await world.start();
  const cases: [Record<string, string>, number, string][] = [
    [{ 'content-type': 'image/png' }, 200, TEXT],
    [{ 'content-type': 'application/zip' }, 200, TEXT],
    [{ 'content-type': 'text/event-stream' }, 200, TEXT],
    [{ 'content-encoding': 'gzip' }, 200, TEXT],
    [{ 'cache-control': 'private, no-transform' }, 200, TEXT],
    [{ 'content-range': `bytes 0-${TEXT.length - 1}/999999` }, 206, TEXT],
    [{}, 200, 'x'.repeat(511)],
    [{ 'content-type': 'text/html' }, 200, ''],
  ];
  for (const [headers, status, body] of cases) {
    world.site.handler = text({ etag: '"strong"', ...headers }, status, body);
    const reply = await ask('gzip, br, zstd');
    assert.equal(reply.text, body, JSON.stringify(headers));
    assert.deepEqual([reply.status, reply.headers.etag], [status, '"strong"']);
    assert.equal(reply.headers['content-encoding'], headers['content-encoding']);
    assert.equal(reply.headers['content-length'], String(body.length));
  }
  for (const status of [204, 304]) {
    world.site.handler = (_, response) => response.writeHead(status, { 'content-type': 'text/html' }).end();
    const reply = await ask('gzip');
    assert.deepEqual([reply.status, reply.body.length, reply.headers['content-encoding']], [status, 0, undefined]);
  }
});

test('error pages are compressed, and what is said of the plain bytes goes', async () => {
  world.site.handler = text({ etag: '"strong"', 'accept-ranges': 'bytes', 'content-md5': 'x', vary: 'Cookie' }, 500);
  await world.start();
  const { status, headers, body } = await ask('gzip');
  assert.equal(gunzipSync(body).toString(), TEXT);
  assert.deepEqual([status, headers.etag, headers.vary], [500, 'W/"strong"', 'Cookie, Accept-Encoding']);
  assert.deepEqual([headers['accept-ranges'], headers['content-md5']], [undefined, undefined]);
});

test('an answer that trickles goes on to trickle, compressed', async () => {
  const DECODERS = { gzip: createGunzip, br: createBrotliDecompress, zstd: createZstdDecompress };
  const answers: ServerResponse[] = [];
  world.site.handler = (_, begun) => {
    answers.push(begun);
    begun.writeHead(200, { 'content-type': 'text/plain' });
    begun.write('first ');
  };
  await world.start();
  for (const coding of CODINGS) {
    for (const headers of [OWN, {}]) {
      const { decoder, message } = await open(coding, { ...headers, 'accept-encoding': coding }, DECODERS[coding]());
      assert.equal(message.headers['content-encoding'], coding);
      let seen = '';
      decoder.on('data', (chunk: Buffer) => {
        seen += chunk.toString();
      });
      await eventually(async () => seen === 'first ');
      answers.at(-1)?.write('second ');
      await eventually(async () => seen === 'first second ');
      answers.at(-1)?.end('third');
      await once(decoder, 'end');
      assert.equal(seen, 'first second third');
    }
  }
  assert.deepEqual([world.site.leased, world.site.released], [6, 6]);
});

async function open(path: string, headers: Record<string, string>, decoder: Duplex) {
  const request = openRequest({
    port: world.port,
    host: '127.0.0.1',
    path: `/${path}`,
    headers: { host: HOST, ...headers },
  });
  request.end();
  const [message] = (await once(request, 'response')) as [IncomingMessage];
  message.pipe(decoder);
  return { message, decoder, request };
}

test('words that come one by one cost no turn each', async () => {
  world.site.handler = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    for (let index = 0; index < 20_000; index++) response.write('x');
    response.end();
  };
  await world.start();
  for (const coding of CODINGS) {
    const { body } = await ask(coding);
    assert.equal(UNPACK[coding](body).length, 20_000);
    assert.ok(body.length < 4_000, `${coding}: ${body.length} bytes`);
  }
});

test('an answer that breaks off is no short answer that looks whole', async () => {
  world.site.handler = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.write(TEXT);
    void pause(50).then(() => response.destroy());
  };
  await world.start();
  for (const coding of CODINGS) await assert.rejects(ask(coding));
  assert.equal(world.site.released, CODINGS.length);
});

test('who takes nothing makes the site wait, and who leaves in the middle harms nobody', async () => {
  let [written, closed] = [0, 0];
  world.site.handler = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    const send = () => {
      while (!response.destroyed) {
        // Nothing of it repeats, so that it stays as large as it is.
        const noise = randomBytes(75_000).toString('base64');
        written += noise.length;
        if (!response.write(noise)) return void response.once('drain', send);
      }
    };
    send();
    response.once('close', () => closed++);
  };
  await world.start({ limits: { compressBytesPerSite: 1e9, compressBytes: 1e9 } });
  for (const [index, coding] of CODINGS.entries()) {
    const socket = connect(world.port, '127.0.0.1');
    socket.pause();
    socket.write(`GET / HTTP/1.1\r\nHost: ${HOST}\r\nCookie: ${OWN.cookie}\r\nAccept-Encoding: ${coding}\r\n\r\n`);
    await eventually(async () => world.site.requests.length === index + 1);
    // The edge does not take all that the site could make.
    await eventually(async () => {
      const before = written;
      await pause(300);
      return written === before;
    });
    socket.destroy();
    await eventually(async () => closed === index + 1);
  }
  world.site.handler = text();
  assert.equal(gunzipSync((await ask('gzip')).body).toString(), TEXT);
  assert.equal(world.site.leased, world.site.released);
});

test('a site that has used up its part sends its answers as they are; others are compressed', async () => {
  await world.start({ limits: { compressBytesPerSite: TEXT.length, compressBytes: 1e9 } });
  const other = world.route({ fqdn: 'other.example.org', site: { ...world.route({}).site, id: 'site-2' } });
  await world.setRoutes(world.route({}));
  world.announceAs('site-2', world.route({}), other);
  await pause(20);
  const codings: unknown[] = [];
  for (let index = 0; index < 6; index++) {
    const { headers, body } = await ask('gzip');
    codings.push(headers['content-encoding']);
    assert.equal((headers['content-encoding'] ? gunzipSync(body) : body).toString(), TEXT);
  }
  // It may have saved up for two, and gained a little since.
  assert.deepEqual(codings.slice(0, 2), ['gzip', 'gzip']);
  assert.ok(codings.includes(undefined), 'nothing bounds what a site may have compressed');
  const neighbour = await world.ask('/', { host: 'other.example.org', headers: { ...OWN, 'accept-encoding': 'gzip' } });
  assert.equal(neighbour.headers['content-encoding'], 'gzip');
});

test('an answer without a length and without an end is compressed no faster than its site may', async () => {
  const total = 800_000;
  world.site.handler = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.end('x'.repeat(total));
  };
  await world.start({ limits: { compressBytesPerSite: 100_000, compressBytes: 1e9 } });
  const began = performance.now();
  const { body } = await ask('gzip');
  assert.equal(gunzipSync(body).length, total);
  // Of eight seconds' worth two were saved up, and what waits last goes at once.
  const seconds = (performance.now() - began) / 1000;
  assert.ok(seconds > 2, `${seconds} s`);
});
