import { createHmac, randomInt } from 'node:crypto';
import { isInTeam, type Scope } from '#core/auth/caller.ts';
import { hashToken, newToken } from '#core/auth/tokens.ts';
import { inTransaction } from '#core/db/database.ts';
import type { Call } from '#core/http/operation.ts';
import { addressKey } from '#core/http/rate-limits.ts';
import { programName } from '#core/program-name.ts';
import type { Services } from '#core/services.ts';
import { countFailures, createApiToken, requireFreeToken, requireValidWish } from '#features/credential/credential.ts';
import {
  type Confirmation,
  codeExpired,
  type DeviceCodes,
  type DeviceGrant,
  type DeviceSignIn,
  invalidCode,
  type NewDeviceSignIn,
  pending,
  refused,
  slowDown,
  tooManyWrongCodes,
  unknownUserCode,
} from './device-sign-in.schema.ts';
import { answerSignIn, findPending, insertSignIn, pollSignIn, takeSignIn } from './device-sign-in.sql.ts';

const LIFETIME_SECONDS = 15 * 60;
const INTERVAL_SECONDS = 2;
/** No vowels, so that no word comes out, and nothing that looks like something else. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;

export async function beginSignIn({
  db,
  services,
  body,
  ip,
}: Call<unknown, unknown, NewDeviceSignIn>): Promise<DeviceCodes> {
  const deviceCode = newToken();
  const row = {
    device_code_hash: hashToken(deviceCode),
    client_name: programName(body.client_name, 'A program'),
    ip,
    interval_seconds: INTERVAL_SECONDS,
  };
  let userCode = newUserCode();
  // One in 26 thousand million is taken already, and then another is not.
  while (
    !(await insertSignIn(
      db,
      { ...row, user_code_hash: hashUserCode(services, userCode)[0] as Buffer },
      LIFETIME_SECONDS,
    ))
  )
    userCode = newUserCode();
  return {
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: `${services.config.baseUrl}/device`,
    expires_in: LIFETIME_SECONDS,
    interval: INTERVAL_SECONDS,
  };
}

/** What waits for this code. Wrong ones are counted, by the person and by the address. */
export async function inspectSignIn(
  { db, services, caller, ip }: Call,
  userCode: string,
): Promise<DeviceSignIn & { device_code_hash: Buffer }> {
  const counted = [caller.userId, addressKey(ip)].map((key) => ['failedDeviceCode', key] as const);
  const find = () => findPending(db, hashUserCode(services, userCode));
  const found = await countFailures(services, counted, find, tooManyWrongCodes);
  if (!found) throw unknownUserCode();
  return found;
}

export async function confirmSignIn(call: Call<unknown, unknown, Confirmation>): Promise<void> {
  const { db, caller, body } = call;
  const { device_code_hash } = await inspectSignIn(call, body.user_code);
  const wish = requireValidWish(caller, body);
  await requireFreeToken(db, caller);
  const answer = {
    state: 'confirmed' as const,
    session_id: caller.credential.id,
    scopes: body.scopes,
    team_id: wish.team_id,
    token_expires_at: wish.expires_at,
  };
  if (!(await answerSignIn(db, device_code_hash, answer))) throw unknownUserCode();
}

export async function refuseSignIn(call: Call<unknown, unknown, { user_code: string }>): Promise<void> {
  const { device_code_hash } = await inspectSignIn(call, call.body.user_code);
  if (!(await answerSignIn(call.db, device_code_hash, { state: 'refused' }))) throw unknownUserCode();
}

/** The token is made when the program asks for it, so that it is never kept. What it may is looked at anew. */
export async function exchangeCode({ services }: Call, deviceCode: string): Promise<DeviceGrant> {
  const { db, credentials } = services;
  const hash = hashToken(deviceCode);
  const found = await pollSignIn(db, hash);
  if (!found) throw invalidCode();
  if (found.is_expired) throw codeExpired();
  if (found.is_too_soon) throw slowDown();
  if (found.state === 'pending') throw pending();
  if (found.state === 'refused') {
    await takeSignIn(db, hash);
    throw refused();
  }
  const caller = await credentials.renew({ credential: { id: found.session_id as string } });
  const { client_name: name, scopes, team_id, token_expires_at } = found;
  if (!caller || (team_id && !isInTeam(caller, team_id))) throw invalidCode();
  return inTransaction(db, async (tx) => {
    if (!(await takeSignIn(tx, hash))) throw invalidCode();
    const made = await createApiToken(tx, caller, {
      name,
      scopes: scopes as Scope[],
      ...(team_id && { team_id }),
      ...(token_expires_at && { expires_at: token_expires_at.toISOString() }),
    });
    return {
      access_token: made.token,
      token_type: 'bearer',
      scope: made.scopes.join(' '),
      team_id: made.team_id,
      expires_at: made.expires_at,
    };
  });
}

function newUserCode(): string {
  const letters = Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  return `${letters.slice(0, LENGTH / 2)}-${letters.slice(LENGTH / 2)}`;
}

/** Under the key of today, and then under those before it. */
function hashUserCode({ secrets }: Services, code: string): Buffer[] {
  const plain = code.toUpperCase().replaceAll(/[^A-Z]/g, '');
  return secrets.deriveAll('device sign-in code').map((key) => createHmac('sha256', key).update(plain).digest());
}
