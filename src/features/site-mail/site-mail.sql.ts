import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';

/** Sites of teams that are neither suspended nor expired. */
const WORKING = sql`join teams t on t.id = s.team_id and t.is_active and not t.is_expired`;

const HOUR = sql`date_trunc('hour', now(), 'UTC')`;
/** After the clock was set back, it may be any moment of this hour. */
const SENT_THIS_HOUR = sql`case when mail_hour >= ${HOUR} then mails_sent else 0 end`;

/**
 * Whether the site may mail now: its team works, the owner has confirmed their address, and it has not mailed to too many people within
 * this hour.
 */
export async function mayMail(db: Db, id: string, perHour: number): Promise<boolean> {
  const { rows } = await sql`
    select from sites s ${WORKING} join users u on u.id = t.user_id and u.is_verified
    where s.id = ${id} and ${SENT_THIS_HOUR} < ${perHour}`.execute(db);
  return rows.length > 0;
}

/** To be called after the mail went out, so that what fails and is tried again counts once. */
export async function countMail(db: Db, id: string, recipients: number): Promise<void> {
  await sql`update sites set mails_sent = ${recipients} + ${SENT_THIS_HOUR}, mail_hour = ${HOUR} where id = ${id}`.execute(
    db,
  );
}

/** Until the next hour, whatever the reason: that is when it is looked for again. */
export async function keepMailWaiting(db: Db, id: string): Promise<void> {
  await sql`update sites set mail_is_waiting = true, mails_sent = ${SENT_THIS_HOUR}, mail_hour = ${HOUR} where id = ${id}`.execute(
    db,
  );
}

/** The sites whose mail had to wait for a new hour that has begun by now. */
export async function takeWaitingMail(db: Db, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update sites set mail_is_waiting = false where id in (
      select s.id from sites s ${WORKING}
      where s.mail_is_waiting and (s.mail_hour is null or s.mail_hour < ${HOUR})
      limit ${limit} for update of s skip locked)
    returning id`.execute(db);
  return rows.map(({ id }) => id);
}
