import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { after, before, suite, test } from 'node:test';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { Type } from 'typebox';
import { inTeam } from '#core/policy.ts';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { newSite, putOnPlan } from '#testkit/app/sites.ts';
import { startTlsApp, type TlsApp } from '#testkit/app/tls-app.ts';
import { visit } from '#testkit/clients/visit.ts';
import { eventually } from '#testkit/expect.ts';
import { socketOperation } from '../operation.ts';
import { Uuid } from '../schema.ts';
import { protocolsOf } from './client-hello.ts';

/** Sends back what comes. */
const echo = socketOperation({
  id: 'echo',
  method: 'GET',
  path: '/test/{team_id}/echo',
  tag: 'test',
  summary: 'A socket that sends back what comes',
  access: inTeam('member'),
  params: Type.Object({ team_id: Uuid }),
  async connect(_call, { socket, accept }) {
    accept();
    socket.pipe(socket);
  },
});

let tls: TlsApp;
let owner: Person;
let site: string;
before(async () => {
  tls = await startTlsApp({ env: { HSTS_SECONDS: '31536000' }, operations: [echo] });
  owner = await registerPerson(tls.app);
  await putOnPlan(tls.app, owner.teamId, 'starter');
  site = (await newSite(owner)).fqdn;
  for (const name of [site, 'localhost'])
    await eventually(() =>
      handshake({ servername: name }).then(
        () => true,
        () => false,
      ),
    );
});
after(() => tls?.close());

function handshake(options: ConnectionOptions): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const all = { host: '127.0.0.1', port: tls.httpsPort, ca: tls.authority.root, ...options };
    const socket = connect(all, () => resolve(socket)).once('error', reject);
    after(() => void socket.destroy());
  });
}

suite('the configuration earns a good grade', () => {
  const rejected = (options: ConnectionOptions) => assert.rejects(handshake({ servername: site, ...options }));

  test('nothing before TLS 1.2 is spoken', async () => {
    // Such old ones need a client without any scruples.
    const old = { ciphers: 'ALL:@SECLEVEL=0' };
    await rejected({ ...old, minVersion: 'TLSv1', maxVersion: 'TLSv1' });
    await rejected({ ...old, minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1' });
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      const socket = await handshake({ servername: site, minVersion: version, maxVersion: version });
      assert.equal(socket.getProtocol(), version);
    }
  });

  test('every cipher has forward secrecy and authenticates what it encrypts', async () => {
    const only12 = { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' } as const;
    for (const ciphers of [
      'kRSA',
      'DHE',
      'AES128-SHA',
      'ECDHE-ECDSA-AES128-SHA',
      'ECDHE-ECDSA-AES256-SHA384',
      'aNULL:eNULL',
      'CAMELLIA',
      'PSK',
    ])
      await rejected({ ...only12, ciphers: `${ciphers}:@SECLEVEL=0` }).catch((error) => {
        throw new Error(`${ciphers} was taken`, { cause: error });
      });
    for (const ciphers of [
      'ECDHE-ECDSA-AES128-GCM-SHA256',
      'ECDHE-ECDSA-AES256-GCM-SHA384',
      'ECDHE-ECDSA-CHACHA20-POLY1305',
    ]) {
      const socket = await handshake({ servername: site, ...only12, ciphers });
      assert.equal(socket.getCipher().name, ciphers);
      assert.match((socket.getEphemeralKeyInfo() as { type: string }).type, /ECDH/);
    }
    // The order is the server's, but for who wants ChaCha20 first.
    const chosen = async (...ciphers: string[]) =>
      (await handshake({ servername: site, ...only12, ciphers: ciphers.join(':') })).getCipher().name;
    const [aes128, aes256, chacha] = ['AES128-GCM-SHA256', 'AES256-GCM-SHA384', 'CHACHA20-POLY1305'].map(
      (name) => `ECDHE-ECDSA-${name}`,
    ) as [string, string, string];
    assert.deepEqual([await chosen(aes256, aes128), await chosen(chacha, aes128)], [aes128, chacha]);
  });

  test('nobody begins a handshake anew on a connection that stands', async () => {
    const socket = await handshake({ servername: site, maxVersion: 'TLSv1.2' });
    const outcome = await new Promise<Error | null>((resolve) => {
      socket.once('error', resolve);
      socket.once('close', () => resolve(new Error('closed')));
      socket.renegotiate({}, resolve);
    });
    assert.ok(outcome, 'it was taken');
  });

  test('keys and curves are as large as they should be', async () => {
    const socket = await handshake({ servername: site });
    const { bits, asn1Curve } = socket.getPeerCertificate() as { bits?: number; asn1Curve?: string };
    assert.deepEqual([bits, asn1Curve], [256, 'prime256v1']);
    const weak = { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2', ciphers: 'ECDHE:@SECLEVEL=0' } as const;
    for (const ecdhCurve of ['secp224r1', 'secp192k1']) await rejected({ ...weak, ecdhCurve });
  });

  test('nothing is compressed or stapled, and nobody is led down to an older TLS', async () => {
    const ask = async (...options: string[]) => {
      const target = ['s_client', '-connect', `127.0.0.1:${tls.httpsPort}`, '-servername', site, '-tls1_2', ...options];
      const asking = promisify(execFile)('openssl', target);
      asking.child.stdin?.end();
      return asking.then(
        ({ stdout, stderr }) => stdout + stderr,
        ({ stdout, stderr }) => stdout + stderr,
      );
    };
    const said = await ask('-status');
    assert.match(said, /^Compression: NONE$/m);
    assert.match(said, /^OCSP response: no response sent$/m);
    assert.match(said, /^Secure Renegotiation IS supported$/m);
    // What a browser says that was kept from TLS 1.3 by somebody in between.
    assert.match(await ask('-fallback_scsv'), /inappropriate fallback/);
  });

  test('without a name, or for one that is not ours, there is no certificate', async () => {
    await rejected({ servername: '', rejectUnauthorized: false, checkServerIdentity: () => undefined });
    await rejected({ servername: 'elsewhere.example.org', rejectUnauthorized: false });
  });

  test('browsers are told to come with TLS alone, over TLS alone', async () => {
    for (const by of [tls.visit, tls.visit2])
      assert.equal((await by(site, '/')).headers['strict-transport-security'], 'max-age=31536000');
    assert.ok((await tls.visit2('localhost', '/healthz')).headers['strict-transport-security']);
    assert.equal((await visit(tls.app, site, '/')).headers['strict-transport-security'], undefined);
  });

  test('HTTP/2 is offered first', async () => {
    const socket = await handshake({ servername: site, ALPNProtocols: ['http/1.1', 'h2'] });
    assert.equal(socket.alpnProtocol, 'h2');
    await rejected({ ALPNProtocols: ['acme-tls/1'] });
  });
});

suite('what is behind it is the same', () => {
  test('a request by HTTP/2 has its body read, with a length and without', async () => {
    const body = JSON.stringify({ first_name: 'Grace' });
    const headers = { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' };
    for (const more of [{}, { 'content-length': String(body.length) }]) {
      const answer = await tls.visit2('localhost', '/f/api/v1/me', {
        method: 'PATCH',
        body,
        headers: { ...headers, ...more },
      });
      assert.equal(answer.status, 200, answer.text);
      assert.equal(JSON.parse(answer.text).first_name, 'Grace');
    }
  });

  test('many requests share one connection, and each is counted for itself', async () => {
    const session = connectHttp2(`https://127.0.0.1:${tls.httpsPort}`, { servername: site, ca: tls.authority.root });
    const ask = async (path: string) => {
      const stream = session.request({ ':path': path, ':authority': `${site}:${tls.httpsPort}` });
      const [head] = (await once(stream, 'response')) as [Record<string, string>];
      return { status: head[':status'], size: Buffer.concat((await stream.toArray()) as Buffer[]).length };
    };
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask('/')));
    assert.ok(answers.every(({ status, size }) => Number(status) === 200 && size === answers[0]?.size));
    session.close();
  });

  test('a request by HTTP/2 that names two hosts, or asks to be connected, is refused', async () => {
    const answer = await tls.visit2(site, '/', { headers: { host: 'localhost' } });
    assert.equal(answer.status, 400);
    const session = connectHttp2(`https://127.0.0.1:${tls.httpsPort}`, { servername: site, ca: tls.authority.root });
    const stream = session.request({ ':method': 'CONNECT', ':authority': `${site}:80` });
    const [head] = (await once(stream, 'response')) as [Record<string, unknown>];
    assert.equal(head[':status'], 405);
    session.close();
  });

  test('a WebSocket goes through TLS', async () => {
    const socket = await handshake({ servername: 'localhost', ALPNProtocols: ['http/1.1'] });
    socket.write(
      `GET /f/api/v1/test/${owner.teamId}/echo HTTP/1.1\r\nHost: localhost:${tls.httpsPort}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        `Authorization: Bearer ${owner.token}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${Buffer.alloc(16, 7).toString('base64')}\r\n\r\n`,
    );
    let seen = '';
    socket.on('data', (chunk: Buffer) => {
      seen += chunk.toString('latin1');
    });
    await eventually(async () => seen.includes('101 Switching Protocols'));
    socket.write('through and through');
    await eventually(async () => seen.includes('through and through'));
  });
});

test('a ClientHello that ends too early names no protocol', () => {
  for (const size of [0, 5, 43, 100]) assert.deepEqual(protocolsOf(Buffer.alloc(size, 0xff)), []);
});
