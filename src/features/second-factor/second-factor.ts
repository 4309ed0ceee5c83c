import type { Db } from '#core/db/database.ts';
import type { Services } from '#core/services.ts';
import type { User } from '#features/user/user.ts';
import {
  type Challenge,
  type ChallengePurpose,
  deleteChallengesOf,
  endChallenge,
  insertChallenge,
  tryChallenge,
} from './challenge.sql.ts';
import { canHavePasskeys, creationOptions, requestOptions, verifyAnswer, verifyCreation } from './passkey.ts';
import { hashRecoveryCode, newRecoveryCodes } from './recovery-code.ts';
import {
  type NewPasskey,
  type NewTotp,
  type Passkey,
  type PasskeyAnswer,
  passkeyInvalid,
  passkeysFull,
  type SecondFactor,
  type SecondStep,
  stepOver,
  totpExists,
  totpMissing,
  totpWrong,
} from './second-factor.schema.ts';
import {
  countRecoveryCodes,
  deleteFactors,
  deletePasskey,
  deleteTotp,
  findPasskey,
  findTotp,
  hasFactor,
  insertPasskey,
  notePasskeyUse,
  passkeysOf,
  putTotpDraft,
  replaceRecoveryCodes,
  type StoredPasskey,
  shareUser,
  takeRecoveryCode,
  takeTotpStep,
} from './second-factor.sql.ts';
import { base32, newTotpSecret, stepOfCode, totpUri } from './totp.ts';

export * from './second-factor.schema.ts';
/**
 * What people sign in with besides their password: codes by the clock, passkeys, and recovery codes for when both are lost. This
 * knows no session: credential asks it at every way in, account-security sets it up.
 */
export { countTotpTry, giveBackTotpTry } from './second-factor.sql.ts';
export type { Challenge };
export { deleteChallengesOf, endChallenge };

const ISSUER = 'Siteyard';
const PURPOSE = 'sign-in challenge';
const STEP_SECONDS = 10 * 60;
const MAX_TRIES = 5;
const MAX_PASSKEYS = 20;

/** Whether a password alone lets somebody in. The answer holds until the transaction ends. */
export async function needsSecondStep(db: Db, userId: string): Promise<boolean> {
  await shareUser(db, userId);
  return hasFactor(db, userId);
}

export async function beginSecondStep(db: Db, services: Services, userId: string): Promise<SecondStep> {
  const passkeys = await passkeysOf(db, userId);
  const totp = await findTotp(db, userId);
  const asked = passkeys.length > 0 ? await requestOptions(services, passkeys) : undefined;
  const methods: SecondStep['methods'] = [
    ...(passkeys.length > 0 ? (['passkey'] as const) : []),
    ...(totp?.confirmed_at ? (['totp'] as const) : []),
    ...((await countRecoveryCodes(db, userId)) > 0 ? (['recovery_code'] as const) : []),
  ];
  const challenge = await newChallenge(db, services, { userId, purpose: 'second_step', nonce: asked?.nonce ?? '' });
  return { challenge, methods, passkey_options: asked?.options ?? null };
}

/** A step that waits for an answer, with one try less. */
export async function requireChallenge(
  db: Db,
  { secrets }: Services,
  token: string,
  purpose: ChallengePurpose,
): Promise<Challenge> {
  const id = secrets.readSignedId(PURPOSE, token);
  const challenge = id && (await tryChallenge(db, id, purpose, MAX_TRIES));
  if (!challenge) throw stepOver();
  return challenge;
}

/** Uses a code of the app up; false where it is wrong, or was used. */
export async function spendTotp(db: Db, { secrets }: Services, userId: string, code: string): Promise<boolean> {
  const totp = await findTotp(db, userId);
  if (!totp?.confirmed_at) return false;
  const step = stepOfCode(secrets.open(totp.secret_sealed), code, Date.now());
  return step !== undefined && (await takeTotpStep(db, userId, step));
}

export function spendRecoveryCode(db: Db, { secrets }: Services, userId: string, code: string): Promise<boolean> {
  return takeRecoveryCode(db, userId, hashRecoveryCode(secrets, code));
}

/** Whose passkey answered; undefined where it is nobody's, another person's than the challenge's, or the answer is wrong. */
export async function spendPasskey(
  db: Db,
  services: Services,
  { user_id, nonce }: Challenge,
  answer: PasskeyAnswer,
): Promise<string | undefined> {
  const passkey = await findPasskey(db, answer.credential_id);
  if (!passkey || (user_id !== null && passkey.user_id !== user_id)) return undefined;
  const counter = await verifyAnswer(services, { nonce, passkey, asOnlyStep: user_id === null }, answer);
  if (counter === undefined || !(await notePasskeyUse(db, passkey.id, counter))) return undefined;
  return passkey.user_id;
}

export async function beginPasskeySignIn(
  db: Db,
  services: Services,
): Promise<{ challenge: string; options: Record<string, unknown> }> {
  const { nonce, options } = await requestOptions(services, undefined);
  return { challenge: await newChallenge(db, services, { userId: null, purpose: 'passkey_sign_in', nonce }), options };
}

export const hasTotp = async (db: Db, userId: string): Promise<boolean> => (await findTotp(db, userId)) !== undefined;

export async function describeSecondFactor(db: Db, services: Services, userId: string): Promise<SecondFactor> {
  const [totp, passkeys, left] = [
    await findTotp(db, userId),
    await passkeysOf(db, userId),
    await countRecoveryCodes(db, userId),
  ];
  const totp_since = totp?.confirmed_at ?? null;
  return {
    is_on: totp_since !== null || passkeys.length > 0,
    totp_since,
    passkeys: passkeys.map(toPasskey),
    recovery_codes_left: left,
    can_have_passkeys: canHavePasskeys(services),
  };
}

const toPasskey = ({ id, name, created_at, last_used_at }: StoredPasskey): Passkey => ({
  id,
  name,
  created_at,
  last_used_at,
});

export async function draftTotp(db: Db, { secrets }: Services, person: User): Promise<NewTotp> {
  const secret = newTotpSecret();
  if (!(await putTotpDraft(db, person.id, secrets.seal(secret)))) throw totpExists();
  return { secret: base32(secret), uri: totpUri(secret, ISSUER, person.email) };
}

/** The first code shows that the app has the secret, and counts as used. */
export async function confirmTotp(db: Db, { secrets }: Services, userId: string, code: string): Promise<void> {
  const totp = await findTotp(db, userId);
  if (!totp || totp.confirmed_at) throw totpMissing();
  const step = stepOfCode(secrets.open(totp.secret_sealed), code, Date.now());
  if (step === undefined || !(await takeTotpStep(db, userId, step))) throw totpWrong();
}

export async function beginPasskey(
  db: Db,
  services: Services,
  person: User,
): Promise<{ challenge: string; options: Record<string, unknown> }> {
  const existing = await passkeysOf(db, person.id);
  if (existing.length >= MAX_PASSKEYS) throw passkeysFull();
  const { nonce, options } = await creationOptions(services, person, existing);
  return { challenge: await newChallenge(db, services, { userId: person.id, purpose: 'new_passkey', nonce }), options };
}

export async function addPasskey(db: Db, services: Services, userId: string, input: NewPasskey): Promise<Passkey> {
  const challenge = await requireChallenge(db, services, input.challenge, 'new_passkey');
  // Many may have been begun at once. Whoever calls holds the person.
  if ((await passkeysOf(db, userId)).length >= MAX_PASSKEYS) throw passkeysFull();
  const made = challenge.user_id === userId ? await verifyCreation(services, challenge.nonce, input) : undefined;
  const name = input.name.trim();
  const passkey = made && (await insertPasskey(db, { ...made, user_id: userId, name }));
  if (!passkey) throw passkeyInvalid();
  await endChallenge(db, challenge.id);
  return passkey;
}

export async function renewRecoveryCodes(db: Db, { secrets }: Services, userId: string): Promise<string[]> {
  const codes = newRecoveryCodes();
  await replaceRecoveryCodes(
    db,
    userId,
    codes.map((code) => hashRecoveryCode(secrets, code)),
  );
  return codes;
}

export const removeTotp = async (db: Db, userId: string): Promise<boolean> =>
  (await deleteTotp(db, userId)) && dropUselessCodes(db, userId);

export const removePasskey = async (db: Db, userId: string, id: string): Promise<boolean> =>
  (await deletePasskey(db, userId, id)) && dropUselessCodes(db, userId);

/** What they have added since a moment, or all of it; how many there were. */
export async function removeFactors(db: Db, userId: string, since?: Date): Promise<number> {
  const count = await deleteFactors(db, userId, since);
  await dropUselessCodes(db, userId);
  return count;
}

/** Recovery codes stand in for a factor; without one they would open nothing and only be shown as left. */
async function dropUselessCodes(db: Db, userId: string): Promise<true> {
  if (!(await hasFactor(db, userId))) await replaceRecoveryCodes(db, userId, []);
  return true;
}

async function newChallenge(
  db: Db,
  { secrets }: Services,
  challenge: { userId: string | null; purpose: ChallengePurpose; nonce: string },
): Promise<string> {
  return secrets.signId(PURPOSE, await insertChallenge(db, challenge, STEP_SECONDS));
}
