import type { Caller } from '#core/auth/caller.ts';
import { hashPassword } from '#core/auth/password.ts';
import { rightsChanged } from '#core/auth/revocation.ts';
import { askTogether, type Db } from '#core/db/database.ts';
import { bodyFault, invalid } from '#core/errors.ts';
import { recordEvent } from '#core/events/events.ts';
import { tooMany } from '#core/http/failures.ts';
import type { Call } from '#core/http/operation.ts';
import { countedAddress } from '#core/http/rate-limits.ts';
import type { Services } from '#core/services.ts';
import {
  checkOwnPassword,
  countFailures,
  enter,
  rememberDevice,
  revokeCredentials,
  startSession,
} from '#features/credential/credential.ts';
import { holdRegion, listRegions } from '#features/region/region.ts';
import { removeFactors } from '#features/second-factor/second-factor.ts';
import { createTeam, lockOwnedTeams } from '#features/team/team.ts';
import {
  findDefaultRegion,
  findSignIn,
  findUser,
  findUserIfAny,
  hasOperator,
  insertUser,
  lockUser,
  type User,
  updateUser,
} from '#features/user/user.ts';
import { mailLink } from './account.jobs.ts';
import {
  emailTaken,
  type LinkAnswer,
  linkInvalid,
  type Me,
  operatorStays,
  type ProfileChange,
  type Registration,
  tooManyMails,
} from './account.schema.ts';
import {
  consumeMailedLink,
  insertMailedLink,
  type LinkPurpose,
  retireMailedLinks,
  secondsUntilLink,
} from './account.sql.ts';
import { findPendingEmail, isHeld } from './email-change.sql.ts';
import { removeContents } from './take-over.ts';

const LINK_HOURS: Record<LinkPurpose, number> = { verify_email: 72, password_reset: 2 };
/** Anybody can ask for them, and they may go to a stranger. Each mail to verify an address has a link to reset besides. */
const LINKS_PER_HOUR: Record<LinkPurpose, number> = { verify_email: 5, password_reset: 10 };

/**
 * Registers an account. A uniform response would hide nothing, because a sign-in right after it reveals whether the
 * account is new. Instead, the number of registered addresses that one client can discover is limited: beyond it, the
 * request is rejected with 429.
 */
export async function register(
  { db, services, body, ip }: Call<unknown, unknown, Registration>,
  passwordHash: string,
): Promise<User> {
  const counted = [['takenAddress', countedAddress('takenAddress', ip)]] as const;
  const user = await countFailures(services, counted, () => createAccount(db, services, body, passwordHash), tooMany);
  if (!user)
    throw emailTaken({
      message: `${emailTaken.sentence} Sign in, or set a new password with a link that we mail to it.`,
    });
  return user;
}

/** Returns undefined if the address is registered already; the caller must then roll back. */
async function createAccount(
  db: Db,
  services: Services,
  input: Registration,
  passwordHash: string,
): Promise<User | undefined> {
  const email = input.email.toLowerCase();
  const user = await insertUser(db, {
    email,
    password_hash: passwordHash,
    first_name: input.first_name.trim(),
    last_name: input.last_name.trim(),
  });
  // Asked afterwards: whoever left the address at this moment was waited for, and has a way back to it.
  if (!user || (await isHeld(db, email))) return undefined;
  await createTeam(db, { owner: user, name: `${user.first_name}'s team`, isDefault: true });
  await recordEvent(db, {
    scope: 'account',
    event_type: 'account.registered',
    activity: `${user.full_name} registered`,
    by: { userId: user.id },
  });
  await sendLink(db, services, user.id, 'verify_email');
  return user;
}

/** The first operator, at the first start. */
export async function createOperator(db: Db, email: string, password: string): Promise<boolean> {
  if (await hasOperator(db)) return false;
  const names = { first_name: 'Platform', last_name: 'Operator' };
  const user = await insertUser(db, {
    email,
    password_hash: await hashPassword(password),
    ...names,
    is_superuser: true,
    is_verified: true,
  });
  if (!user) return false;
  await createTeam(db, { owner: user, name: 'Platform', isDefault: true, plan: 'business' });
  return true;
}

/**
 * A mail that asks somebody to confirm the address tells them as well how to end an account that is none of theirs. Answers
 * in how many seconds it may go out where it does not now, for there were several within an hour.
 */
export async function sendLink(
  db: Db,
  services: Services,
  userId: string,
  purpose: LinkPurpose,
): Promise<number | undefined> {
  const perHour = Math.ceil(LINKS_PER_HOUR[purpose] * services.config.rateLimitFactor);
  const seconds = perHour > 0 ? await secondsUntilLink(db, userId, purpose, perHour) : undefined;
  if (seconds !== undefined) return seconds;
  const link = (which: LinkPurpose) => insertMailedLink(db, userId, which, LINK_HOURS[purpose]);
  const linkId = await link(purpose);
  const reset = purpose === 'verify_email' ? { resetLinkId: await link('password_reset') } : {};
  await services.jobs.enqueue(db, mailLink, { linkId, ...reset });
  return undefined;
}

export async function sendVerification(db: Db, services: Services, caller: Caller): Promise<void> {
  if (caller.isVerified) return;
  const seconds = await sendLink(db, services, caller.userId, 'verify_email');
  if (seconds !== undefined) throw tooManyMails({ headers: { 'retry-after': String(Math.max(1, seconds)) } });
}

/** Answers whose address is verified now. Older sessions end: whoever made the account may not be whom the mail reached. */
export async function verifyEmail(db: Db, services: Services, token: string): Promise<string> {
  const userId = await consumeLink(db, services, token, 'verify_email');
  await endCredentials(db, services, userId);
  // The one that came with it, for whoever had not made the account, would otherwise be good for days.
  await retireMailedLinks(db, userId, 'password_reset');
  await updateUser(db, userId, { is_verified: true });
  return userId;
}

/** Says nothing of whether the address has an account, nor of whether it has had mails enough. */
export async function requestPasswordReset(db: Db, services: Services, email: string): Promise<void> {
  const account = await findSignIn(db, email.toLowerCase());
  if (account?.is_active) await sendLink(db, services, account.id, 'password_reset');
}

/**
 * Whoever could read the mail owns the address. Where nobody ever showed that before, what was made in their name goes too,
 * unless they say that they made it.
 */
export async function resetPassword(
  call: Call,
  { token, passwordHash, keepsContents }: { token: string; passwordHash: string; keepsContents: boolean },
): Promise<LinkAnswer> {
  const { db, services } = call;
  const userId = await consumeLink(db, services, token, 'password_reset');
  const { is_verified } = await findUser(db, userId);
  const takesOver = !is_verified && !keepsContents;
  // Before the user's row, as everybody locks them.
  if (takesOver) await lockOwnedTeams(db, userId);
  await endCredentials(db, services, userId);
  await retireMailedLinks(db, userId, 'verify_email');
  await updateUser(db, userId, { password_hash: passwordHash, is_verified: true });
  if (!takesOver) return enter(call, userId);
  // Nobody had shown that the account is theirs, so a factor of it would be a stranger's.
  await removeFactors(db, userId);
  const grant = await startSession(call, userId);
  const owner = await services.credentials.resolve(grant.access_token, db);
  if (owner) await removeContents(db, services, owner);
  return grant;
}

async function consumeLink(db: Db, services: Services, token: string, purpose: LinkPurpose): Promise<string> {
  const linkId = services.secrets.readSignedId(purpose, token);
  const userId = linkId && (await consumeMailedLink(db, linkId, purpose));
  // Whoever is blocked learns nothing else than that the link serves no more.
  if (!userId || !(await findUser(db, userId)).is_active) throw linkInvalid();
  await retireMailedLinks(db, userId, purpose);
  return userId;
}

/** With the user's row locked: a credential that is made at this moment waits, and then finds itself ended too. */
export async function endCredentials(db: Db, services: Services, userId: string): Promise<void> {
  await lockUser(db, userId);
  await revokeCredentials(db, services, userId);
}

/** Who is blocked is out at once, everywhere, and stays out; their teams go on. */
export async function blockUser(
  db: Db,
  services: Services,
  caller: Caller,
  person: User,
  isActive: boolean,
): Promise<User> {
  if (person.id === caller.userId) throw operatorStays();
  if (person.is_active === isActive) return person;
  await updateUser(db, person.id, { is_active: isActive });
  await revokeCredentials(db, services, person.id);
  await recordEvent(db, {
    scope: 'account',
    event_type: isActive ? 'account.unblocked' : 'account.blocked',
    activity: isActive ? 'The platform let you in again' : 'The platform blocked your account',
    // What happens to an account is shown to whose it is.
    by: { userId: person.id },
    item_id: person.id,
  });
  return findUser(db, person.id);
}

export async function getMe(db: Db, { userId, viewedBy, credential }: Caller): Promise<Me> {
  const [user, region, pendingEmail, operator] = await askTogether(
    db,
    () => findUser(db, userId),
    () => findDefaultRegion(db, userId),
    () => findPendingEmail(db, userId),
    async () => viewedBy && findUserIfAny(db, viewedBy),
  );
  const view = operator ? { operator_name: operator.full_name, expires_at: credential.expiresAt as Date } : null;
  return { ...user, default_region: region?.name ?? null, pending_email: pendingEmail ?? null, view };
}

/** Checks the current password and hashes the new one; undefined when the password stays. */
export async function checkPasswordChange(
  db: Db,
  services: Services,
  caller: Caller,
  { current_password, new_password }: ProfileChange,
): Promise<string | undefined> {
  if (new_password === undefined) return undefined;
  if (current_password === undefined) throw invalid(bodyFault('current_password', 'Field required', 'missing'));
  const matches = await checkOwnPassword(db, services, caller, current_password);
  if (!matches) throw invalid(bodyFault('current_password', 'Value error, this is not your password'));
  return hashPassword(new_password);
}

export async function updateMe(
  call: Call,
  { first_name, last_name, default_region }: ProfileChange,
  passwordHash: string | undefined,
): Promise<Me> {
  const { db, services, caller } = call;
  const regionId = typeof default_region === 'string' ? await holdRegionCalled(db, default_region) : null;
  if (passwordHash !== undefined) {
    await revokeCredentials(db, services, caller.userId, { except: caller.credential.id });
    // Of an address that nobody confirmed they are the true owner's way in, and the password is not theirs.
    if (caller.isVerified) await retireMailedLinks(db, caller.userId, 'password_reset');
  }
  await updateUser(db, caller.userId, {
    ...(first_name !== undefined && { first_name: first_name.trim() }),
    ...(last_name !== undefined && { last_name: last_name.trim() }),
    ...(passwordHash !== undefined && { password_hash: passwordHash }),
    ...(default_region !== undefined && { default_region_id: regionId }),
  });
  if (passwordHash !== undefined) await rememberDevice(call, caller.userId);
  rightsChanged(db, services, caller.userId);
  return getMe(db, caller);
}

/** The id of a region that stays until the transaction ends. */
async function holdRegionCalled(db: Db, name: string): Promise<number> {
  const region = (await listRegions(db)).find((candidate) => candidate.name === name);
  if (!region || !(await holdRegion(db, region.id)))
    throw invalid(bodyFault('default_region', 'Value error, there is no region of this name'));
  return region.id;
}
