import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { after, before, suite, test } from 'node:test';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { startTrickyNames, type TrickyNames } from '#testkit/servers/changing-dns-server.ts';
import { startUpstream, type Upstream } from '#testkit/servers/upstream.ts';
import { type HostileField, hostileAddresses, hostileUrls, PUBLIC_STAND_IN, type Setting } from './hostile-urls.ts';
import { createWorld } from './world.ts';

const AT_ONCE = 8;

/**
 * Every hostile address through every field: nothing that is not public is ever dialled. A listener on every address of
 * this machine counts what arrives, and every attempt of this process to connect is written down, also where nobody
 * listens. One address of loopback stands for the public internet.
 */
export function walkHostileUrls(fields: HostileField[], isSent: (field: HostileField, at: number) => boolean): void {
  let app: TestApp;
  let names: TrickyNames;
  let redirector: Upstream;
  let listener: Server;
  let port: number;
  let setting: Setting;

  /** The addresses of ours that somebody connected to, and those that somebody tried to. */
  const arrived: string[] = [];
  const attempted: string[] = [];
  const plain = (address = '') => address.replace(/^::ffff:/, '');

  function watch(message: unknown): void {
    const { socket } = message as { socket: Socket };
    socket.on('connectionAttempt', (address: string, to: number) => {
      // The test asks the service, and the service its database, which may be a socket without a port.
      const own = [new URL(app?.url ?? 'http://x').port, URL.parse(process.env.TEST_DATABASE_URL ?? '')?.port];
      if (to !== undefined && !own.includes(String(to))) attempted.push(`${plain(address)}:${to}`);
    });
  }

  before(async () => {
    names = await startTrickyNames(hostileAddresses);
    redirector = await startUpstream(({ url }) => {
      const to = url.searchParams.get('to');
      if (to === null) return { body: {} };
      // Whatever a header can not hold is sent as a URL would hold it.
      const location = to.replaceAll(/[^\x20-\x7e]/gu, (sign) => encodeURIComponent(sign));
      return { status: Number(url.searchParams.get('status')), headers: { location } };
    }, PUBLIC_STAND_IN);
    listener = createServer((socket) => {
      arrived.push(plain(socket.localAddress));
      // Read to its end, or it would never be closed.
      socket
        .on('error', () => {})
        .resume()
        .end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
    });
    await new Promise<void>((resolve) => listener.listen({ port: 0, host: '::', ipv6Only: false }, resolve));
    port = (listener.address() as AddressInfo).port;
    subscribe('net.client.socket', watch);
    const domain = `redirect.hostile.example:${redirector.port}`;
    app = await startTestApp({
      env: {
        OUTBOUND_ALLOW: `${PUBLIC_STAND_IN}/32`,
        DNS_SERVERS: names.address,
        STOREFRONT_DOMAIN: domain,
        ANALYTICS_URL: `http://${PUBLIC_STAND_IN}:${redirector.port}`,
        ANALYTICS_TOKEN: 'a token of the tests',
      },
    });
    const world = await createWorld(app);
    const { home: place } = world;
    const { fqdn } = await world.site(place.teamId, place.owner);
    const host = await world.applicationPassword(place, `shop.${domain}`);
    const timesAsked = (name: string) => names.asked.get(`${name} A`) ?? 0;
    setting = { app, world, place, token: world.token('owner') as string, fqdn, timesAsked, redirector: host };
  });
  after(async () => {
    unsubscribe('net.client.socket', watch);
    await app?.close();
    await Promise.all([names?.close(), redirector?.close()]);
    await new Promise((resolve) => (listener ? listener.close(resolve) : resolve(undefined)));
  });

  const inside = (seen: string[]) => seen.filter((address) => !address.startsWith(PUBLIC_STAND_IN));

  test('the listener counts, and so do attempts that nobody hears: this is what would show', async () => {
    for (const address of ['127.0.0.1', '127.0.0.2', PUBLIC_STAND_IN])
      await fetch(`http://${address}:${port}/`).then((answer) => answer.text());
    assert.deepEqual(arrived.splice(0), ['127.0.0.1', '127.0.0.2', PUBLIC_STAND_IN]);
    const free = createServer();
    await new Promise<void>((resolve) => free.listen(0, '127.0.0.1', resolve));
    const { port: closed } = free.address() as AddressInfo;
    await new Promise((resolve) => free.close(resolve));
    await assert.rejects(fetch(`http://127.0.0.1:${closed}/`));
    assert.ok(attempted.splice(0).includes(`127.0.0.1:${closed}`));
  });

  suite('no hostile address is dialled', () => {
    let redirected = 0;

    for (const field of fields) {
      test(field.name, async () => {
        const all = hostileUrls(port);
        assert.ok(all.length >= 300, String(all.length));
        const urls = all.filter((_url, at) => isSent(field, at));
        if (field.name.endsWith('where a redirect leads')) redirected += urls.length;
        const queue = [...urls];
        const statuses = new Map<number, number>();
        const work = async () => {
          for (let url = queue.pop(); url !== undefined; url = queue.pop()) {
            const answer = await field.use(setting, url);
            if (!answer) continue;
            assert.notEqual(answer.status, 500, `${url}: ${answer.text}`);
            statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
          }
        };
        await Promise.all(Array.from({ length: AT_ONCE }, work));
        assert.deepEqual(inside(arrived), []);
        assert.deepEqual(inside(attempted), []);
        const counts = [...statuses].sort().map(([status, count]) => `${status}: ${count}`);
        console.log(`${field.name}: ${urls.length} addresses, 0 connections inside (${counts.join(', ')})`);
      });
    }

    test('names were asked for, and those that are public at times were reached where they were', () => {
      assert.ok([...names.asked.keys()].some((name) => name.includes('rebinds')));
      assert.ok(arrived.includes(PUBLIC_STAND_IN), 'nothing went out at all');
      assert.ok(redirector.seen.length > redirected / 2, 'nothing was redirected');
    });
  });
}
