import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { afterEach, beforeEach, test } from 'node:test';
import { SiteFailure } from '#runtimes/runtime.ts';
import { EdgeWorld, HOST } from '#testkit/app/edge-world.ts';
import { eventually } from '#testkit/expect.ts';
import { pause } from '#testkit/pause.ts';

/** While some work, such as a restore, has a site, nobody sees anything of it: half of what they saw could be new. */
let world: EdgeWorld;
let content = 'before';
beforeEach(async () => {
  content = 'before';
  world = new EdgeWorld((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=UTF-8');
    response.end(content);
  });
  world.writeFile('content/style.css', 'before');
});
afterEach(() => world.close());

const hold = () => world.setRoutes(world.route({ state: 'held' }));
const letGo = () => world.setRoutes(world.route({}));
const PATHS = ['/', '/wp-content/style.css'];

function change(): void {
  content = 'after';
  world.writeFile('content/style.css', 'after');
}

async function textsOf(paths: readonly string[]): Promise<string[]> {
  return Promise.all(paths.map(async (path) => (await world.ask(path)).text));
}

test('a held site shows neither its files nor its cached pages, but a page that says so', async () => {
  await world.start({ limits: { holdMs: 100 } });
  for (const path of [...PATHS, ...PATHS]) assert.equal((await world.ask(path)).text, 'before');
  await hold();
  change();
  const asked = world.site.requests.length;
  for (const [path, headers] of [
    ['/', {}],
    ['/wp-content/style.css', {}],
    ['/wp-content/style.css', { range: 'bytes=0-1' }],
    ['/wp-content/style.css', { 'if-modified-since': new Date(Date.now() + 60_000).toUTCString() }],
  ] as const) {
    const reply = await world.ask(path, { headers });
    assert.equal(reply.status, 503, path);
    assert.match(reply.text, /Somebody works on this site/);
  }
  assert.equal(world.site.requests.length, asked);
});

test('who waits for a held site, and who comes right after, sees it as it is then, at once', async () => {
  await world.start();
  for (const path of [...PATHS, ...PATHS]) assert.equal((await world.ask(path)).text, 'before');
  await hold();
  const waiting = textsOf(PATHS);
  change();
  await letGo();
  assert.deepEqual(await waiting, ['after', 'after']);
  assert.deepEqual(await textsOf(PATHS), ['after', 'after']);
});

test('an answer that was on its way when the site was taken is not kept', async () => {
  await world.start();
  const { handler } = world.site;
  const begun = Promise.withResolvers<() => void>();
  world.site.handler = (_request, response) => {
    response.setHeader('content-type', 'text/html; charset=UTF-8');
    response.write('bef');
    world.site.handler = handler;
    begun.resolve(() => void response.end('ore'));
  };
  const slow = world.ask('/');
  const goOn = await begun.promise;
  await pause(30);
  await hold();
  change();
  await letGo();
  goOn();
  assert.equal((await slow).text, 'before');
  assert.equal((await world.ask('/')).text, 'after');
});

test('nobody who waited for the site when it was taken starts it or sends it anything', async () => {
  await world.start();
  for (const failure of [undefined, new SiteFailure('stopped', 'The site was stopped.')]) {
    content = 'before';
    world.site.starts = 0;
    world.site.requests.splice(0);
    const started = Promise.withResolvers<void>();
    world.site.beforeStart = () => started.promise;
    const waiting = world.ask('/', { headers: { cookie: 'wordpress_a=b' } });
    const filling = world.ask('/page');
    await pause(30);
    world.site.leaseFailure = failure;
    await hold();
    started.resolve();
    await pause(100);
    assert.equal(world.site.starts, 1);
    assert.equal(world.site.requests.length, 0);
    assert.equal(world.site.leased, world.site.released);
    change();
    world.site.leaseFailure = undefined;
    await letGo();
    assert.deepEqual([(await waiting).text, (await filling).text], ['after', 'after']);
  }
});

test('who was still sending when the site was taken is told to come again, and starts nothing', async () => {
  await world.start();
  const visitor = connect(world.port, '127.0.0.1');
  let answer = '';
  visitor.on('data', (chunk) => {
    answer += chunk.toString();
  });
  visitor.write(`POST / HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 6\r\n\r\nfir`);
  await pause(30);
  await hold();
  visitor.write('st!');
  await eventually(async () => answer.includes('</html>'));
  assert.match(answer, /^HTTP\/1\.1 503 /);
  assert.match(answer, /Somebody works on this site/);
  assert.equal(world.site.starts, 0);
  visitor.destroy();
});

test('where announcements may have been lost, no page from before is shown', async () => {
  await world.start();
  await world.ask('/');
  assert.equal((await world.ask('/')).headers['x-cache'], 'HIT');
  // It was held, restored and let go while nobody heard.
  content = 'after';
  world.announceAs(undefined, world.route({}));
  await pause(20);
  assert.equal((await world.ask('/')).text, 'after');
});
