import { generateKeyPairSync } from 'node:crypto';
import { makeCertificate, namesExtension, pem } from '#integrations/acme/x509.ts';

const DAY_MS = 86_400_000;

/** A certificate that a team made for itself, with its key, both as PEM. */
export function ownCertificate(name: string, { days = 90, curve = 'P-256' } = {}): { chain: string; key: string } {
  const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: curve });
  const certificate = makeCertificate({
    subject: name,
    key,
    issuer: { name, key },
    notBefore: new Date(Date.now() - DAY_MS),
    notAfter: new Date(Date.now() + days * DAY_MS),
    extensions: [namesExtension([name])],
  });
  return { chain: pem(certificate), key: key.export({ type: 'pkcs8', format: 'pem' }).toString() };
}
