import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { suite, test } from 'node:test';
import { makeCertificate, namesExtension, pem } from '#integrations/acme/x509.ts';
import { ownCertificate } from '#testkit/data/own-certificate.ts';
import { readOwn } from './certificate.rules.ts';

const NAME = 'shop.example.org';
const DAY_MS = 86_400_000;
const NOW = Date.now();
const rsaKey = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength }).privateKey;
const ecKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const pemOf = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString();

/** Certificates from the name's own up to one that signs itself, each signed by the next. */
function chainOf(links: number, key = ecKey()): { chain: string; key: string } {
  const keys = [key, ...Array.from({ length: links - 1 }, ecKey)];
  const blocks = keys.map((own, at) =>
    makeCertificate({
      subject: at === 0 ? NAME : `CA ${at}`,
      key: own,
      issuer: { name: at === links - 1 && at > 0 ? `CA ${at}` : `CA ${at + 1}`, key: keys[at + 1] ?? own },
      notBefore: new Date(NOW - DAY_MS),
      notAfter: new Date(NOW + 90 * DAY_MS),
      extensions: at === 0 ? [namesExtension([NAME])] : [],
    }),
  );
  return { chain: blocks.map((block) => pem(block)).join(''), key: pemOf(key) };
}

const blocksOf = (chain: string) => chain.match(/-----BEGIN[\s\S]+?END CERTIFICATE-----/g) as string[];

suite('an own certificate', () => {
  const { chain, key } = ownCertificate(NAME);

  test('is taken where it is for the name, with its key, and read with its times', () => {
    const read = readOwn(NAME, { chain, key });
    const { validFrom, validTo } = new X509Certificate(chain);
    assert.deepEqual([read.notBefore, read.notAfter], [new Date(validFrom), new Date(validTo)]);
    assert.equal(new X509Certificate(read.chain).fingerprint256, new X509Certificate(chain).fingerprint256);
    assert.match(read.key, /^-----BEGIN PRIVATE KEY-----/);
  });

  test('may cover the name with a wildcard, and have text around it', () => {
    const wildcard = ownCertificate('*.example.org');
    readOwn(NAME, { ...wildcard, chain: `Bag Attributes\n${wildcard.chain}\nthe end` });
    assert.throws(() => readOwn('a.b.example.org', wildcard), refusedFor('chain', /is not for/));
  });

  test('may have the certificates that signed it, up to ten in all', () => {
    readOwn(NAME, chainOf(3));
    readOwn(NAME, chainOf(10));
    assert.throws(() => readOwn(NAME, chainOf(11)), refusedFor('chain', /more than 10/));
  });

  const other = ownCertificate('other.example.org');
  const [first, second, third] = blocksOf(chainOf(3).chain);
  const signed = chainOf(2);
  const [own] = blocksOf(signed.chain);
  const [, impostor] = blocksOf(chainOf(2).chain);
  const wrong: [what: string, field: string, body: { chain: string; key: string }, told: RegExp][] = [
    ['for another name', 'chain', other, /is not for/],
    ['with another key', 'key', { chain, key: other.key }, /not the key/],
    ['that has expired', 'chain', ownCertificate(NAME, { days: -0.5 }), /has expired/],
    ['that is good for less than a day', 'chain', ownCertificate(NAME, { days: 0.5 }), /less than a day/],
    ['that the next one did not sign', 'chain', { chain: chain + other.chain, key }, /certificate 1 is not signed by/],
    ['in another order', 'chain', { chain: [first, third, second].join('\n'), key }, /certificate 1 is not signed by/],
    [
      'that one of the same name signed, with another key',
      'chain',
      { ...signed, chain: [own, impostor].join('\n') },
      /certificate 1 is not signed by/,
    ],
    ['that is no PEM', 'chain', { chain: 'x', key }, /no certificate/],
    ['that is no certificate', 'chain', { chain: chain.replace(/MI/, 'XX'), key }, /can not be read/],
    ['with no key', 'key', { chain, key: 'x' }, /not a private key/],
    ['with a key that is too weak for TLS', 'chain', ownCertificate(NAME, { curve: 'P-192' }), /too weak/],
    ['with a short RSA key', 'key', chainOf(1, rsaKey(1024)), /at least 2048 bits/],
    [
      'with a key of another kind',
      'key',
      { chain, key: pemOf(generateKeyPairSync('ed25519').privateKey) },
      /elliptic curve key, or RSA/,
    ],
  ];
  for (const [what, field, body, told] of wrong)
    test(`${what} is refused`, () => {
      assert.throws(() => readOwn(NAME, body), refusedFor(field, told));
    });

  test('that begins later is refused until then', () => {
    assert.throws(() => readOwn(NAME, { chain, key }, NOW - 2 * DAY_MS), refusedFor('chain', /not good yet/));
    readOwn(NAME, chainOf(1, rsaKey(2048)));
  });
});

function refusedFor(field: string, told: RegExp) {
  return (error: { status?: number; faults?: { loc: string[]; msg: string }[] }) => {
    assert.deepEqual([error.status, error.faults?.[0]?.loc], [422, ['body', field]]);
    assert.match(error.faults?.[0]?.msg ?? '', told);
    return true;
  };
}

test('a chain may have text between its certificates', () => {
  const { chain, key } = ownCertificate('blog.example.com');
  assert.equal(readOwn('blog.example.com', { chain: `# ours - since May\n${chain}\n`, key }).chain, chain);
});

test('an unterminated chain of certificates is rejected, and takes no longer than any other', () => {
  const chain = '-----BEGIN CERTIFICATE-----'.repeat(200_000);
  assert.throws(() => readOwn('blog.example.com', { chain, key: '' }), { code: 'request.invalid' });
});
