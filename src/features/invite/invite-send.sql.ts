import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';

/** One mail to somebody who may never have heard of us. */
export interface Send {
  mailbox: string;
  team_id: string;
  user_id: string;
}

/** Lets whoever sends to the same mailbox, for the same team or in the same name come one after another, in every process. */
export async function lockSends(db: Db, { mailbox, team_id, user_id }: Send): Promise<void> {
  const names = [`invites to ${mailbox}`, `invites of ${team_id}`, `invites by ${user_id}`].sort();
  for (const name of names) await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(db);
}

/** In how many seconds another one would be no more than `perDay`; undefined where it is not even now. */
export async function secondsUntilFree(
  db: Db,
  column: keyof Send,
  value: string,
  perDay: number,
): Promise<number | undefined> {
  const { rows } = await sql<{ seconds: number }>`
    select ceil(extract(epoch from created_at + interval '24 hours' - now()))::int as seconds from invite_sends
    where ${sql.id(column)} = ${value} and created_at > now() - interval '24 hours'
    order by created_at desc offset ${perDay - 1} limit 1`.execute(db);
  return rows[0]?.seconds;
}

export async function insertSend(db: Db, send: Send): Promise<void> {
  await db.insertInto('invite_sends').values(send).execute();
}

export async function deleteOldSends(db: Db): Promise<void> {
  await sql`delete from invite_sends where created_at < now() - interval '24 hours'`.execute(db);
}
