import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';

export type LinkPurpose = 'verify_email' | 'password_reset';

export async function insertMailedLink(
  db: Db,
  userId: string,
  purpose: LinkPurpose,
  validHours: number,
): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into mailed_links (user_id, purpose, expires_at) values (${userId}, ${purpose}, now() + make_interval(hours => ${validHours}))
    returning id`.execute(db);
  return (rows[0] as { id: string }).id;
}

/**
 * In how many seconds another link of this purpose would be no more than `perHour`; undefined where it is not even now. Until
 * the transaction ends nobody else can make one.
 */
export async function secondsUntilLink(
  db: Db,
  userId: string,
  purpose: LinkPurpose,
  perHour: number,
): Promise<number | undefined> {
  await sql`select from users where id = ${userId} for no key update`.execute(db);
  const { rows } = await sql<{ seconds: number }>`
    select ceil(extract(epoch from created_at + interval '1 hour' - now()))::int as seconds from mailed_links
    where user_id = ${userId} and purpose = ${purpose} and created_at > now() - interval '1 hour'
    order by created_at desc offset ${perHour - 1} limit 1`.execute(db);
  return rows[0]?.seconds;
}

export async function findMailedLink(
  db: Db,
  id: string,
): Promise<{ user_id: string; email: string; first_name: string; is_verified: boolean; purpose: string } | undefined> {
  return db
    .selectFrom('mailed_links')
    .innerJoin('users', 'users.id', 'mailed_links.user_id')
    .select(['mailed_links.user_id', 'mailed_links.purpose', 'users.email', 'users.first_name', 'users.is_verified'])
    .where('mailed_links.id', '=', id)
    .executeTakeFirst();
}

/** Marks a link used and returns whose it is; undefined when it was used, has expired, or a newer password is set. */
export async function consumeMailedLink(db: Db, id: string, purpose: LinkPurpose): Promise<string | undefined> {
  const { rows } = await sql<{ user_id: string }>`
    update mailed_links set used_at = now() where id = ${id} and purpose = ${purpose} and used_at is null and expires_at > now()
    returning user_id`.execute(db);
  return rows[0]?.user_id;
}

/** All open links of the same purpose die with the first one used. */
export async function retireMailedLinks(db: Db, userId: string, purpose: LinkPurpose): Promise<void> {
  await sql`update mailed_links set used_at = now() where user_id = ${userId} and purpose = ${purpose} and used_at is null`.execute(
    db,
  );
}
