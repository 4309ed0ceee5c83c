import { createPrivateKey, createPublicKey, randomBytes } from 'node:crypto';

/** What PKCS #8 has in front of the 32 bytes of an Ed25519 key (RFC 8410). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/** A new key pair as OpenSSH keeps it (PROTOCOL.key): node can make the key, but not write it down that way. */
export const newSshKey = (comment: string) => sshKeyFrom(randomBytes(32), comment);

/** The key pair of 32 secret bytes. */
export function sshKeyFrom(secret: Buffer, comment: string): { publicKey: string; privateKey: string } {
  const pair = createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, secret]), format: 'der', type: 'pkcs8' });
  const open = Buffer.from(createPublicKey(pair).export({ format: 'jwk' }).x as string, 'base64url');
  const type = Buffer.from('ssh-ed25519');
  const shared = Buffer.concat([field(type), field(open)]);
  const check = randomBytes(4);
  const inner = Buffer.concat([
    check,
    check,
    shared,
    field(Buffer.concat([secret, open])),
    field(Buffer.from(comment)),
  ]);
  const padding = Buffer.from(Array.from({ length: (8 - (inner.length % 8)) % 8 }, (_, at) => at + 1));
  const none = field(Buffer.from('none'));
  const whole = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    none,
    none,
    field(Buffer.alloc(0)),
    number(1),
    field(shared),
    field(Buffer.concat([inner, padding])),
  ]);
  const lines = (whole.toString('base64').match(/.{1,70}/g) as string[]).join('\n');
  return {
    publicKey: `ssh-ed25519 ${shared.toString('base64')} ${comment}`,
    privateKey: `-----BEGIN OPENSSH PRIVATE KEY-----\n${lines}\n-----END OPENSSH PRIVATE KEY-----\n`,
  };
}

const field = (bytes: Buffer) => Buffer.concat([number(bytes.length), bytes]);

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
