import { type Selectable, sql } from 'kysely';
import type { Scope } from '#core/auth/caller.ts';
import type { Db } from '#core/db/database.ts';
import type { DB } from '#core/db/schema.generated.ts';

export interface NewCode {
  session_id: string;
  user_id: string;
  client_id: string;
  redirect_uri: string;
  code_challenge: string | null;
  /** What the token may, in which team and where; nothing for one that only tells who somebody is. */
  scopes?: Scope[];
  team_id?: string | null;
  resource?: string;
}

/** With whoever it is for, as they are now. */
export type Code = Omit<Selectable<DB['authorization_codes']>, 'scopes'> & {
  scopes: Scope[];
  is_expired: boolean;
  is_active: boolean;
  is_verified: boolean;
};

export async function insertCode(db: Db, hash: Buffer, code: NewCode, lifetimeSeconds: number): Promise<void> {
  await sql`
    insert into authorization_codes
      (code_hash, session_id, user_id, client_id, redirect_uri, code_challenge, scopes, team_id, resource, expires_at)
    values (${hash}, ${code.session_id}, ${code.user_id}, ${code.client_id}, ${code.redirect_uri}, ${code.code_challenge},
      ${code.scopes ?? []}, ${code.team_id ?? null}, ${code.resource ?? null},
      now() + make_interval(secs => ${lifetimeSeconds}))`.execute(db);
}

/** The code, kept to this transaction: of two that come at once, the second sees that the first one used it. */
export async function lockCode(db: Db, hash: Buffer): Promise<Code | undefined> {
  const { rows } = await sql<Code>`
    select c.*, c.expires_at <= now() as is_expired, u.is_active, u.is_verified
    from authorization_codes c join users u on u.id = c.user_id where c.code_hash = ${hash} for update of c`.execute(
    db,
  );
  return rows[0];
}

export async function markUsed(db: Db, hash: Buffer): Promise<void> {
  await sql`update authorization_codes set used_at = now() where code_hash = ${hash}`.execute(db);
}

export async function noteToken(db: Db, hash: Buffer, credentialId: string): Promise<void> {
  await sql`update authorization_codes set credential_id = ${credentialId} where code_hash = ${hash}`.execute(db);
}

/** A used one is kept as long as what it gave, so that a second showing ends that. */
export async function deleteOldCodes(db: Db): Promise<void> {
  await sql`
    delete from authorization_codes where expires_at < now() - interval '1 day' and credential_id is null`.execute(db);
}
