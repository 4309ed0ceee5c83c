import { type Static, Type } from 'typebox';
import { failure } from '#core/errors.ts';
import { Name, Nullable, Timestamp, Uuid } from '#core/http/schema.ts';

export const SshKey = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    type: Type.String({ description: 'ssh-ed25519, ecdsa-sha2-nistp256 and the like, or ssh-rsa' }),
    fingerprint: Type.String({ description: 'SHA256:…, as `ssh-keygen -l` shows it' }),
    last_used_at: Nullable(Timestamp),
    created_at: Timestamp,
  },
  { title: 'SshKey' },
);
export type SshKey = Static<typeof SshKey>;

export const NewSshKey = Type.Object({
  name: Type.Optional(Type.Unsafe<string>({ ...Name, description: 'The comment of the key when left out' })),
  public_key: Type.String({
    minLength: 1,
    maxLength: 20_000,
    description: 'The one line of a file such as id_ed25519.pub',
  }),
});
export type NewSshKey = Static<typeof NewSshKey>;

export const MAX_KEYS = 50;

export const sshKeyNotFound = failure('ssh_key.not_found', 404, 'There is no such SSH key.');
export const sshKeyExists = failure('ssh_key.exists', 409, 'You have added this key already.');
export const tooManySshKeys = failure('ssh_key.too_many', 409, `You have ${MAX_KEYS} SSH keys; remove some first.`);
