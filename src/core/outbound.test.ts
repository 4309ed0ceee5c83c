import assert from 'node:assert/strict';
import dns from 'node:dns';
import { createServer, type Server } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { after, before, test } from 'node:test';
import { isPublic, Outbound, OutboundFailed, OutboundRefused } from './outbound.ts';

let server: Server;
let port = 0;
let answered = 0;
before(async () => {
  server = createServer((_, response) => {
    answered++;
    response.end('inside');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
after(() => server.close());

function get(outbound: Outbound, url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = outbound.request(url);
    request.once('error', reject);
    request.once('response', async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      resolve(Buffer.concat(chunks).toString());
    });
    request.end();
  });
}

test('only public unicast addresses are public, in every notation', () => {
  const inside = [
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '192.0.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::7f00:1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:10.0.0.1',
    '::ffff:0:127.0.0.1',
    '64:ff9b::127.0.0.1',
    '64:ff9b::808:808',
    '64:ff9b:1::7f00:1',
    '2002:7f00:1::',
    '2002:a00:1::1',
    '2001::1',
    '2001:db8::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    '100::1',
    '5f00::1',
    'nonsense',
    '127.1',
    '0x7f.1',
    '2130706433',
    '',
  ];
  for (const address of inside) assert.equal(isPublic(address), false, address);
  for (const address of ['1.1.1.1', '8.8.8.8', '::ffff:8.8.8.8', '2606:4700:4700::1111', '2a00:1450::1']) {
    assert.equal(isPublic(address), true, address);
  }
});

test('no way to write the own machine opens a connection to it', async () => {
  const outbound = new Outbound();
  const hosts = [
    '127.0.0.1',
    '127.1',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '2130706433',
    '0',
    '127.0.0.1.',
    'localhost',
    'LOCALHOST.',
    'x.localhost',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '１２７.0.0.1',
    '127。0。0。1',
  ];
  for (const host of hosts) {
    await assert.rejects(
      async () => get(outbound, `http://${host}:${port}/`),
      (error) => error instanceof OutboundRefused,
      host,
    );
  }
  assert.equal(answered, 0);
});

test('a name is refused by what it resolves to, when it is dialled', async () => {
  const outbound = new Outbound();
  const request = outbound.request(`http://name.invalid:${port}/`);
  await assert.rejects(new Promise((_, reject) => request.once('error', reject)), /ENOTFOUND|EAI_AGAIN|public/);
  // The machine's own name is in its hosts file, at an address that is not public.
  const { hostname } = await import('node:os');
  await assert.rejects(async () => get(outbound, `http://${hostname()}:${port}/`));
  assert.equal(answered, 0);
});

test('an operator can allow a network', async () => {
  const outbound = new Outbound({ allow: ['127.0.0.0/8'] });
  assert.equal(await get(outbound, `http://127.0.0.1:${port}/`), 'inside');
  assert.equal(await get(outbound, `http://localhost:${port}/`), 'inside');
  assert.equal(await get(outbound, `http://[::ffff:127.0.0.1]:${port}/`).catch(String), 'inside');
  assert.throws(() => outbound.checkUrl('http://10.0.0.1/'), OutboundRefused);
  outbound.close();
});

test('no name that a user enters takes one of the two threads that look up names for the whole process', async (t) => {
  const machine = t.mock.method(dns, 'lookup');
  syncBuiltinESMExports();
  t.after(() => {
    machine.mock.restore();
    syncBuiltinESMExports();
  });
  const outbound = new Outbound();
  await assert.rejects(outbound.resolve('nowhere.invalid'));
  await assert.rejects(outbound.fetch('https://nowhere.invalid/', { timeoutMs: 5000, maxBytes: 10 }));
  assert.equal(machine.mock.callCount(), 0);
  outbound.close();
});

test('whatever the other side answers, the wait for it ends', async () => {
  const outbound = new Outbound({ allow: ['127.0.0.1/32'] });
  const ask = async (answer: string) => {
    const strange = createTcpServer((socket) => {
      socket.on('error', () => {}).once('data', () => socket.write(answer));
    });
    await new Promise<void>((resolve) => strange.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(strange.address() as AddressInfo).port}/`;
    return outbound.fetch(url, { timeoutMs: 20_000, maxBytes: 1000, redirects: 2 }).finally(() => strange.close());
  };
  const upgraded = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n';
  await assert.rejects(ask(upgraded), { code: 'EPROTO' });
  // A redirect to nowhere is an answer like any other.
  assert.equal((await ask('HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n')).status, 302);
  outbound.close();
});

test('what users enter is checked at once', () => {
  const outbound = new Outbound();
  const bad = [
    '',
    'x',
    '/path',
    'ftp://example.com',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'http://u:p@example.com',
  ];
  for (const url of [...bad, 'http://169.254.169.254/latest', 'http://[fd00:ec2::254]/', 'http://localhost:8080/']) {
    assert.throws(() => outbound.checkUrl(url), OutboundRefused, url);
  }
  assert.equal(outbound.checkUrl('https://example.com/a?b').href, 'https://example.com/a?b');
});

test('a whole answer is limited in time, in size and in redirects, and only the own host sees a credential', async () => {
  const seen: [string, string | undefined, string | undefined][] = [];
  const other = createServer((request, response) => {
    seen.push(['other', request.headers.authorization, request.headers['x-token'] as string | undefined]);
    response.end('other');
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port: otherPort } = other.address() as AddressInfo;
  const own = createServer((request, response) => {
    seen.push(['own', request.headers.authorization, request.headers['x-token'] as string | undefined]);
    if (request.url === '/slow') return;
    if (request.url === '/large') return void response.end('x'.repeat(2000));
    const away = request.url === '/away' ? `http://127.0.0.1:${otherPort}/` : request.url === '/moved' ? '/' : '/loop';
    if (request.url === '/') response.end('own');
    else response.writeHead(302, { location: away }).end();
  });
  await new Promise<void>((resolve) => own.listen(0, '127.0.0.1', resolve));
  const { port: ownPort } = own.address() as AddressInfo;
  const outbound = new Outbound({ allow: ['127.0.0.1/32'] });
  const headers = { authorization: 'Basic secret', 'x-token': 'secret' };
  const fetchOwn = (path: string, more = {}) =>
    outbound.fetch(`http://127.0.0.1:${ownPort}${path}`, {
      timeoutMs: 20_000,
      maxBytes: 1000,
      redirects: 2,
      headers,
      ...more,
    });
  const failsWith = (reason: string) => (error: unknown) => error instanceof OutboundFailed && error.reason === reason;
  try {
    assert.equal((await fetchOwn('/moved')).body.toString(), 'own');
    assert.equal((await fetchOwn('/away')).body.toString(), 'other');
    assert.deepEqual(seen.at(-1), ['other', undefined, undefined]);
    assert.deepEqual(seen.at(-2), ['own', 'Basic secret', 'secret']);
    assert.equal((await fetchOwn('/moved', { method: 'POST' })).status, 302);
    await assert.rejects(fetchOwn('/loop'), failsWith('too_many_redirects'));
    await assert.rejects(fetchOwn('/large'), failsWith('too_large'));
    await assert.rejects(fetchOwn('/slow', { timeoutMs: 100 }), failsWith('timeout'));
    // A name is not asked for again where its addresses are known, and those are checked too.
    const named = (addresses: string[]) =>
      outbound.fetch(`http://name.invalid:${ownPort}/`, { timeoutMs: 20_000, maxBytes: 1000, addresses });
    assert.equal((await named(['127.0.0.1'])).body.toString(), 'own');
    await assert.rejects(named(['127.0.0.2']), OutboundRefused);
    assert.equal(outbound.isInside(['127.0.0.1']), true);
    for (const addresses of [[], ['127.0.0.1', '8.8.8.8'], ['127.0.0.2']])
      assert.equal(outbound.isInside(addresses), false);
    assert.deepEqual(await outbound.resolve('any.localhost'), ['127.0.0.1']);
  } finally {
    outbound.close();
    for (const server of [own, other]) {
      server.close();
      server.closeAllConnections();
    }
  }
});

test('the reason of a rejection is a sentence, or a clause as part of a longer message', () => {
  assert.throws(
    () => new Outbound().checkUrl('not a url'),
    (error) => {
      assert.ok(error instanceof OutboundRefused);
      assert.deepEqual([error.message, error.clause], ['This is not a URL.', 'this is not a URL']);
      return true;
    },
  );
});
