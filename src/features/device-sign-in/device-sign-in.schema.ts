import { type Static, Type } from 'typebox';
import { SCOPES } from '#core/auth/caller.ts';
import { failure, oauthFailure } from '#core/errors.ts';
import { Moment, Name, Nullable, OneOf, say, Timestamp, Uuid } from '#core/http/schema.ts';

export const NewDeviceSignIn = Type.Object({
  client_name: Type.Optional(Type.String({ ...Name, description: 'What asks, such as "siteyard on laptop"' })),
});
export type NewDeviceSignIn = Static<typeof NewDeviceSignIn>;

export const DeviceCodes = Type.Object(
  {
    device_code: Type.String({ description: 'For the program alone: it asks for its token with it' }),
    user_code: Type.String({ description: 'For people: they type it at verification_uri', examples: ['WDJB-MJHT'] }),
    // No address has the code in it (RFC 8628, 5.4): whoever is sent one would let somebody else's program in with a click.
    verification_uri: Type.String({ format: 'uri' }),
    expires_in: Type.Integer({ description: 'Seconds' }),
    interval: Type.Integer({ description: 'Seconds to wait between two questions for the token' }),
  },
  { title: 'DeviceCodes' },
);
export type DeviceCodes = Static<typeof DeviceCodes>;

const user_code = Type.String({
  minLength: 1,
  maxLength: 20,
  description: 'As the program shows it; case, dashes and blanks do not matter',
});
export const UserCode = Type.Object({ user_code });

export const DeviceSignIn = Type.Object(
  {
    client_name: Type.String(),
    ip: Type.String({ description: 'Where the program asked from' }),
    created_at: Timestamp,
    expires_at: Timestamp,
  },
  { title: 'DeviceSignIn' },
);
export type DeviceSignIn = Static<typeof DeviceSignIn>;

export const Confirmation = Type.Object({
  user_code,
  scopes: Type.Array(OneOf(SCOPES), { minItems: 1, maxItems: 3, uniqueItems: true, description: 'What its token may' }),
  team_id: Type.Optional(Type.String({ format: 'uuid', description: 'The token reaches this team alone' })),
  expires_at: Type.Optional(say(Moment, 'When its token ends; never, when left out')),
});
export type Confirmation = Static<typeof Confirmation>;

export const DeviceCodeExchange = Type.Object({
  grant_type: Type.Optional(
    OneOf(['urn:ietf:params:oauth:grant-type:device_code'], { description: 'As OAuth has it' }),
  ),
  client_id: Type.Optional(Type.String({ maxLength: 200, description: 'Not looked at' })),
  device_code: Type.String({ minLength: 1, maxLength: 200, description: 'What the sign-in was begun with' }),
});

export const DeviceGrant = Type.Object(
  {
    access_token: Type.String({ description: 'A personal API token' }),
    token_type: OneOf(['bearer']),
    scope: Type.String({ description: 'What it may, with blanks between' }),
    team_id: Nullable(Uuid),
    expires_at: Nullable(Timestamp),
  },
  { title: 'DeviceGrant' },
);
export type DeviceGrant = Static<typeof DeviceGrant>;

export const unknownUserCode = failure(
  'device_sign_in.unknown_code',
  404,
  'There is no such code, or its time is over. Look at it again, or begin anew where you got it.',
);
export const tooManyWrongCodes = failure(
  'device_sign_in.too_many_failures',
  429,
  'Too many wrong codes; wait a minute.',
);

/** The words are those of RFC 8628, 3.5. */
const refusal = (name: string, error: string, sentence: string) =>
  oauthFailure(`device_sign_in.${name}`, error, 400, sentence);

export const pending = refusal('pending', 'authorization_pending', 'Nobody has typed the code yet; ask again.');
export const slowDown = refusal('slow_down', 'slow_down', 'Ask less often: wait five seconds more than before.');
export const refused = refusal('refused', 'access_denied', 'The sign-in was refused.');
export const codeExpired = refusal('expired', 'expired_token', 'The code is over; begin anew.');
export const invalidCode = refusal(
  'invalid_code',
  'invalid_grant',
  'There is no such code, or it was used; begin anew.',
);
