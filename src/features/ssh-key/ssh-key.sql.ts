import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import { type Listing, listNewest, type Paging } from '#core/pages.ts';

export interface SshKeyRow {
  id: string;
  name: string;
  key_type: string;
  key_hash: Buffer;
  last_used_at: Date | null;
  created_at: Date;
}

const COLUMNS = sql`id, name, key_type, key_hash, last_used_at, created_at`;

export interface NewKeyRow {
  user_id: string;
  name: string;
  key_type: string;
  key_hash: Buffer;
  /** What can be no token: nobody comes in over HTTP with a public key. */
  token_hash: Buffer;
}

/** Undefined where they have it already. */
export async function insertSshKey(db: Db, key: NewKeyRow): Promise<SshKeyRow | undefined> {
  const { rows } = await sql<SshKeyRow>`
    insert into credentials (kind, token_hash, user_id, name, scopes, key_type, key_hash)
    values ('ssh_key', ${key.token_hash}, ${key.user_id}, ${key.name}, '{read,write}', ${key.key_type}, ${key.key_hash})
    on conflict (key_hash, user_id) where key_hash is not null do nothing
    returning ${COLUMNS}`.execute(db);
  return rows[0];
}

/** Behind the lock of the user's row, so that two at once are counted as two. */
export async function countSshKeys(db: Db, userId: string): Promise<number> {
  await sql`select from users where id = ${userId} for no key update`.execute(db);
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from credentials where user_id = ${userId} and kind = 'ssh_key'`.execute(db);
  return rows[0]?.count ?? 0;
}

export function listSshKeys(db: Db, userId: string, paging: Paging): Promise<Listing<SshKeyRow>> {
  const where = sql`user_id = ${userId} and kind = 'ssh_key'`;
  return listNewest<SshKeyRow>(db, { table: 'credentials', where, columns: COLUMNS }, paging);
}

export async function deleteSshKey(db: Db, id: string, userId: string): Promise<SshKeyRow | undefined> {
  const { rows } = await sql<SshKeyRow>`
    delete from credentials where id = ${id} and user_id = ${userId} and kind = 'ssh_key' returning ${COLUMNS}`.execute(
    db,
  );
  return rows[0];
}

/** Those who have the key and are in the team of the site of this name, or at the site itself, a live one or a stage. One query, whatever is missing. */
export async function findHolders(
  db: Db,
  keyHash: Buffer,
  fqdn: string,
): Promise<{ credential_id: string; site_id: string }[]> {
  const { rows } = await sql<{ credential_id: string; site_id: string }>`
    select c.id as credential_id, s.id as site_id
    from sites s join lateral (
      select user_id from team_members where team_id = s.team_id
      union all select user_id from site_roles where site_id = coalesce(s.of_site_id, s.id)
    ) m on true join credentials c on c.user_id = m.user_id
    where s.fqdn = ${fqdn} and s.kind in ('live', 'stage') and c.key_hash = ${keyHash}
    order by c.created_at limit 5`.execute(db);
  return rows;
}

export async function noteKeyUse(db: Db, id: string): Promise<void> {
  await sql`update credentials set last_used_at = now() where id = ${id}`.execute(db);
}
