import { type Caller, isInTeam } from '#core/auth/caller.ts';
import { checkPassword } from '#core/auth/password.ts';
import { recheckRights, rightsChanged } from '#core/auth/revocation.ts';
import { hashToken, newToken } from '#core/auth/tokens.ts';
import { type Db, inTransaction } from '#core/db/database.ts';
import { bodyFault, type Failure, invalid } from '#core/errors.ts';
import { setCookie } from '#core/http/cookies.ts';
import type { Call } from '#core/http/operation.ts';
import { addressKey, type LimitName } from '#core/http/rate-limits.ts';
import type { Services } from '#core/services.ts';
import {
  beginSecondStep,
  deleteChallengesOf,
  needsSecondStep,
  type SecondStep,
} from '#features/second-factor/second-factor.ts';
import { findSignIn, passwordHashOf } from '#features/user/user.ts';
import {
  type ApiToken,
  accountBlocked,
  badSignIn,
  MAX_API_TOKENS,
  type NewApiToken,
  secondStepNeeded,
  type TokenGrant,
  tooManyApiTokens,
  tooManyFailures,
} from './credential.schema.ts';
import {
  countApiTokens,
  deleteCredentialByHash,
  deleteCredentialsOf,
  deleteSessionsOf,
  insertCredential,
} from './credential.sql.ts';
import { deviceCookie, readDevice } from './device.ts';

export { backTo, faultOfChallenge, issueCode, redeemCode } from './authorization-code.ts';
export { TokenGrant, tooManyApiTokens, tooManyFailures } from './credential.schema.ts';
export { deleteOwnCredential } from './credential.sql.ts';

const SESSION_SECONDS = 14 * 24 * 3600;

/** Signs in with a password. A failure looks the same and takes as long whether the account exists or not. */
export async function signIn(call: Call, username: string, password: string): Promise<TokenGrant> {
  const { db, services } = call;
  const email = username.trim().toLowerCase();
  const account = await findSignIn(db, email);
  const device = account && readDevice(services, account, call.device);
  const counted: Counted = device
    ? [['failedSignInOfDevice', device]]
    : [
        ['failedSignIn', `${email} ${addressKey(call.ip)}`],
        ['failedSignInOfAccount', email],
      ];
  const matches = await countFailures(services, counted, () => checkPassword(account?.password_hash, password));
  if (!account || !matches) throw wrongPassword();
  // Only whoever knows the password learns of it.
  if (!account.is_active)
    throw accountBlocked({ data: { ...OAUTH_REFUSAL, error_description: accountBlocked().message } });
  const entry = await inTransaction(services.db, async (tx) => {
    call.db = tx;
    const entered = await enter(call, account.id);
    // Another password may have been set while this one was checked, and ended every session but this.
    if ((await passwordHashOf(tx, account.id)) !== account.password_hash) throw wrongPassword();
    return entered;
  });
  if ('access_token' in entry) return entry;
  const needed = secondStepNeeded();
  throw secondStepNeeded({ data: { error: 'mfa_required', error_description: needed.message, ...entry } });
}

/**
 * The one way in for whoever has shown a password or a mailed link: a session, or, where the account has a second factor, what
 * is asked for next. Only what has passed that too starts a session by itself.
 */
export async function enter(call: Call, userId: string): Promise<TokenGrant | { second_step: SecondStep }> {
  const { db, services } = call;
  if (!(await needsSecondStep(db, userId))) return startSession(call, userId);
  return { second_step: await beginSecondStep(db, services, userId) };
}

const wrongPassword = () => badSignIn({ headers: { 'www-authenticate': 'Bearer' }, data: OAUTH_REFUSAL });

/** What a wrong password counts against. */
type Counted = readonly (readonly [LimitName, string])[];

/** Counts a try before it is made, and takes it back where it found something or could not be made: many at once are counted as many. */
export async function countFailures<Found>(
  { limits }: Services,
  counted: Counted,
  check: () => Promise<Found>,
  tooManyOf: Failure = tooManyFailures,
): Promise<Found> {
  // What is refused counts nowhere, so that one address alone never reaches the bound of the account.
  for (const [name, key] of counted) {
    const { exceeded, resetSeconds } = limits.peek(name, key);
    if (exceeded) throw tooManyOf({ headers: { 'retry-after': String(resetSeconds) } });
  }
  for (const [name, key] of counted) limits.take(name, key);
  let isFailure = false;
  try {
    const found = await check();
    isFailure = !found;
    return found;
  } finally {
    if (!isFailure) for (const [name, key] of counted) limits.giveBack(name, key);
  }
}

/**
 * Whether this is the password of whoever is signed in. Counted by the session: whoever stole one has its tries alone, from
 * however many addresses, and keeps nobody else out.
 */
export function checkOwnPassword(db: Db, services: Services, caller: Caller, password: string): Promise<boolean> {
  return countFailures(services, [['failedSignInOfDevice', caller.credential.id]], async () =>
    checkPassword(await passwordHashOf(db, caller.userId), password),
  );
}

const OAUTH_REFUSAL = { error: 'invalid_grant', error_description: 'The email address or the password is wrong.' };

/** The same token is the bearer's and the browser's: it is answered, and set as a cookie. */
export async function startSession(call: Call, userId: string): Promise<TokenGrant> {
  const { db, services } = call;
  const token = newToken();
  const expires_at = new Date(Date.now() + SESSION_SECONDS * 1000);
  const { id } = await insertCredential(db, {
    token_hash: hashToken(token),
    kind: 'session',
    user_id: userId,
    scopes: ['read', 'write', 'plan'],
    expires_at,
    user_agent: call.userAgent,
    ip: call.ip,
  });
  call.sessionId = id;
  call.cookies.push(sessionCookie(services, token, SESSION_SECONDS));
  await rememberDevice(call, userId);
  return { access_token: token, token_type: 'bearer', expires_in: SESSION_SECONDS };
}

/** From now on this browser is one that the account is known by. */
export async function rememberDevice({ db, services, device, cookies }: Call, userId: string): Promise<void> {
  const account = { id: userId, password_hash: await passwordHashOf(db, userId) };
  cookies.push(deviceCookie(services, account, readDevice(services, account, device)));
}

/** Ends every credential that came along; without one there is nothing to end. */
export async function signOut(call: Call): Promise<void> {
  const { db, services, tokens } = call;
  // A cookie that a foreign page made the browser send does not count, so it must not be cleared either.
  if (tokens.length > 0) call.cookies.push(sessionCookie(services, '', 0));
  for (const token of tokens) {
    const userId = await deleteCredentialByHash(db, hashToken(token));
    if (userId) rightsChanged(db, services, userId);
  }
}

const sessionCookie = ({ config }: Services, value: string, maxAgeSeconds: number) =>
  setCookie(config.baseUrl, 'session', value, { maxAgeSeconds, sameSite: 'Lax' });

/** A token that says who somebody is and opens nothing. */
export async function createMetricsToken(
  db: Db,
  userId: string,
  lifetimeSeconds: number,
): Promise<{ id: string; token: string }> {
  const token = newToken();
  const { id } = await insertCredential(db, {
    token_hash: hashToken(token),
    kind: 'metrics',
    user_id: userId,
    scopes: [],
    expires_at: new Date(Date.now() + lifetimeSeconds * 1000),
  });
  return { id, token };
}

/** Every session and token of a user ends, at once and everywhere. */
export async function revokeCredentials(
  db: Db,
  services: Services,
  userId: string,
  { except }: { except?: string } = {},
): Promise<void> {
  await deleteCredentialsOf(db, userId, except ?? null);
  await deleteChallengesOf(db, userId);
  rightsChanged(db, services, userId);
}

/** Every session of theirs but this one ends, at once and everywhere; tokens stay. */
export async function endOtherSessions(db: Db, services: Services, caller: Caller): Promise<void> {
  await deleteSessionsOf(db, caller.userId, caller.credential.id);
  await deleteChallengesOf(db, caller.userId);
  rightsChanged(db, services, caller.userId);
}

export async function createApiToken(
  db: Db,
  caller: Caller,
  input: NewApiToken,
): Promise<ApiToken & { token: string }> {
  const wish = requireValidWish(caller, input);
  await requireFreeToken(db, caller);
  const token = newToken();
  const record = await insertCredential(db, {
    token_hash: hashToken(token),
    kind: 'api_token',
    user_id: caller.userId,
    scopes: input.scopes,
    name: input.name.trim(),
    ...wish,
  });
  await recheckRights(db, caller);
  return { ...record, token };
}

/** Rejects if the account has as many API tokens as it can have. */
export async function requireFreeToken(db: Db, caller: Caller): Promise<void> {
  if ((await countApiTokens(db, caller.userId)) >= MAX_API_TOKENS) throw tooManyApiTokens();
}

/** How long a token is to be good, and for which team alone. */
export function requireValidWish(
  caller: Caller,
  input: Pick<NewApiToken, 'expires_at' | 'team_id'>,
): { expires_at: Date | null; team_id: string | null } {
  const expires_at = input.expires_at ? new Date(input.expires_at) : null;
  if (expires_at && expires_at <= new Date())
    throw invalid(bodyFault('expires_at', 'Value error, must lie in the future'));
  return { expires_at, team_id: requireOwnTeam(caller, input.team_id) };
}

/** The team that whoever gives a token binds it to; null is all of theirs. */
export function requireOwnTeam(caller: Caller, teamId: string | null = null): string | null {
  if (teamId !== null && !isInTeam(caller, teamId))
    throw invalid(bodyFault('team_id', 'Value error, you are in no such team'));
  return teamId;
}
