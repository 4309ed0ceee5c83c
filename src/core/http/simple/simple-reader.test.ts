import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { eventually } from '#testkit/expect.ts';
import { pause } from '#testkit/pause.ts';
import { type Connections, openConnections } from '../connections.ts';

const ask = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`;
const answer = (text: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
const LARGE = answer(`[large ${'x'.repeat(100_000)}]`);

/** `/now…` is answered at once, all else by Node; `/later` when the test says so. */
describe('a connection on which some is answered before Node sees it', () => {
  let connections: Connections;
  let atOnce = 0;
  const nodes: string[] = [];
  const later: ServerResponse[] = [];
  const open: Socket[] = [];

  before(async () => {
    connections = openConnections(
      (request, response) => {
        nodes.push(`${request.method} ${request.url}`);
        if (request.url === '/later') return void later.push(response);
        const reply = () => response.end(`[${request.method} ${request.url}]`);
        if (request.method === 'GET') reply();
        else request.resume().on('end', reply);
      },
      {
        upgrades: {
          takes: () => true,
          take: (request, socket, head) => {
            socket.write(`HTTP/1.1 101 Switching Protocols\r\n\r\n[${request.url}]${head}`);
            socket.on('data', (chunk) => socket.write(`<${chunk}>`));
          },
        },
        atOnce: ({ url }) => {
          if (!url.startsWith('/now')) return undefined;
          atOnce++;
          return Buffer.from(url === '/now/large' ? LARGE : answer(`[${url}]`));
        },
      },
    );
    connections.server.on('clientError', (error: { code?: string }, socket) =>
      connections.refuse(error, socket as Socket),
    );
    await new Promise<void>((resolve) => connections.server.listen(0, '127.0.0.1', resolve));
  });
  beforeEach(() => {
    atOnce = 0;
    nodes.length = later.length = 0;
  });
  after(async () => {
    for (const socket of open) socket.destroy();
    connections.closeQuiet();
    await new Promise((resolve) => connections.server.close(resolve));
  });

  function dial() {
    const socket = connect((connections.server.address() as AddressInfo).port, '127.0.0.1');
    const heard = { text: '', socket, said: (count: number) => eventually(async () => bodies().length >= count) };
    const bodies = () => heard.text.match(/[[<].*?[\]>]/gs) ?? [];
    socket.setNoDelay().on('data', (chunk) => {
      heard.text += chunk.toString('latin1');
    });
    socket.on('error', () => undefined);
    open.push(socket);
    return {
      ...heard,
      get text() {
        return heard.text;
      },
      bodies,
    };
  }

  test('goes to and fro between the two for as long as all is simple', async () => {
    const { socket, said, bodies } = dial();
    const paths = ['/now/1', '/2', '/now/3', '/now/4', '/5', '/6', '/now/7'];
    for (const [index, path] of paths.entries()) {
      socket.write(ask(path));
      await said(index + 1);
    }
    assert.deepEqual(
      bodies(),
      paths.map((path) => (path.startsWith('/now') ? `[${path}]` : `[GET ${path}]`)),
    );
    assert.deepEqual([atOnce, nodes.length], [4, 3]);
  });

  test('is Node’s from the first request that is not simple', async () => {
    const { socket, said, bodies } = dial();
    const sent = [ask('/now/1'), `POST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc`, ask('/now/3')];
    for (const [index, text] of sent.entries()) {
      socket.write(text);
      await said(index + 1);
    }
    assert.deepEqual(bodies(), ['[/now/1]', '[POST /2]', '[GET /now/3]']);
    assert.equal(atOnce, 1);
  });

  test('answers in the order of the requests when they come before the answers', async () => {
    const { socket, said, bodies } = dial();
    socket.write(ask('/later'));
    await eventually(async () => later.length === 1);
    socket.write(ask('/now/2'));
    await pause(20);
    socket.write(ask('/3') + ask('/now/4'));
    await pause(20);
    assert.deepEqual(bodies(), []);
    later[0]?.end('[later]');
    await said(4);
    assert.deepEqual(bodies(), ['[later]', '[GET /now/2]', '[GET /3]', '[GET /now/4]']);
    const other = dial();
    other.socket.write(ask('/later'));
    await eventually(async () => later.length === 2);
    other.socket.write(ask('/now/2'));
    await pause(20);
    later[1]?.end('[later]');
    await other.said(2);
    other.socket.write(ask('/now/3'));
    await other.said(3);
    assert.deepEqual(other.bodies(), ['[later]', '[GET /now/2]', '[/now/3]']);
  });

  test('takes requests in pieces of any size', async () => {
    const { socket, said, bodies } = dial();
    for (const letter of ask('/now/1')) {
      socket.write(letter);
      await pause(1);
    }
    await said(1);
    assert.deepEqual([bodies(), nodes], [['[GET /now/1]'], ['GET /now/1']]);
  });

  test('can become another protocol', async () => {
    const { socket, said, bodies } = dial();
    socket.write(ask('/now/1'));
    await said(1);
    socket.write(ask('/2'));
    await said(2);
    socket.write(ask('/3', 'Connection: Upgrade\r\nUpgrade: echo\r\n'));
    await said(3);
    socket.write(ask('/now/4'));
    await said(4);
    assert.deepEqual(bodies().slice(0, 3), ['[/now/1]', '[GET /2]', '[/3]']);
    assert.equal(atOnce, 1, 'what looks like a request is the other protocol’s');
  });

  test('is told what is wrong with a request behind good ones', async () => {
    const { socket, said, text } = dial();
    socket.write(ask('/now/1'));
    await said(1);
    socket.write('NONSENSE\r\n\r\n');
    await once(socket, 'close');
    assert.doesNotMatch(text, /NONSENSE/);
  });

  test('of which one side is closed has its answers, and ends', async () => {
    const { socket, bodies } = dial();
    socket.end(ask('/now/1'));
    await once(socket, 'close');
    assert.deepEqual(bodies(), ['[/now/1]']);
  });

  test('is closed behind the answer to whoever wants that', async () => {
    for (const [path, length] of [
      ['/now/1', '[/now/1]'.length],
      ['/now/large', 100_008],
    ] as const) {
      const heard = dial();
      heard.socket.write(ask(path, 'Connection: close\r\n'));
      await once(heard.socket, 'close');
      assert.match(heard.text, /^HTTP\/1\.1 200 OK\r\nConnection: close\r\nContent-Length/);
      assert.equal(heard.bodies()[0]?.length, length);
    }
    assert.equal(atOnce, 2);
  });

  test('is not listened to while its answers are not read', async () => {
    const { socket } = dial();
    socket.pause();
    const most = 1_000;
    let sent = 0;
    let isHeard = true;
    while (isHeard && sent < most) {
      const before = atOnce;
      socket.write(ask('/now/large'));
      sent++;
      // One after the other, so that each is a piece of its own where it is read.
      for (let looks = 0; looks < 200 && atOnce === before; looks++) await pause(1);
      isHeard = atOnce > before;
    }
    assert.ok(atOnce > 1 && sent < most, `${atOnce} of ${sent} were answered`);
  });
});

describe('a server that stops', () => {
  test('lets go of who asks nothing, and answers nobody at once any more', async () => {
    let isSlow: ServerResponse | undefined;
    const connections = openConnections(
      (_request, response) => {
        isSlow = response;
      },
      { atOnce: ({ url }) => (url === '/now' ? Buffer.from(answer('[now]')) : undefined) },
    );
    await new Promise<void>((resolve) => connections.server.listen(0, '127.0.0.1', resolve));
    const dial = () => connect((connections.server.address() as AddressInfo).port, '127.0.0.1');
    const [idle, known, waiting] = [dial(), dial(), dial()];
    let heard = '';
    waiting.on('data', (chunk) => {
      heard += chunk;
    });
    known.write(ask('/now'));
    await once(known, 'data');
    waiting.write(ask('/slow'));
    await eventually(async () => isSlow !== undefined);
    const ends = Promise.all([idle, known].map((socket) => once(socket.resume(), 'close')));
    connections.closeQuiet();
    const closed = new Promise((resolve) => connections.server.close(resolve));
    await ends;
    isSlow?.end('[slow]');
    await once(waiting, 'close');
    assert.match(heard, /\[slow\]/);
    await closed;
  });
});
