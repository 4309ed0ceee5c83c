import assert from 'node:assert/strict';
import { createHmac, createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { after, before, suite, test } from 'node:test';
import { type ConnectionOptions, connect as connectSecurely } from 'node:tls';
import { createLog } from '#core/log.ts';
import { makeCertificate, namesExtension, pem } from '#integrations/acme/x509.ts';
import { eventually } from '#testkit/expect.ts';
import { freePort } from '#testkit/free-port.ts';
import { HostAway, HostUnreachable } from '../host-unreachable.ts';
import type { HostedSpec, SiteHost } from '../site-host.ts';
import { greeting } from './host-address.ts';
import { remoteHost } from './host-client.ts';
import { HostServer } from './host-server.ts';
import { wireIdentity } from './identity.ts';

const deriveFrom = (key: string) => (purpose: string) => createHmac('sha256', key).update(purpose).digest('base64url');
const ours = deriveFrom('the key of the platform');
const theirs = deriveFrom('another key');
const at = { host: 'here.site', driver: 'memory' };
/** As much of a host as is asked for here. */
const host = { list: async () => ['a site'] } as unknown as SiteHost;

let server: HostServer;
let address: string;
before(async () => {
  address = `127.0.0.1:${await freePort()}`;
  server = new HostServer({ host, address, identity: wireIdentity(ours, 'here.site'), log: createLog('silent') });
  await server.open();
});
after(() => server.close());

const ask = (name: string, derive = ours) => remoteHost(name, [address], wireIdentity(derive, 'platform')).list(at);

/** How a connection ends on which the right word is said. */
function knock(options: ConnectionOptions | 'plain'): Promise<number> {
  const [hostname, port] = address.split(':');
  const way = { host: hostname, port: Number(port) };
  const socket =
    options === 'plain' ? connect(way) : connectSecurely({ ...way, rejectUnauthorized: false, ...options });
  socket.on('error', () => {});
  socket.write(greeting(ours('host of sites')));
  socket.resume();
  return new Promise((resolve) => socket.once('close', () => resolve(socket.bytesRead)));
}

suite('a host on another machine', () => {
  test('is reached by the processes of its platform, each with a certificate of its own', async () => {
    assert.deepEqual(await ask('here.site'), ['a site']);
    assert.deepEqual(await ask('here.site'), ['a site']);
  });

  test('is not taken for another that had its address before, nor by another platform', async () => {
    await assert.rejects(ask('here.other'), HostAway);
    await assert.rejects(ask('here.site', theirs), HostAway);
  });

  test('hears nobody without a certificate of its platform, whatever word they know', async () => {
    assert.equal(await knock('plain'), 0);
    const { key, cert } = wireIdentity(theirs, 'here.site').tls;
    for (const options of [{}, { key, cert }]) {
      const before = server.quietSince;
      await knock(options);
      assert.equal(server.quietSince, before, 'it was asked nothing');
    }
  });

  test('hears nobody who has the certificate of a pod, whatever word they know', async () => {
    const pod = wireIdentity(ours, 'here.7b0c4b1e-6f5a-4d61-9f3e-0a1b2c3d4e5f');
    await assert.rejects(remoteHost('here.site', [address], pod).list(at), HostUnreachable);
  });

  test('hears nobody whose certificate a pod has made', async () => {
    const pod = wireIdentity(ours, 'here.7b0c4b1e-6f5a-4d61-9f3e-0a1b2c3d4e5f');
    const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const forged = makeCertificate({
      subject: 'platform',
      key,
      issuer: { name: 'here.7b0c4b1e-6f5a-4d61-9f3e-0a1b2c3d4e5f', key: createPrivateKey(pod.tls.key) },
      notBefore: new Date(0),
      notAfter: new Date(Date.now() + 1e9),
      extensions: [namesExtension(['platform'])],
    });
    const tls = { ...pod.tls, key: key.export({ type: 'pkcs8', format: 'pem' }).toString() };
    const chain = { ...pod, tls: { ...tls, cert: `${pem(forged)}\n${pod.tls.cert}` } };
    await assert.rejects(remoteHost('here.site', [address], chain).list(at), HostUnreachable);
  });

  test('that is a pod knows the platform by its certificate alone', async (t) => {
    const name = 'here.7b0c4b1e-6f5a-4d61-9f3e-0a1b2c3d4e5f';
    const own = { ...wireIdentity(ours, name), token: undefined };
    const at = `127.0.0.1:${await freePort()}`;
    const pod = new HostServer({ host, address: at, identity: own, log: createLog('silent') });
    await pod.open();
    t.after(() => pod.close());
    const askPod = (as: string) =>
      remoteHost(name, [at], wireIdentity(ours, as)).list({ host: name, driver: 'memory' });
    assert.deepEqual(await askPod('platform'), ['a site']);
    await assert.rejects(askPod('here.0b0c4b1e-6f5a-4d61-9f3e-0a1b2c3d4e5f'), HostUnreachable);
  });

  test('knows since when nobody asks', async () => {
    const before = server.quietSince?.getTime() ?? 0;
    await ask('here.site');
    await eventually(async () => (server.quietSince?.getTime() ?? 0) > before);
  });

  test('answers the visitors who are there before it ends', async (t) => {
    const begun = Promise.withResolvers<Socket>();
    const site = createServer((socket) => begun.resolve(socket));
    await new Promise<void>((listening) => site.listen(0, '127.0.0.1', listening));
    t.after(() => site.close());
    const { port } = site.address() as AddressInfo;
    const lease = { connect: () => connect(port, '127.0.0.1'), release: () => {}, failure: async () => undefined };
    const running = { isAwake: true, lease: async () => lease };
    const at = `127.0.0.1:${await freePort()}`;
    const ending = new HostServer({
      host: { start: async () => running } as unknown as SiteHost,
      address: at,
      identity: wireIdentity(ours, 'here.site'),
      log: createLog('silent'),
    });
    await ending.open();
    const far = remoteHost('here.site', [at], wireIdentity(ours, 'platform'));
    const spec = { host: 'here.site', driver: 'memory', id: 'a site' } as HostedSpec;
    const visitor = (await (await far.start(spec)).lease(new AbortController().signal)).connect();
    let heard = '';
    visitor.setEncoding('utf8').on('data', (text) => {
      heard += text;
    });
    visitor.on('error', () => {});
    visitor.write('a question');
    const answering = await begun.promise;
    const ended = ending.close();
    await assert.rejects(far.start(spec), HostAway);
    answering.end('the whole answer');
    await Promise.all([ended, new Promise((closed) => visitor.once('close', closed))]);
    assert.equal(heard, 'the whole answer');
  });
});
