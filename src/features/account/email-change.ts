import { randomBytes } from 'node:crypto';
import { hashPassword } from '#core/auth/password.ts';
import { rightsChanged } from '#core/auth/revocation.ts';
import type { Db } from '#core/db/database.ts';
import { bodyFault, invalid } from '#core/errors.ts';
import { recordEvent } from '#core/events/events.ts';
import type { Call } from '#core/http/operation.ts';
import { checkOwnPassword, endOtherSessions } from '#features/credential/credential.ts';
import { removeFactors } from '#features/second-factor/second-factor.ts';
import { findSignIn, findUser, lockUser, updateUser } from '#features/user/user.ts';
import { emailTaken, linkInvalid, type Me, tooManyMails } from './account.schema.ts';
import { retireMailedLinks } from './account.sql.ts';
import { endCredentials, getMe, sendLink } from './account.ts';
import { CONFIRM_PURPOSE, mailNewAddress, mailOldAddress, REVERT_PURPOSE } from './email-change.jobs.ts';
import {
  confirmChange,
  countRecentChanges,
  insertEmailChange,
  isHeld,
  revertChange,
  voidLaterChanges,
} from './email-change.sql.ts';

const VALID_HOURS = 24;
const CHANGES_PER_HOUR = 5;

/** Whoever finds an open session must not be able to take the account with it. */
export async function requireOwnPassword({ db, services, caller }: Call, password: string): Promise<void> {
  if (!(await checkOwnPassword(db, services, caller, password)))
    throw invalid(bodyFault('current_password', 'Value error, this is not your password'));
}

/** Nothing changes until the link that goes to the new address is used. */
export async function changeEmail({ db, services, caller }: Call, email: string): Promise<Me> {
  const newEmail = email.toLowerCase();
  await lockUser(db, caller.userId);
  const { email: oldEmail } = await findUser(db, caller.userId);
  if (newEmail === oldEmail) throw invalid(bodyFault('email', 'Value error, this is your address already'));
  await requireFree(db, newEmail);
  const perHour = Math.ceil(CHANGES_PER_HOUR * services.config.rateLimitFactor);
  if (perHour > 0 && (await countRecentChanges(db, caller.userId)) >= perHour)
    throw tooManyMails({ headers: { 'retry-after': '3600' } });
  const change = { user_id: caller.userId, old_email: oldEmail, new_email: newEmail };
  const changeId = await insertEmailChange(db, change, VALID_HOURS);
  await services.jobs.enqueue(db, mailNewAddress, { changeId });
  return getMe(db, caller);
}

/**
 * For whoever is signed in to the account alone: somebody who follows a link in a mail about a stranger's account gives that stranger nothing.
 */
export async function confirmEmail(call: Call, token: string): Promise<Me> {
  const { db, services, caller } = call;
  const id = services.secrets.readSignedId(CONFIRM_PURPOSE, token);
  await lockUser(db, caller.userId);
  const change = id && (await confirmChange(db, id, caller.userId));
  const before = await findUser(db, caller.userId);
  if (!change || before.email !== change.old_email) throw linkInvalid();
  await requireFree(db, change.new_email);
  await moveTo(db, caller.userId, change.new_email);
  // Once more: whoever left the address at this moment was waited for, and has a way back to it.
  if (await isHeld(db, change.new_email)) throw emailTaken();
  // Whoever had never confirmed the address before may not have had it: then others may be signed in who are not the same.
  if (!before.is_verified) await endOtherSessions(db, services, caller);
  else await services.jobs.enqueue(db, mailOldAddress, { changeId: change.id });
  await recordChange(db, caller.userId, `The email address was changed to ${change.new_email}`);
  rightsChanged(db, services, caller.userId);
  return getMe(db, caller);
}

/** A password that nobody has, until the one whose address it is sets theirs. */
export const unknownPassword = (): Promise<string> => hashPassword(randomBytes(32).toString('base64url'));

/**
 * Whoever reads the mail of the address before says that it was not them: the account is theirs again, whoever changed it is out, and so is
 * what they set up to come in by since.
 */
export async function takeEmailBack({ db, services }: Call, token: string, passwordHash: string): Promise<void> {
  const id = services.secrets.readSignedId(REVERT_PURPOSE, token);
  const change = id && (await revertChange(db, id));
  if (!change) throw linkInvalid();
  await endCredentials(db, services, change.user_id);
  await voidLaterChanges(db, change);
  await removeFactors(db, change.user_id, change.created_at);
  await moveTo(db, change.user_id, change.old_email);
  await updateUser(db, change.user_id, { password_hash: passwordHash });
  await sendLink(db, services, change.user_id, 'password_reset');
  await recordChange(db, change.user_id, `The email address is ${change.old_email} again`);
}

/** Links that were mailed to the address before open nothing any more. */
async function moveTo(db: Db, userId: string, email: string): Promise<void> {
  await retireMailedLinks(db, userId, 'verify_email');
  await retireMailedLinks(db, userId, 'password_reset');
  await updateUser(db, userId, { email, is_verified: true });
}

async function requireFree(db: Db, email: string): Promise<void> {
  if ((await findSignIn(db, email)) || (await isHeld(db, email))) throw emailTaken();
}

const recordChange = (db: Db, userId: string, activity: string) =>
  recordEvent(db, { scope: 'account', event_type: 'account.email_changed', activity, by: { userId }, item_id: userId });
