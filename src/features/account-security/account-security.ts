import { rightsChanged } from '#core/auth/revocation.ts';
import type { Db } from '#core/db/database.ts';
import { bodyFault, invalid } from '#core/errors.ts';
import { recordEvent } from '#core/events/events.ts';
import type { Call } from '#core/http/operation.ts';
import type { Services } from '#core/services.ts';
import { checkOwnPassword, endOtherSessions, revokeCredentials } from '#features/credential/credential.ts';
import {
  addPasskey,
  confirmTotp,
  describeSecondFactor,
  type NewPasskey,
  noSecondFactor,
  type Passkey,
  passkeyNotFound,
  type RecoveryCodes,
  removeFactors,
  removePasskey,
  removeTotp,
  renewRecoveryCodes,
  totpMissing,
} from '#features/second-factor/second-factor.ts';
import { lockUser, type User } from '#features/user/user.ts';
import { type FactorChange, mailFactorChange, SENTENCES } from './account-security.jobs.ts';

/** Asked for before whatever would let somebody in, or keep somebody out. */
export async function requirePassword({ db, services, caller }: Call, password: string): Promise<void> {
  if (!(await checkOwnPassword(db, services, caller, password)))
    throw invalid(bodyFault('current_password', 'Value error, this is not your password'));
}

export async function finishTotp(call: Call, code: string): Promise<RecoveryCodes> {
  return addingFactor(call, 'totp_added', async () => {
    await confirmTotp(call.db, call.services, call.caller.userId, code);
    return {};
  });
}

export async function finishPasskey(call: Call, input: NewPasskey): Promise<Passkey & RecoveryCodes> {
  return addingFactor(call, 'passkey_added', () => addPasskey(call.db, call.services, call.caller.userId, input));
}

/**
 * The first factor comes with recovery codes, and whoever got in without it is out. With the user's row locked: a sign-in at this moment waits,
 * and then needs the second step.
 */
async function addingFactor<Added>(
  call: Call,
  change: FactorChange,
  add: () => Promise<Added>,
): Promise<Added & RecoveryCodes> {
  const { db, services, caller } = call;
  await lockUser(db, caller.userId);
  const { is_on } = await describeSecondFactor(db, services, caller.userId);
  const added = await add();
  if (!is_on) await endOtherSessions(db, services, caller);
  await tell(db, services, { userId: caller.userId, change, from: call.ip });
  return { ...added, recovery_codes: is_on ? [] : await renewRecoveryCodes(db, services, caller.userId) };
}

export async function dropTotp({ db, services, caller, ip }: Call): Promise<void> {
  await lockUser(db, caller.userId);
  if (!(await removeTotp(db, caller.userId))) throw totpMissing();
  await tell(db, services, { userId: caller.userId, change: 'totp_removed', from: ip });
}

export async function dropPasskey({ db, services, caller, ip }: Call, id: string): Promise<void> {
  await lockUser(db, caller.userId);
  if (!(await removePasskey(db, caller.userId, id))) throw passkeyNotFound();
  await tell(db, services, { userId: caller.userId, change: 'passkey_removed', from: ip });
}

export async function makeRecoveryCodes({ db, services, caller, ip }: Call): Promise<RecoveryCodes> {
  await lockUser(db, caller.userId);
  const { is_on } = await describeSecondFactor(db, services, caller.userId);
  if (!is_on) throw noSecondFactor();
  const recovery_codes = await renewRecoveryCodes(db, services, caller.userId);
  await tell(db, services, { userId: caller.userId, change: 'codes_renewed', from: ip });
  return { recovery_codes };
}

/** For somebody who lost all: the password, or a link to reset it, is enough again. Every session ends: it may be a stranger who asks. */
export async function resetSecondFactor({ db, services, caller }: Call, person: User): Promise<User> {
  await lockUser(db, person.id);
  if ((await removeFactors(db, person.id)) === 0) throw noSecondFactor();
  await revokeCredentials(db, services, person.id);
  await recordEvent(db, {
    scope: 'account',
    event_type: 'account.second_factor_changed',
    activity: `${caller.fullName} removed the second factor of ${person.email}`,
    by: caller,
    item_id: person.id,
  });
  await tell(db, services, { userId: person.id, change: 'reset', from: null });
  return person;
}

/** In their activity, and by mail. */
async function tell(
  db: Db,
  services: Services,
  { userId, change, from }: { userId: string; change: FactorChange; from: string | null },
): Promise<void> {
  await recordEvent(db, {
    scope: 'account',
    event_type: 'account.second_factor_changed',
    activity: SENTENCES[change],
    by: { userId },
    item_id: userId,
  });
  rightsChanged(db, services, userId);
  await services.jobs.enqueue(db, mailFactorChange, { userId, change, from, at: new Date().toISOString() });
}
