import { type Static, Type } from 'typebox';
import { failure } from '#core/errors.ts';
import { Host, say, Timestamp, Uuid } from '#core/http/schema.ts';

const record = {
  id: Uuid,
  team_id: Uuid,
  user_id: Uuid,
  fqdn: Type.String({ description: 'The host, with a port where it is not 443' }),
  username: Type.String(),
  created_at: Timestamp,
};

export const ApplicationPassword = Type.Object(record, { title: 'ApplicationPassword' });
export type ApplicationPassword = Static<typeof ApplicationPassword>;

/** What the contract answers when one is deleted: the only time that the password is shown. */
export const DeletedApplicationPassword = Type.Object(
  { ...record, password: Type.String({ description: 'Shown this once; empty for credentials that see no secrets' }) },
  { title: 'DeletedApplicationPassword' },
);
export type DeletedApplicationPassword = Static<typeof DeletedApplicationPassword>;

export const ApplicationPasswordName = Type.Object(
  { fqdn: Type.String(), username: Type.String() },
  { title: 'ApplicationPasswordName' },
);
export type ApplicationPasswordName = Static<typeof ApplicationPasswordName>;

/** HTTP Basic ends the user name at the first colon, and a header has one line. */
const Username = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^[^:\\u0000-\\u001f\\u007f]+$',
  examples: ['ada'],
});
const Password = Type.String({
  minLength: 1,
  maxLength: 1000,
  pattern: '^[^\\u0000-\\u001f\\u007f]+$',
  description: 'For WordPress an application password, for a storefront its access token',
  examples: ['abcd EFGH 1234 ijkl MNOP 6789'],
});

export const NewApplicationPassword = Type.Object({
  fqdn: Host,
  username: say(Username, 'Who signs in there'),
  password: Password,
  team_id: Uuid,
});
export type NewApplicationPassword = Static<typeof NewApplicationPassword>;

export const ApplicationPasswordChange = Type.Object({
  fqdn: Type.Optional(Host),
  username: Type.Optional(say(Username, 'Who signs in there')),
  password: Type.Optional(Password),
});
export type ApplicationPasswordChange = Static<typeof ApplicationPasswordChange>;

export const applicationPasswordNotFound = failure(
  'application_password.not_found',
  404,
  'Your teams have no application password for this host; store one first.',
);
export const applicationPasswordExists = failure(
  'application_password.exists',
  409,
  'The team has an application password for this host already; change that one.',
);
export const hostedHere = failure(
  'application_password.hosted_here',
  409,
  'This site is hosted here, so it needs no application password: the platform reaches it by itself.',
);
export const ambiguousTeam = failure(
  'application_password.ambiguous',
  409,
  'Several of your teams have an application password for this host; say which one with team_id.',
);
export const tooManyApplicationPasswords = failure(
  'application_password.too_many',
  409,
  'The team has 200 application passwords; delete some first.',
);
