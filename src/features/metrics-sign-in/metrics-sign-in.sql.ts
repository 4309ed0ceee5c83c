import { type Selectable, sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { DB } from '#core/db/schema.generated.ts';

export interface NewCode {
  code_hash: Buffer;
  session_id: string;
  user_id: string;
  client_id: string;
  redirect_uri: string;
  code_challenge: string | null;
}

/** Whoever it is for, as they are now. */
export type Code = Selectable<DB['metrics_codes']> & { is_expired: boolean; is_entitled: boolean };

export async function insertCode(db: Db, code: NewCode, lifetimeSeconds: number): Promise<void> {
  await sql`
    insert into metrics_codes (code_hash, session_id, user_id, client_id, redirect_uri, code_challenge, expires_at)
    values (${code.code_hash}, ${code.session_id}, ${code.user_id}, ${code.client_id}, ${code.redirect_uri},
      ${code.code_challenge}, now() + make_interval(secs => ${lifetimeSeconds}))`.execute(db);
}

/** The code, kept to this transaction: of two that come at once, the second sees that the first one used it. */
export async function lockCode(db: Db, hash: Buffer): Promise<Code | undefined> {
  const { rows } = await sql<Code>`
    select c.*, c.expires_at <= now() as is_expired, u.is_active and u.is_verified as is_entitled
    from metrics_codes c join users u on u.id = c.user_id where c.code_hash = ${hash} for update of c`.execute(db);
  return rows[0];
}

export async function markUsed(db: Db, hash: Buffer): Promise<void> {
  await sql`update metrics_codes set used_at = now() where code_hash = ${hash}`.execute(db);
}

export async function noteToken(db: Db, hash: Buffer, credentialId: string): Promise<void> {
  await sql`update metrics_codes set credential_id = ${credentialId} where code_hash = ${hash}`.execute(db);
}

/** Those whose token, had there been one, would be over by now too. */
export async function deleteOldCodes(db: Db): Promise<void> {
  await sql`delete from metrics_codes where expires_at < now() - interval '1 day'`.execute(db);
}
