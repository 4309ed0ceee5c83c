import { createPublicKey, hash } from 'node:crypto';

/** A public key as people paste it. */
export interface PublicKey {
  type: string;
  /** SHA-256 of what the key is on the wire: its fingerprint. */
  hash: Buffer;
  comment: string;
}

const TYPES = ['ssh-ed25519', 'ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp521', 'ssh-rsa'] as const;
const RSA_BITS = { least: 2048, most: 16_384 };

/** The key, or in a sentence why it is none. */
export async function readPublicKey(text: string): Promise<PublicKey | string> {
  const line = text.trim();
  if (/PRIVATE KEY|^PuTTY-User-Key-File/.test(line))
    return 'this is a private key, which is for you alone: paste the public one, from the file that ends in .pub';
  if (/^---- BEGIN SSH2 PUBLIC KEY/.test(line))
    return 'this is the form of RFC 4716: paste the one line that `ssh-keygen -i -f <file>` makes of it';
  if (/[\r\n]/.test(line)) return 'paste one key, which is one line';
  const [type = '', base64 = '', ...comment] = line.split(/[ \t]+/);
  if (/^sk-|-cert-v01@/.test(type)) return 'keys in security keys, and certificates, are not supported';
  if (type === 'ssh-dss') return 'DSA keys are no longer safe: make a new one with `ssh-keygen -t ed25519`';
  if (!isKnownType(type) || base64 === '')
    return 'this is no public key: it begins with ssh-ed25519, ecdsa-sha2-… or ssh-rsa';
  const blob = Buffer.from(base64, 'base64');
  // Only where it is used: it takes a while to load.
  const { default: ssh2 } = await import('ssh2');
  const parsed = ssh2.utils.parseKey(`${type} ${base64}`);
  // Made again it has to be the same: nothing before, between or after.
  if (parsed instanceof Error || parsed.type !== type || !parsed.getPublicSSH().equals(blob))
    return 'the key is broken or not complete';
  const bits = bitsOf(parsed.getPublicPEM());
  if (bits === 'broken') return 'the key is broken or not complete';
  if (bits !== undefined && (bits < RSA_BITS.least || bits > RSA_BITS.most))
    return `RSA keys have ${RSA_BITS.least} bits or more, and this one has ${bits}: make a new one with \`ssh-keygen -t ed25519\``;
  return { type, hash: keyHash(blob), comment: comment.join(' ') };
}

export const isKnownType = (type: string): boolean => TYPES.some((each) => each === type);

export const keyHash = (blob: Buffer): Buffer => hash('sha256', blob, 'buffer');

export const fingerprintOf = (keyHash: Buffer): string => `SHA256:${keyHash.toString('base64').replace(/=+$/, '')}`;

/** Of an RSA key. A point that is on no curve is noticed here too. */
function bitsOf(pem: string): number | 'broken' | undefined {
  try {
    return createPublicKey(pem).asymmetricKeyDetails?.modulusLength;
  } catch {
    return 'broken';
  }
}
