import { type Insertable, type Selectable, sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { DB } from '#core/db/schema.generated.ts';
import { type Listing, listNewest, type Paging } from '#core/pages.ts';

type HeldMailRow = Selectable<DB['held_mails']>;

/** Nothing where the site is gone meanwhile. */
export async function insertHeldMail(db: Db, mail: Insertable<DB['held_mails']>): Promise<void> {
  await sql`insert into held_mails (site_id, sender, recipients, subject, text, html, attachments, written_at)
    select id, ${mail.sender}, ${mail.recipients}, ${mail.subject}, ${mail.text}, ${mail.html}, ${mail.attachments}, ${mail.written_at}
    from sites where id = ${mail.site_id}`.execute(db);
}

export async function deleteOldHeldMails(db: Db, siteId: string, kept: number): Promise<void> {
  await sql`delete from held_mails where id in (
    select id from held_mails where site_id = ${siteId} order by created_at desc, id desc offset ${kept})`.execute(db);
}

export function listHeldMails(db: Db, siteId: string, paging: Paging): Promise<Listing<HeldMailRow>> {
  const where = sql`site_id = ${siteId}`;
  return listNewest<HeldMailRow>(db, { table: 'held_mails', where, columns: sql`held_mails.*` }, paging);
}
