import { sql } from 'kysely';
import type { Scope } from '#core/auth/caller.ts';
import type { Db } from '#core/db/database.ts';
import { type Listing, listNewest, type Paging } from '#core/pages.ts';
import { isUuid } from '#core/uuid.ts';
import type { OAuthGrant } from './oauth.schema.ts';

export interface ClientRow {
  id: string;
  name: string;
  redirect_uris: string[];
  created_at: Date;
}

/** How many may wait for somebody to let them in: beyond that the oldest go, but none that somebody may be looking at right now. */
const MAX_UNUSED = 10_000;

export async function insertClient(db: Db, name: string, redirectUris: string[]): Promise<ClientRow> {
  const { rows } = await sql<ClientRow>`
    insert into oauth_clients (name, redirect_uris) values (${name}, ${redirectUris}) returning *`.execute(db);
  await sql`
    delete from oauth_clients where id in (
      select id from oauth_clients where used_at is null order by created_at desc, id desc offset ${MAX_UNUSED})
      and created_at < now() - interval '10 minutes'`.execute(db);
  return rows[0] as ClientRow;
}

export async function findClient(db: Db, id: string): Promise<ClientRow | undefined> {
  if (!isUuid(id)) return undefined;
  const { rows } = await sql<ClientRow>`select * from oauth_clients where id = ${id}`.execute(db);
  return rows[0];
}

export async function noteClientUse(db: Db, id: string): Promise<void> {
  await sql`update oauth_clients set used_at = now() where id = ${id}`.execute(db);
}

export interface NewGrant {
  token_hash: Buffer;
  user_id: string;
  scopes: Scope[];
  team_id: string | null;
  resource: string | null;
  name: string;
  oauth_client_id: string;
}

/** The access token's time is not announced as a change of rights: it takes nobody's away. */
export async function insertGrant(
  db: Db,
  grant: NewGrant,
  { days, seconds }: { days: number; seconds: number },
): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into credentials
      (kind, token_hash, user_id, scopes, team_id, resource, name, oauth_client_id, expires_at, token_expires_at)
    values ('oauth', ${grant.token_hash}, ${grant.user_id}, ${grant.scopes}, ${grant.team_id}, ${grant.resource},
      ${grant.name}, ${grant.oauth_client_id}, now() + make_interval(days => ${days}), now() + make_interval(secs => ${seconds}))
    returning id`.execute(db);
  return (rows[0] as { id: string }).id;
}

/** Whether there were any beyond those that one person can have. */
export async function deleteOldestGrants(db: Db, userId: string, keep: number): Promise<boolean> {
  const { rows } = await sql`
    delete from credentials where id in (
      select id from credentials where user_id = ${userId} and kind = 'oauth' and expires_at > now()
      order by created_at desc, id desc offset ${keep}) returning id`.execute(db);
  return rows.length > 0;
}

export async function replaceAccessToken(db: Db, id: string, hash: Buffer, seconds: number): Promise<void> {
  await sql`
    update credentials set token_hash = ${hash}, token_expires_at = now() + make_interval(secs => ${seconds})
    where id = ${id}`.execute(db);
}

export async function insertRefreshToken(db: Db, hash: Buffer, credentialId: string): Promise<void> {
  await sql`insert into oauth_refresh_tokens (token_hash, credential_id) values (${hash}, ${credentialId})`.execute(db);
}

export interface RefreshToken {
  credential_id: string;
  user_id: string;
  oauth_client_id: string;
  scopes: Scope[];
  is_used: boolean;
  is_usable: boolean;
}

/** Kept to this transaction: of two that show it at once, the second sees that it is used. */
export async function lockRefreshToken(db: Db, hash: Buffer): Promise<RefreshToken | undefined> {
  const { rows } = await sql<RefreshToken>`
    select r.credential_id, c.user_id, c.oauth_client_id, c.scopes, r.used_at is not null as is_used,
      c.expires_at > now() and u.is_active as is_usable
    from oauth_refresh_tokens r join credentials c on c.id = r.credential_id join users u on u.id = c.user_id
    where r.token_hash = ${hash} for update of r`.execute(db);
  return rows[0];
}

export async function markRefreshTokenUsed(db: Db, hash: Buffer): Promise<void> {
  await sql`update oauth_refresh_tokens set used_at = now() where token_hash = ${hash}`.execute(db);
}

/** Whichever of its tokens is shown. */
export async function deleteGrantByToken(db: Db, hash: Buffer): Promise<string | undefined> {
  const { rows } = await sql<{ user_id: string }>`
    delete from credentials where kind = 'oauth' and (token_hash = ${hash}
      or id = (select credential_id from oauth_refresh_tokens where token_hash = ${hash})) returning user_id`.execute(
    db,
  );
  return rows[0]?.user_id;
}

export async function listGrants(db: Db, userId: string, paging: Paging): Promise<Listing<OAuthGrant>> {
  return listNewest<OAuthGrant>(
    db,
    {
      table: 'credentials',
      where: sql`user_id = ${userId} and kind = 'oauth' and expires_at > now()`,
      columns: sql`id, name as client_name, scopes, team_id, created_at, last_used_at, expires_at`,
    },
    paging,
  );
}

/**
 * Clients that nobody let in within a day, and those that nobody has let in for long and that have nothing any more; refresh tokens that
 * were used before yesterday, which are refused as unknown ones then.
 */
export async function deleteUnused(db: Db): Promise<void> {
  await sql`delete from oauth_refresh_tokens where used_at < now() - interval '1 day'`.execute(db);
  await sql`
    delete from oauth_clients c where created_at < now() - interval '1 day'
      and (used_at is null or used_at < now() - interval '90 days')
      and not exists (select from credentials where oauth_client_id = c.id)`.execute(db);
}
