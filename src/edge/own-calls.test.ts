import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as openRequest, type RequestListener } from 'node:http';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { EdgeWorld, HOST } from '#testkit/app/edge-world.ts';
import { eventually } from '#testkit/expect.ts';

const world = new EdgeWorld((request, response) => handler(request, response));
const door = join(world.dir, 'own.sock');
let handler: RequestListener = (_request, response) => response.end('WordPress');
let server: Server;

before(async () => {
  await world.start({ limits: { ownCallsPerSite: 3, ownArrivalMs: 500, flushMs: 20, addressBodies: 4 } });
  // What a runtime does with the connections that its PHP makes.
  server = createServer((connection) => world.edge.answerOwnCalls('site-1', connection)).listen(door);
});
afterEach(async () => {
  handler = (_request, response) => response.end('WordPress');
  await world.setRoutes(world.route({}));
});
after(async () => {
  server.close();
  await world.close();
});

interface Asked {
  host?: string;
  path?: string;
  method?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** As the site's PHP would ask. */
function askItself({ host = HOST, path = '/', method = 'GET', headers = {}, signal }: Asked = {}) {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }>((resolve, reject) => {
    const asking = openRequest(
      { socketPath: door, path, method, headers: { host, ...headers }, agent: false, ...(signal && { signal }) },
      async (response) => {
        let text = '';
        for await (const chunk of response.setEncoding('utf8')) text += chunk;
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      },
    );
    asking.once('error', reject).end(method === 'POST' ? 'work' : undefined);
  });
}

test('a site that locks others out is open to itself', async () => {
  const locked = { signIn: { username: 'admin', password: 'secret' }, allowedAddresses: ['192.0.2.1'] };
  await world.setRoutes(world.route(locked));
  assert.equal((await world.ask('/')).status, 403);
  const seen: (string | undefined)[] = [];
  handler = ({ headers }, response) => {
    seen.push(headers.authorization, headers['x-real-ip'] as string, headers['x-forwarded-for'] as string);
    response.end('WordPress');
  };
  // What is WordPress' own passes; what is the edge's does not.
  const password = `Basic ${Buffer.from('ada:application password').toString('base64')}`;
  const signIn = `Basic ${Buffer.from('admin:secret').toString('base64')}`;
  const forged = { 'x-forwarded-for': '192.0.2.9', 'x-real-ip': '192.0.2.9' };
  for (const authorization of [password, signIn]) {
    const answer = await askItself({ path: '/wp-json/', headers: { authorization, ...forged } });
    assert.equal(answer.text, 'WordPress');
  }
  assert.deepEqual(seen, [password, '127.0.0.1', '127.0.0.1', undefined, '127.0.0.1', '127.0.0.1']);
});

test('what others send from this machine takes nothing from what a site sends itself', async () => {
  const slow = [1, 2, 3, 4, 5].map(() => connect({ port: world.port, host: '127.0.0.1' }));
  let refused = 0;
  for (const socket of slow) {
    socket.on('error', () => {}).once('data', (said) => (refused += String(said).startsWith('HTTP/1.1 503 ') ? 1 : 0));
    socket.write(`POST / HTTP/1.1\r\nhost: ${HOST}\r\ncontent-length: 20\r\n\r\nx`);
  }
  await eventually(async () => refused === 1);
  assert.equal((await askItself({ method: 'POST' })).status, 200);
  for (const socket of slow) socket.destroy();
});

test('a suspended site is closed to itself as well, and one that some work has does not wait', async () => {
  await world.setRoutes(world.route({ state: 'suspended' }));
  assert.equal((await askItself()).status, 403);
  await world.setRoutes(world.route({ state: 'held' }));
  assert.equal((await askItself()).status, 503);
});

test('nobody else is reached that way: no other site, and not the platform', async () => {
  const other = world.route({ fqdn: 'other.example.org' });
  await world.setRoutes(world.route({}));
  world.announceAs('site-2', world.route({}), { ...other, site: { ...other.site, id: 'site-2' } });
  await eventually(async () => (await world.ask('/', { host: 'other.example.org' })).status === 200);
  const before = world.site.requests.length;
  for (const host of ['other.example.org', 'platform.example.org', '127.0.0.1', 'localhost', 'unknown.example.org']) {
    assert.equal((await askItself({ host })).status, 404, host);
  }
  assert.equal(world.site.requests.length, before);
  assert.equal((await askItself({ path: '/?own' })).status, 200);
});

test('is no visit, no traffic and no reason to be awake', async () => {
  await world.setRoutes(world.route({ state: 'asleep' }));
  await eventually(async () => world.usages.splice(0).length === 0);
  const { leasedToItself } = world.site;
  assert.equal((await askItself({ path: '/?asleep' })).status, 200);
  assert.equal(world.site.leasedToItself, leasedToItself + 1);
  assert.deepEqual(world.wakes, []);
  assert.equal((await world.ask('/?seen')).status, 200);
  await eventually(async () => world.usages.length > 0);
  assert.equal(
    world.usages.reduce((sum, { requests }) => sum + requests, 0),
    1,
  );
});

test('is no way to be started: a site that was stopped meanwhile is refused', async () => {
  world.site.isAwake = false;
  assert.equal((await askItself({ path: '/?stopped' })).status, 503);
  world.site.isAwake = true;
});

test('waits for a request as long as it may take to arrive, and for the answer as long as that takes', async () => {
  handler = (_request, response) => setTimeout(() => response.end('late'), 700);
  assert.equal((await askItself({ path: '/?late' })).text, 'late');
  const half = connect(door);
  half.write(`POST / HTTP/1.1\r\nhost: ${HOST}\r\ncontent-length: 1000000\r\n\r\nhalf`);
  await once(half.resume(), 'close');
});

test('a page from the cache is one for the site too', async () => {
  handler = (_request, response) => response.setHeader('content-type', 'text/html').end('<p>page</p>');
  const first = await askItself({ path: '/page/', headers: { accept: '*/*' } });
  assert.equal(first.headers['x-cache'], 'MISS');
  assert.equal((await world.ask('/page/')).headers['x-cache'], 'HIT');
  assert.equal((await askItself({ path: '/page/' })).headers['x-cache'], 'HIT');
});

test('what nobody waits for is done all the same', async () => {
  const { promise: turn, resolve: giveTurn } = Promise.withResolvers<void>();
  world.site.beforeLease = () => turn;
  const done: string[] = [];
  handler = async (request, response) => {
    for await (const chunk of request) done.push(String(chunk));
    response.end();
  };
  const caller = new AbortController();
  const { leased, starts } = world.site;
  const asked = askItself({ path: '/wp-admin/admin-ajax.php', method: 'POST', signal: caller.signal });
  await eventually(async () => world.site.starts > starts);
  caller.abort();
  await assert.rejects(asked);
  assert.equal(world.site.leased, leased);
  world.site.beforeLease = async () => undefined;
  giveTurn();
  await eventually(async () => done.length > 0);
  assert.deepEqual(done, ['work']);
});

test('a page that asks for itself gets its answer, and one that never stops asking is refused in the end', async () => {
  let depth = 0;
  handler = async (request, response) => {
    depth++;
    const inner = await askItself({ path: request.url ?? '/' });
    response.setHeader('content-type', 'text/html').end(`${inner.status}`);
  };
  const answer = await world.ask('/loop/');
  assert.equal(answer.status, 200);
  // One visitor and as many of its own calls as may be under way.
  assert.equal(depth, 4);
});
