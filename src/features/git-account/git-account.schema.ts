import { type Static, Type } from 'typebox';
import { failure } from '#core/errors.ts';
import { TOKEN_PROVIDERS } from '#core/git-hosts.ts';
import { Nullable, OneOf, say, Timestamp, Uuid } from '#core/http/schema.ts';

const PROVIDERS = [...TOKEN_PROVIDERS, 'ssh'] as const;
export type Provider = (typeof PROVIDERS)[number];

export const GitAccount = Type.Object(
  {
    id: Uuid,
    provider: OneOf(PROVIDERS),
    base_url: Type.String({ description: 'The host that it is for' }),
    login: Nullable(Type.String({ description: 'Whose account it is there; null for a key' })),
    public_key: Nullable(Type.String({ description: 'For ssh: the key to add at the host' })),
    problem: Nullable(Type.String({ description: 'Why it could not be used the last time; null while it works' })),
    created_at: Timestamp,
  },
  { title: 'GitAccount' },
);
export type GitAccount = Static<typeof GitAccount>;

export const NewGitAccount = Type.Object({
  provider: say(OneOf(PROVIDERS), 'What kind of Git host it is'),
  base_url: Type.Optional(
    Type.String({
      maxLength: 500,
      description:
        'https://git.example.com, or ssh://git.example.com for a key; github.com and gitlab.com when left out',
    }),
  ),
  token: Type.Optional(Type.String({ maxLength: 1000, description: 'Not for ssh, where we make a key' })),
});
export type NewGitAccount = Static<typeof NewGitAccount>;

export const gitAccountNotFound = failure('git_account.not_found', 404, 'There is no such Git account.');
export const gitAccountExists = failure(
  'git_account.exists',
  409,
  'You have linked an account of this host already; remove that one first.',
);
export const tooManyGitAccounts = failure('git_account.too_many', 409, 'You have 20 Git accounts; remove some first.');
export const badGitToken = failure('git_account.bad_token', 422, 'The host refuses the token.');
export const gitHostFailed = failure('git_account.host_failed', 502, 'The Git host could not be asked.');
export const gitHostTimeout = failure('git_account.host_timeout', 504, 'The Git host did not answer in time.');
