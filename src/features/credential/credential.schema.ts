import { type Static, Type } from 'typebox';
import { CREDENTIAL_KINDS, SCOPES } from '#core/auth/caller.ts';
import { failure } from '#core/errors.ts';
import { Moment, Name, Nullable, OneOf, say, Timestamp, Uuid } from '#core/http/schema.ts';

export const TokenGrant = Type.Object(
  { access_token: Type.String(), token_type: OneOf(['bearer']), expires_in: Type.Integer({ description: 'Seconds' }) },
  { title: 'TokenGrant' },
);
export type TokenGrant = Static<typeof TokenGrant>;

export const SignIn = Type.Object({
  grant_type: Type.Optional(say(OneOf(['password']), 'As OAuth2 has it')),
  username: Type.String({ minLength: 1, maxLength: 254, description: 'The email address' }),
  password: say(Type.String({ minLength: 1, maxLength: 256 }), 'The password of the account'),
});

export const Introspection = Type.Object(
  {
    active: Type.Boolean(),
    kind: OneOf(CREDENTIAL_KINDS),
    scopes: Type.Array(OneOf(SCOPES)),
    user_id: Uuid,
    team_id: Nullable(Uuid),
    expires_at: Nullable(Timestamp),
  },
  { title: 'Introspection' },
);

export const ApiToken = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    scopes: Type.Array(OneOf(SCOPES)),
    team_id: Nullable(Uuid),
    expires_at: Nullable(Timestamp),
    last_used_at: Nullable(Timestamp),
    created_at: Timestamp,
  },
  { title: 'ApiToken' },
);
export type ApiToken = Static<typeof ApiToken>;

export const CreatedApiToken = Type.Object(
  { ...ApiToken.properties, token: Type.String({ description: 'Shown this once' }) },
  { title: 'CreatedApiToken' },
);

export const NewApiToken = Type.Object({
  name: say(Name, 'What you know it by'),
  scopes: say(
    Type.Array(OneOf(SCOPES), { minItems: 1, maxItems: 3, uniqueItems: true }),
    '`read` looks, `plan` also previews and proposes, `write` changes',
  ),
  team_id: Type.Optional(Uuid),
  expires_at: Type.Optional(say(Moment, 'When it ends by itself')),
});
export type NewApiToken = Static<typeof NewApiToken>;

export const Session = Type.Object(
  {
    id: Uuid,
    is_current: Type.Boolean({ description: 'True for the one of this request' }),
    browser: Nullable(Type.String({ description: 'What it was begun with, such as Firefox on Linux' })),
    address: Nullable(Type.String({ description: 'Where it was used last, or begun' })),
    last_used_at: Nullable(Timestamp),
    expires_at: Nullable(Timestamp),
    created_at: Timestamp,
  },
  { title: 'Session' },
);
export type Session = Static<typeof Session>;

export const badSignIn = failure('auth.bad_sign_in', 401, 'The email address or the password is wrong.');
export const accountBlocked = failure('account.blocked', 403, 'This account is blocked; ask the platform why.');
export const tooManyFailures = failure(
  'auth.too_many_failures',
  429,
  'Too many wrong passwords for this account; wait a minute, or come in with a link that we mail to you: ask to reset the password.',
);
export const secondStepNeeded = failure(
  'auth.second_step_needed',
  403,
  'The password is right. This account has a second factor: go on with a passkey or a code.',
);
export const sessionNotFound = failure('session.not_found', 404, 'There is no such session.');
export const MAX_API_TOKENS = 50;
export const tooManyApiTokens = failure(
  'api_token.too_many',
  409,
  `You have ${MAX_API_TOKENS} API tokens, as many as an account can have. Delete one that you no longer use, and try again.`,
);
export const apiTokenNotFound = failure('api_token.not_found', 404, 'There is no such API token.');
