import { type Selectable, sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { DB } from '#core/db/schema.generated.ts';
import type { Passkey } from './second-factor.schema.ts';

export type StoredPasskey = Selectable<DB['passkeys']>;

/** Whoever adds the first factor waits for those who sign in at this moment, and they for them. */
export async function shareUser(db: Db, userId: string): Promise<void> {
  await sql`select from users where id = ${userId} for key share`.execute(db);
}

export async function hasFactor(db: Db, userId: string): Promise<boolean> {
  const { rows } = await sql`
    select where exists (select from totp_secrets where user_id = ${userId} and confirmed_at is not null)
      or exists (select from passkeys where user_id = ${userId})`.execute(db);
  return rows.length > 0;
}

/** False where one is confirmed already. */
export async function putTotpDraft(db: Db, userId: string, sealed: Buffer): Promise<boolean> {
  const { rows } = await sql`
    insert into totp_secrets (user_id, secret_sealed) values (${userId}, ${sealed})
    on conflict (user_id) do update set secret_sealed = excluded.secret_sealed, created_at = now()
    where totp_secrets.confirmed_at is null returning user_id`.execute(db);
  return rows.length > 0;
}

export async function findTotp(
  db: Db,
  userId: string,
): Promise<{ secret_sealed: Buffer; confirmed_at: Date | null } | undefined> {
  return db
    .selectFrom('totp_secrets')
    .select(['secret_sealed', 'confirmed_at'])
    .where('user_id', '=', userId)
    .executeTakeFirst();
}

/** Takes a code's thirty seconds; false where that or a later one was taken. */
export async function takeTotpStep(db: Db, userId: string, step: number): Promise<boolean> {
  const { rows } = await sql`
    update totp_secrets set last_step = ${step}, confirmed_at = coalesce(confirmed_at, now())
    where user_id = ${userId} and last_step < ${step} returning user_id`.execute(db);
  return rows.length > 0;
}

/** Counts a try of this hour; undefined where there were so many already, else how many there are with it. */
export async function countTotpTry(db: Db, userId: string, perHour: number): Promise<number | undefined> {
  const isNewHour = sql`(failing_since is null or failing_since < now() - interval '1 hour')`;
  const { rows } = await sql<{ failures: number }>`
    update totp_secrets set failures = case when ${isNewHour} then 1 else failures + 1 end,
      failing_since = case when ${isNewHour} then now() else failing_since end
    where user_id = ${userId} and (${isNewHour} or failures < ${perHour}) returning failures`.execute(db);
  return rows[0]?.failures;
}

export async function giveBackTotpTry(db: Db, userId: string): Promise<void> {
  await sql`update totp_secrets set failures = greatest(0, failures - 1) where user_id = ${userId}`.execute(db);
}

export async function deleteTotp(db: Db, userId: string): Promise<boolean> {
  const { rows } = await sql`
    delete from totp_secrets where user_id = ${userId} and confirmed_at is not null returning user_id`.execute(db);
  return rows.length > 0;
}

export async function passkeysOf(db: Db, userId: string): Promise<StoredPasskey[]> {
  return db
    .selectFrom('passkeys')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

export async function findPasskey(db: Db, credentialId: string): Promise<StoredPasskey | undefined> {
  return db.selectFrom('passkeys').selectAll().where('credential_id', '=', credentialId).executeTakeFirst();
}

/** Undefined where somebody has it already. */
export async function insertPasskey(
  db: Db,
  passkey: Pick<StoredPasskey, 'user_id' | 'credential_id' | 'public_key' | 'transports' | 'name'> & {
    counter: number;
  },
): Promise<Passkey | undefined> {
  return db
    .insertInto('passkeys')
    .values(passkey)
    .onConflict((conflict) => conflict.column('credential_id').doNothing())
    .returning(['id', 'name', 'created_at', 'last_used_at'])
    .executeTakeFirst();
}

/** False where it was removed, or a later use of it is known. */
export async function notePasskeyUse(db: Db, id: string, counter: number): Promise<boolean> {
  const { rows } = await sql`
    update passkeys set counter = ${counter}, last_used_at = now()
    where id = ${id} and (counter < ${counter} or (counter = 0 and ${counter} = 0)) returning id`.execute(db);
  return rows.length > 0;
}

export async function deletePasskey(db: Db, userId: string, id: string): Promise<boolean> {
  const row = await db
    .deleteFrom('passkeys')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function replaceRecoveryCodes(db: Db, userId: string, hashes: readonly Buffer[]): Promise<void> {
  await db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
  if (hashes.length === 0) return;
  await db
    .insertInto('recovery_codes')
    .values(hashes.map((code_hash) => ({ user_id: userId, code_hash })))
    .execute();
}

export async function countRecoveryCodes(db: Db, userId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from recovery_codes where user_id = ${userId}`.execute(db);
  return rows[0]?.count ?? 0;
}

export async function takeRecoveryCode(db: Db, userId: string, hash: Buffer): Promise<boolean> {
  const row = await db
    .deleteFrom('recovery_codes')
    .where('user_id', '=', userId)
    .where('code_hash', '=', hash)
    .returning('user_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** All that they have, or what was added since a moment. */
export async function deleteFactors(db: Db, userId: string, since: Date = new Date(0)): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with totp as (delete from totp_secrets where user_id = ${userId} and created_at >= ${since} returning user_id),
      keys as (delete from passkeys where user_id = ${userId} and created_at >= ${since} returning user_id)
    select ((select count(*) from totp) + (select count(*) from keys))::int as count`.execute(db);
  return rows[0]?.count ?? 0;
}
