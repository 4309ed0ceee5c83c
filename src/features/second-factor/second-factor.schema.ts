import { type Static, Type } from 'typebox';
import { failure } from '#core/errors.ts';
import { Name, Nullable, OneOf, OpenObject, say, Timestamp, Uuid } from '#core/http/schema.ts';

const METHODS = ['totp', 'passkey', 'recovery_code'] as const;

const Challenge = Type.String({ minLength: 1, maxLength: 200, description: 'As answered by the step before' });
/** Bytes in base64url, as WebAuthn's JSON has them. */
const Bytes = (description: string, maxLength = 4_000) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[\\w-]+$', description });

/** What is asked for after the password, where the account has a second factor. */
export const SecondStep = Type.Object(
  {
    challenge: Type.String({ description: 'Stands for this sign-in for ten minutes' }),
    methods: Type.Array(OneOf(METHODS)),
    passkey_options: Nullable(OpenObject),
  },
  { title: 'SecondStep' },
);
export type SecondStep = Static<typeof SecondStep>;

const PASSKEY_ANSWER = {
  credential_id: Bytes('The `id` of the credential', 1_400),
  client_data: Bytes("The answer's `clientDataJSON`"),
  authenticator_data: Bytes("The answer's `authenticatorData`"),
  signature: Bytes("The answer's `signature`"),
};
export const PasskeyAnswer = Type.Object(PASSKEY_ANSWER);
export type PasskeyAnswer = Static<typeof PasskeyAnswer>;

export const PasskeySignIn = Type.Object({ challenge: Challenge, ...PASSKEY_ANSWER });

/** One of the three: a code of the app, a recovery code, or the four parts of what a passkey answered. */
export const SecondStepAnswer = Type.Object({
  challenge: Challenge,
  code: Type.Optional(Type.String({ minLength: 1, maxLength: 20, description: 'Six digits of the authenticator app' })),
  recovery_code: Type.Optional(Type.String({ minLength: 1, maxLength: 40, description: 'One of the recovery codes' })),
  ...Type.Partial(PasskeyAnswer).properties,
});
export type SecondStepAnswer = Static<typeof SecondStepAnswer>;

export const PasskeyOptions = Type.Object(
  {
    challenge: Type.String({ description: 'To be sent with the answer' }),
    options: say(OpenObject, 'What the browser is asked with, as WebAuthn has it in JSON'),
  },
  { title: 'PasskeyOptions' },
);

export const NewPasskey = Type.Object({
  challenge: Challenge,
  name: say(Name, 'What you know it by'),
  credential_id: Bytes('The `id` of the credential', 1_400),
  client_data: Bytes("The answer's `clientDataJSON`"),
  attestation: Bytes("The answer's `attestationObject`", 20_000),
  transports: Type.Optional(
    say(
      Type.Array(Type.String({ maxLength: 20, pattern: '^[a-z-]+$' }), { maxItems: 10 }),
      'How the browser reaches it, where it says so',
    ),
  ),
});
export type NewPasskey = Static<typeof NewPasskey>;

export const Passkey = Type.Object(
  { id: Uuid, name: Type.String(), created_at: Timestamp, last_used_at: Nullable(Timestamp) },
  { title: 'Passkey' },
);
export type Passkey = Static<typeof Passkey>;

export const SecondFactor = Type.Object(
  {
    is_on: Type.Boolean({ description: 'Whether signing in with the password asks for a second step' }),
    totp_since: Nullable(Timestamp),
    passkeys: Type.Array(Passkey),
    recovery_codes_left: Type.Integer(),
    can_have_passkeys: Type.Boolean({
      description: 'False where the platform is reached by an address that is no name',
    }),
  },
  { title: 'SecondFactor' },
);
export type SecondFactor = Static<typeof SecondFactor>;

export const NewTotp = Type.Object(
  {
    secret: Type.String({ description: 'In base32, for those who type it' }),
    uri: Type.String({ description: 'What the QR code says' }),
  },
  { title: 'NewTotp' },
);
export type NewTotp = Static<typeof NewTotp>;

export const RecoveryCodes = Type.Object(
  { recovery_codes: Type.Array(Type.String({ description: 'Shown this once' })) },
  { title: 'RecoveryCodes' },
);
export type RecoveryCodes = Static<typeof RecoveryCodes>;

export const CreatedPasskey = Type.Object(
  { ...Passkey.properties, ...RecoveryCodes.properties },
  { title: 'CreatedPasskey' },
);

/** As with a wrong password: every 401 says how to sign in. */
const BEARER = { headers: { 'www-authenticate': 'Bearer' } };
export const stepOver = failure('auth.step_over', 409, 'This took too long or was tried too often; sign in again.');
export const wrongCode = failure('auth.wrong_code', 401, 'This code is not right, or it was used already.', BEARER);
export const tooManyCodes = failure(
  'auth.too_many_codes',
  429,
  'Too many wrong codes for this account. Wait, or use a passkey or a recovery code.',
);
export const passkeyRefused = failure(
  'auth.passkey_refused',
  401,
  'This passkey does not open an account here.',
  BEARER,
);
export const totpExists = failure('totp.exists', 409, 'An authenticator app is set up already; remove it first.');
export const totpMissing = failure('totp.missing', 409, 'No authenticator app is being set up.');
export const totpWrong = failure('totp.wrong_code', 409, 'This code is not right. Is the clock of your device right?');
export const passkeyNotFound = failure('passkey.not_found', 404, 'There is no such passkey.');
export const passkeyInvalid = failure('passkey.invalid', 409, 'This passkey could not be added; try once more.');
export const passkeysFull = failure('passkey.too_many', 409, 'You have twenty passkeys; remove one first.');
export const noSecondFactor = failure('second_factor.off', 409, 'Set up an authenticator app or a passkey first.');
