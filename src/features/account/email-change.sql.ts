import { type Selectable, sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { DB } from '#core/db/schema.generated.ts';

export type EmailChange = Selectable<DB['email_changes']>;

/** How long the one who had the address before can take a change back. */
const WAY_BACK = sql`interval '7 days'`;

/** Of several that were asked for, the newest counts. */
export async function insertEmailChange(
  db: Db,
  change: { user_id: string; old_email: string; new_email: string },
  validHours: number,
): Promise<string> {
  await sql`
    update email_changes set expires_at = now()
    where user_id = ${change.user_id} and confirmed_at is null and expires_at > now()`.execute(db);
  const { rows } = await sql<{ id: string }>`
    insert into email_changes (user_id, old_email, new_email, expires_at)
    values (${change.user_id}, ${change.old_email}, ${change.new_email}, now() + make_interval(hours => ${validHours}))
    returning id`.execute(db);
  return (rows[0] as { id: string }).id;
}

export async function countRecentChanges(db: Db, userId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from email_changes
    where user_id = ${userId} and created_at > now() - interval '1 hour'`.execute(db);
  return rows[0]?.count ?? 0;
}

export async function findEmailChange(db: Db, id: string): Promise<EmailChange | undefined> {
  return db.selectFrom('email_changes').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The address that waits to be confirmed, if one does. */
export async function findPendingEmail(db: Db, userId: string): Promise<string | undefined> {
  const { rows } = await sql<{ new_email: string }>`
    select new_email from email_changes where user_id = ${userId} and confirmed_at is null and expires_at > now()
    order by created_at desc limit 1`.execute(db);
  return rows[0]?.new_email;
}

export async function confirmChange(db: Db, id: string, userId: string): Promise<EmailChange | undefined> {
  const { rows } = await sql<EmailChange>`
    update email_changes set confirmed_at = now(), expires_at = now() + ${WAY_BACK}
    where id = ${id} and user_id = ${userId} and confirmed_at is null and expires_at > now() returning *`.execute(db);
  return rows[0];
}

export async function revertChange(db: Db, id: string): Promise<EmailChange | undefined> {
  const { rows } = await sql<EmailChange>`
    update email_changes set reverted_at = now()
    where id = ${id} and confirmed_at is not null and reverted_at is null and expires_at > now() returning *`.execute(
    db,
  );
  return rows[0];
}

/** Those after it are of whoever took the account: the addresses that they went on from have no way back to it. */
export async function voidLaterChanges(db: Db, { id, user_id, created_at }: EmailChange): Promise<void> {
  await sql`
    update email_changes set expires_at = now()
    where user_id = ${user_id} and created_at >= ${created_at} and id <> ${id} and expires_at > now()`.execute(db);
}

export async function deleteChangesOf(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('email_changes').where('user_id', '=', userId).execute();
}

/** Whether somebody may yet come back to this address: nobody else can have it so long. */
export async function isHeld(db: Db, email: string): Promise<boolean> {
  const { rows } = await sql`
    select from email_changes
    where old_email = ${email} and confirmed_at is not null and reverted_at is null and expires_at > now() limit 1`.execute(
    db,
  );
  return rows.length > 0;
}

export async function deleteOldChanges(db: Db): Promise<void> {
  await sql`delete from email_changes where expires_at < now() - interval '1 day'`.execute(db);
}
