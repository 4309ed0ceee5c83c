import { createHash, createPublicKey, type KeyObject, randomBytes, sign } from 'node:crypto';
import { bits, der, integer, isTrue, octets, oid, sequence, set, tagged, text, time } from './der.ts';

const ECDSA_SHA256 = sequence(oid('1.2.840.10045.4.3.2'));
const SAN = '2.5.29.17';
const CN = '2.5.4.3';
const EXTENSION_REQUEST = '1.2.840.113549.1.9.14';
/** RFC 8737. */
const ACME_IDENTIFIER = '1.3.6.1.5.5.7.1.31';

const spki = (key: KeyObject) =>
  (key.type === 'public' ? key : createPublicKey(key)).export({ type: 'spki', format: 'der' });

export interface Extension {
  id: string;
  isCritical?: boolean;
  value: Buffer;
}

const extension = ({ id, isCritical, value }: Extension) =>
  sequence(oid(id), ...(isCritical ? [isTrue] : []), octets(value));

export const namesExtension = (names: readonly string[]): Extension => ({
  id: SAN,
  value: sequence(...names.map((name) => der(0x82, Buffer.from(name)))),
});

const signed = (content: Buffer, key: KeyObject) => sequence(content, ECDSA_SHA256, bits(sign('sha256', content, key)));

/** A request for a certificate of these names (PKCS #10), for an elliptic key. */
export function makeRequest(names: readonly string[], key: KeyObject): Buffer {
  const wanted = sequence(oid(EXTENSION_REQUEST), set(sequence(extension(namesExtension(names)))));
  return signed(sequence(integer(Buffer.from([0])), sequence(), spki(key), tagged(0, wanted)), key);
}

export interface NewCertificate {
  /** Whose it is, in words. */
  subject: string;
  key: KeyObject;
  issuer: { name: string; key: KeyObject };
  notBefore: Date;
  notAfter: Date;
  extensions: readonly Extension[];
}

const named = (name: string) => sequence(set(sequence(oid(CN), text(name))));

/** A certificate of version 3, as DER. */
export function makeCertificate({ subject, key, issuer, notBefore, notAfter, extensions }: NewCertificate): Buffer {
  const serial = randomBytes(16);
  // Neither zero in front nor negative.
  serial[0] = ((serial[0] as number) & 0x3f) | 0x40;
  const content = sequence(
    tagged(0, integer(Buffer.from([2]))),
    integer(serial),
    ECDSA_SHA256,
    named(issuer.name),
    sequence(time(notBefore), time(notAfter)),
    named(subject),
    spki(key),
    tagged(3, sequence(...extensions.map(extension))),
  );
  return signed(content, issuer.key);
}

/** What answers for a name under `acme-tls/1` (RFC 8737): made by ourselves, with the digest of the key authorization. */
export function makeAlpnCertificate(name: string, keyAuthorization: string, key: KeyObject): Buffer {
  const digest = createHash('sha256').update(keyAuthorization).digest();
  const now = Date.now();
  return makeCertificate({
    subject: name,
    key,
    issuer: { name, key },
    notBefore: new Date(now - 3_600_000),
    notAfter: new Date(now + 86_400_000),
    extensions: [namesExtension([name]), { id: ACME_IDENTIFIER, isCritical: true, value: octets(digest) }],
  });
}

export function pem(certificate: Buffer): string {
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
