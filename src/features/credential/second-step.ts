import { inTransaction } from '#core/db/database.ts';
import { bodyFault, invalid } from '#core/errors.ts';
import type { Call } from '#core/http/operation.ts';
import { addressKey } from '#core/http/rate-limits.ts';
import type { Services } from '#core/services.ts';
import {
  type Challenge,
  countTotpTry,
  endChallenge,
  giveBackTotpTry,
  hasTotp,
  needsSecondStep,
  type PasskeyAnswer,
  passkeyRefused,
  requireChallenge,
  type SecondStepAnswer,
  spendPasskey,
  spendRecoveryCode,
  spendTotp,
  stepOver,
  tooManyCodes,
  wrongCode,
} from '#features/second-factor/second-factor.ts';
import { findUser } from '#features/user/user.ts';
import { accountBlocked, type TokenGrant } from './credential.schema.ts';
import { countFailures, startSession } from './credential.ts';
import { mailGuesses } from './second-step.jobs.ts';

/**
 * Six digits are few: with the password and these tries somebody has one chance in 460 a day. A passkey and the recovery codes can not be guessed,
 * and go on to work meanwhile.
 */
const CODES_PER_HOUR = 30;

/** The step after the password. Each try counts before it is made: of the sign-in, of the account and of the address. */
export async function passSecondStep(call: Call, answer: SecondStepAnswer): Promise<TokenGrant> {
  const { services } = call;
  const ways = [answer.code, answer.recovery_code, passkeyIn(answer)].filter((way) => way !== undefined);
  if (ways.length !== 1)
    throw invalid(
      bodyFault('code', 'Value error, one of a code, a recovery code and the answer of a passkey is needed'),
    );
  const challenge = await requireChallenge(services.db, services, answer.challenge, 'second_step');
  const userId = challenge.user_id as string;
  const ofAddress = ['failedSecondStep', `${userId} ${addressKey(call.ip)}`] as const;
  // What can not be guessed is not kept from its person by whoever guesses elsewhere.
  const counted = answer.code === undefined ? [ofAddress] : [ofAddress, ['failedSecondStepOfAccount', userId] as const];
  const check = async (): Promise<TokenGrant | undefined> => {
    if (answer.code !== undefined) await countCode(services, userId);
    const grant = await passed(call, challenge, (db) => show(db, services, challenge, answer));
    if (grant && answer.code !== undefined) await giveBackTotpTry(services.db, userId);
    return grant;
  };
  const grant = await countFailures(services, counted, check, tooManyCodes);
  if (!grant) throw wrongCode();
  return grant;
}

/** Undefined where a part of it is missing. */
function passkeyIn({ credential_id, client_data, authenticator_data, signature }: SecondStepAnswer) {
  return credential_id && client_data && authenticator_data && signature
    ? { credential_id, client_data, authenticator_data, signature }
    : undefined;
}

/** A passkey as the only step: it says who somebody is, and has asked them for a finger or a PIN. */
export async function signInWithPasskey(call: Call, token: string, answer: PasskeyAnswer): Promise<TokenGrant> {
  const { services } = call;
  const challenge = await requireChallenge(services.db, services, token, 'passkey_sign_in');
  const grant = await passed(call, challenge, (db) => spendPasskey(db, services, challenge, answer));
  if (!grant) throw passkeyRefused();
  return grant;
}

/** Whose account the answer opens, if any. */
async function show(
  db: Call['db'],
  services: Services,
  challenge: Challenge,
  answer: SecondStepAnswer,
): Promise<string | undefined> {
  const userId = challenge.user_id as string;
  const passkey = passkeyIn(answer);
  if (passkey) return spendPasskey(db, services, challenge, passkey);
  const isRight =
    answer.code !== undefined
      ? await spendTotp(db, services, userId, answer.code)
      : await spendRecoveryCode(db, services, userId, answer.recovery_code as string);
  return isRight ? userId : undefined;
}

/** What was shown is used up, the challenge ends and the session begins in one transaction, so each opens once. */
async function passed(
  call: Call,
  challenge: Challenge,
  use: (db: Call['db']) => Promise<string | undefined>,
): Promise<TokenGrant | undefined> {
  return inTransaction(call.services.db, async (tx) => {
    // The person first, as whoever ends their credentials locks them: two who wait for one another would both fail.
    if (challenge.user_id !== null && !(await needsSecondStep(tx, challenge.user_id))) throw stepOver();
    const userId = await use(tx);
    if (userId === undefined) return undefined;
    if (!(await endChallenge(tx, challenge.id))) throw stepOver();
    if (!(await findUser(tx, userId)).is_active) throw accountBlocked();
    call.db = tx;
    return startSession(call, userId);
  });
}

/** In the database, so that neither a new start nor a second process gives more tries. The person hears when they are used up. */
async function countCode({ db, jobs }: Services, userId: string): Promise<void> {
  const count = await countTotpTry(db, userId, CODES_PER_HOUR);
  if (count === CODES_PER_HOUR) await jobs.enqueue(db, mailGuesses, { userId });
  // Somebody without the app has no row to count in, and no code to guess.
  if (count === undefined && (await hasTotp(db, userId))) throw tooManyCodes();
}
