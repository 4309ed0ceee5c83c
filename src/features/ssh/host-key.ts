import type { Secrets } from '#core/secrets.ts';
import { fingerprintOf, keyHash } from '#features/ssh-key/ssh-key.ts';
import { sshKeyFrom } from '#integrations/git/ssh-key.ts';

/** What clients know us by. It is derived like every secret of the platform, so that all processes have the same, for ever. */
export function hostKeyOf({ deriveLasting }: Pick<Secrets, 'deriveLasting'>, comment: string) {
  const secret = Buffer.from(deriveLasting('ssh host key'), 'base64url');
  const { publicKey, privateKey } = sshKeyFrom(secret, comment);
  const [type = '', base64 = ''] = publicKey.split(' ');
  return {
    privateKey,
    publicKey: `${type} ${base64}`,
    fingerprint: fingerprintOf(keyHash(Buffer.from(base64, 'base64'))),
  };
}
