import { sql } from 'kysely';
import type { CredentialKind, Scope } from '#core/auth/caller.ts';
import type { Db } from '#core/db/database.ts';
import { type Listing, listNewest, type Paging } from '#core/pages.ts';
import type { ApiToken, Session } from './credential.schema.ts';

const AGENT_LENGTH = 400;
const API_TOKEN_COLUMNS = sql`id, name, scopes, team_id, expires_at, last_used_at, created_at`;

export interface NewCredential {
  token_hash: Buffer;
  kind: CredentialKind;
  user_id: string;
  scopes: Scope[];
  name?: string;
  team_id?: string | null;
  expires_at: Date | null;
  /** What a session was begun with, and from where. */
  user_agent?: string | undefined;
  ip?: string;
}

export async function insertCredential(db: Db, credential: NewCredential): Promise<ApiToken> {
  const { rows } = await sql<ApiToken>`
    insert into credentials (token_hash, kind, user_id, scopes, name, team_id, expires_at, user_agent, ip, last_used_at)
    values (${credential.token_hash}, ${credential.kind}, ${credential.user_id}, ${credential.scopes}, ${credential.name ?? null},
      ${credential.team_id ?? null}, ${credential.expires_at}, ${credential.user_agent?.slice(0, AGENT_LENGTH) ?? null},
      ${credential.ip ?? null}, ${credential.kind === 'session' ? sql`now()` : null})
    returning ${API_TOKEN_COLUMNS}`.execute(db);
  return rows[0] as ApiToken;
}

export async function deleteCredentialByHash(db: Db, hash: Buffer): Promise<string | undefined> {
  const row = await db.deleteFrom('credentials').where('token_hash', '=', hash).returning('user_id').executeTakeFirst();
  return row?.user_id;
}

export async function deleteCredential(db: Db, id: string): Promise<void> {
  await db.deleteFrom('credentials').where('id', '=', id).execute();
}

export async function deleteCredentialsOf(db: Db, userId: string, exceptId: string | null): Promise<void> {
  await sql`delete from credentials where user_id = ${userId} and id is distinct from ${exceptId}`.execute(db);
}

export async function deleteSessionsOf(db: Db, userId: string, exceptId: string): Promise<void> {
  await sql`delete from credentials where user_id = ${userId} and kind = 'session' and id <> ${exceptId}`.execute(db);
}

export type SessionRow = Omit<Session, 'is_current' | 'browser'> & { user_agent: string | null };

export async function listSessions(db: Db, userId: string, paging: Paging): Promise<Listing<SessionRow>> {
  const where = sql`user_id = ${userId} and kind = 'session' and expires_at > now()`;
  const columns = sql`id, user_agent, ip as address, last_used_at, expires_at, created_at`;
  return listNewest<SessionRow>(db, { table: 'credentials', where, columns }, paging);
}

export async function listApiTokens(db: Db, userId: string, paging: Paging): Promise<Listing<ApiToken>> {
  const where = sql`user_id = ${userId} and kind = 'api_token'`;
  return listNewest<ApiToken>(db, { table: 'credentials', where, columns: API_TOKEN_COLUMNS }, paging);
}

/** Behind the lock of the user's row, so that two at once are counted as two. */
export async function countApiTokens(db: Db, userId: string): Promise<number> {
  await sql`select from users where id = ${userId} for no key update`.execute(db);
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from credentials
    where user_id = ${userId} and kind = 'api_token' and (expires_at is null or expires_at > now())`.execute(db);
  return rows[0]?.count ?? 0;
}

/** False where they have none of this kind and id. */
export async function deleteOwnCredential(
  db: Db,
  kind: CredentialKind,
  { id, userId }: { id: string; userId: string },
): Promise<boolean> {
  const own = db.deleteFrom('credentials').where('id', '=', id).where('user_id', '=', userId).where('kind', '=', kind);
  return (await own.returning('id').executeTakeFirst()) !== undefined;
}

export async function deleteExpiredCredentials(db: Db): Promise<void> {
  await sql`delete from credentials where expires_at < now() - interval '1 day'`.execute(db);
  await sql`delete from mailed_links where expires_at < now() - interval '1 day'`.execute(db);
}
