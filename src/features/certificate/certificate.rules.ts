import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { bodyFault, invalid } from '#core/errors.ts';
import type { OwnCertificate } from './certificate.schema.ts';

const MAX_LINKS = 10;
const MIN_RSA_BITS = 2048;
const SOON_MS = 86_400_000;

export interface ReadCertificate {
  chain: string;
  key: string;
  notBefore: Date;
  notAfter: Date;
}

/** Reads the own certificate of a team: whole, for this name, with its key, and good for some time yet. */
export function readOwn(fqdn: string, { chain, key }: OwnCertificate, now = Date.now()): ReadCertificate {
  const links = readChain(chain);
  const leaf = links[0] as X509Certificate;
  const fail = (field: string, msg: string) => invalid(bodyFault(field, `Value error, ${msg}`));
  if (leaf.checkHost(fqdn, { subject: 'never' }) === undefined)
    throw fail('chain', `the first certificate is not for ${fqdn}`);
  const [notBefore, notAfter] = [new Date(leaf.validFrom), new Date(leaf.validTo)];
  if (notBefore.getTime() > now) throw fail('chain', 'the certificate is not good yet');
  if (notAfter.getTime() <= now) throw fail('chain', 'the certificate has expired');
  if (notAfter.getTime() < now + SOON_MS) throw fail('chain', 'the certificate is good for less than a day');
  for (const [at, link] of links.slice(0, -1).entries())
    if (
      !link.checkIssued(links[at + 1] as X509Certificate) ||
      !link.verify((links[at + 1] as X509Certificate).publicKey)
    )
      throw fail('chain', `certificate ${at + 1} is not signed by the one after it`);
  const privateKey = readKey(key);
  if (!privateKey) throw fail('key', 'this is not a private key in PEM form, or a password locks it');
  if (!isStrong(privateKey))
    throw fail('key', `it must be an elliptic curve key, or RSA with at least ${MIN_RSA_BITS} bits`);
  if (!leaf.checkPrivateKey(privateKey)) throw fail('key', 'this is not the key of the first certificate');
  const read = { chain: links.map(String).join(''), key: exported(privateKey), notBefore, notAfter };
  if (!canBeServed(read)) throw fail('chain', 'TLS can not be spoken with it: its key or a signature is too weak');
  return read;
}

/** What is too weak by today's measure is refused by OpenSSL, which handshakes would find out. */
function canBeServed({ chain, key }: Pick<ReadCertificate, 'chain' | 'key'>): boolean {
  try {
    createSecureContext({ cert: chain, key });
    return true;
  } catch {
    return false;
  }
}

function readChain(chain: string): X509Certificate[] {
  const blocks = chain.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  const fault = (msg: string) => invalid(bodyFault('chain', `Value error, ${msg}`));
  if (blocks.length === 0) throw fault('there is no certificate in PEM form here');
  if (blocks.length > MAX_LINKS) throw fault(`there are more than ${MAX_LINKS} certificates in it`);
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch {
    throw fault('one of the certificates can not be read');
  }
}

function readKey(key: string): KeyObject | undefined {
  try {
    return createPrivateKey(key);
  } catch {
    return undefined;
  }
}

function isStrong({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  if (asymmetricKeyType === 'rsa') return (asymmetricKeyDetails?.modulusLength ?? 0) >= MIN_RSA_BITS;
  return asymmetricKeyType === 'ec';
}

export const exported = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString();
