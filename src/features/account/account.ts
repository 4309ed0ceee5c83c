import type { Caller } from '#core/auth/caller.ts';
import { checkPassword, hashPassword } from '#core/auth/password.ts';
import { rightsChanged } from '#core/auth/revocation.ts';
import type { Db } from '#core/db/database.ts';
import { bodyFault, invalid } from '#core/errors.ts';
import { recordEvent } from '#core/events/events.ts';
import type { Services } from '#core/services.ts';
import { countFailures, revokeCredentials } from '#features/credential/credential.ts';
import { holdRegion, listRegions } from '#features/region/region.ts';
import { createTeam } from '#features/team/team.ts';
import {
  findDefaultRegion,
  findSignIn,
  findUser,
  hasOperator,
  insertUser,
  passwordHashOf,
  type User,
  updateUser,
} from '#features/user/user.ts';
import { mailLink } from './account.jobs.ts';
import { emailTaken, linkInvalid, type Me, type ProfileChange, type Registration } from './account.schema.ts';
import { consumeMailedLink, insertMailedLink, type LinkPurpose, retireMailedLinks } from './account.sql.ts';

const LINK_HOURS: Record<LinkPurpose, number> = { verify_email: 72, password_reset: 2 };

export async function register(db: Db, services: Services, input: Registration, passwordHash: string): Promise<User> {
  const email = input.email.toLowerCase();
  const user = await insertUser(db, {
    email,
    password_hash: passwordHash,
    first_name: input.first_name.trim(),
    last_name: input.last_name.trim(),
  });
  if (!user) throw emailTaken();
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
  await createTeam(db, { owner: user, name: 'Platform', isDefault: true });
  return true;
}

export async function sendLink(db: Db, services: Services, userId: string, purpose: LinkPurpose): Promise<void> {
  const linkId = await insertMailedLink(db, userId, purpose, LINK_HOURS[purpose]);
  await services.jobs.enqueue(db, mailLink, { linkId });
}

/** Answers whose address is verified now. Older sessions end: whoever made the account may not be whom the mail reached. */
export async function verifyEmail(db: Db, services: Services, token: string): Promise<string> {
  const userId = await consumeLink(db, services, token, 'verify_email');
  await updateUser(db, userId, { is_verified: true });
  return userId;
}

/** Says nothing of whether the address has an account. */
export async function requestPasswordReset(db: Db, services: Services, email: string): Promise<void> {
  const account = await findSignIn(db, email.toLowerCase());
  if (account?.is_active) await sendLink(db, services, account.id, 'password_reset');
}

export async function resetPassword(db: Db, services: Services, token: string, passwordHash: string): Promise<string> {
  const userId = await consumeLink(db, services, token, 'password_reset');
  // Whoever could read the mail owns the address.
  await updateUser(db, userId, { password_hash: passwordHash, is_verified: true });
  return userId;
}

async function consumeLink(db: Db, services: Services, token: string, purpose: LinkPurpose): Promise<string> {
  const linkId = services.secrets.readSignedId(purpose, token);
  const userId = linkId && (await consumeMailedLink(db, linkId, purpose));
  if (!userId) throw linkInvalid();
  await retireMailedLinks(db, userId, purpose);
  await revokeCredentials(db, services, userId);
  return userId;
}

export async function getMe(db: Db, userId: string): Promise<Me> {
  const region = await findDefaultRegion(db, userId);
  return { ...(await findUser(db, userId)), default_region: region?.name ?? null };
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
  // A stolen session must not be a way to guess the password either.
  const matches = await countFailures(services, caller.email, async () =>
    checkPassword(await passwordHashOf(db, caller.userId), current_password),
  );
  if (!matches) throw invalid(bodyFault('current_password', 'Value error, this is not your password'));
  return hashPassword(new_password);
}

export async function updateMe(
  db: Db,
  services: Services,
  caller: Caller,
  { first_name, last_name, default_region }: ProfileChange,
  passwordHash: string | undefined,
): Promise<Me> {
  const regionId = typeof default_region === 'string' ? await holdRegionCalled(db, default_region) : null;
  if (passwordHash !== undefined) {
    await revokeCredentials(db, services, caller.userId, { except: caller.credential.id });
    await retireMailedLinks(db, caller.userId, 'password_reset');
  }
  await updateUser(db, caller.userId, {
    ...(first_name !== undefined && { first_name: first_name.trim() }),
    ...(last_name !== undefined && { last_name: last_name.trim() }),
    ...(passwordHash !== undefined && { password_hash: passwordHash }),
    ...(default_region !== undefined && { default_region_id: regionId }),
  });
  rightsChanged(db, services, caller.userId);
  return getMe(db, caller.userId);
}

/** The id of a region that stays until the transaction ends. */
async function holdRegionCalled(db: Db, name: string): Promise<number> {
  const region = (await listRegions(db)).find((candidate) => candidate.name === name);
  if (!region || !(await holdRegion(db, region.id)))
    throw invalid(bodyFault('default_region', 'Value error, there is no region of this name'));
  return region.id;
}
