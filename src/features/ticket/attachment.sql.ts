import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { Attachment } from './ticket.schema.ts';

export interface AttachmentRow extends Attachment {
  user_id: string;
  /** The team of the ticket it belongs to; null until a ticket names it. */
  team_id: string | null;
  site_live_id: string | null;
}

export async function insertAttachment(
  db: Db,
  file: { user_id: string; name: string; content_type: string; content: Buffer },
): Promise<Attachment> {
  const { rows } = await sql<Attachment>`
    insert into attachments (user_id, name, content_type, size_bytes, content)
    values (${file.user_id}, ${file.name}, ${file.content_type}, ${file.content.length}, ${file.content})
    returning id as s3_object, name, content_type, size_bytes, created_at`.execute(db);
  return rows[0] as Attachment;
}

/** Gives an upload of one's own to a ticket; false when there is none or another ticket has it. */
export async function claimAttachment(
  db: Db,
  id: string,
  userId: string,
  { ticketId, replyId }: { ticketId: string; replyId?: string },
): Promise<boolean> {
  const { rows } = await sql`update attachments set ticket_id = ${ticketId}, reply_id = ${replyId ?? null}
    where id = ${id} and user_id = ${userId} and ticket_id is null returning id`.execute(db);
  return rows.length > 0;
}

/** Of a page of tickets and all their replies, without the content. */
export async function attachmentsOf(db: Db, ticketIds: string[]): Promise<(Attachment & Of)[]> {
  const { rows } = await sql<Attachment & Of>`
    select id as s3_object, name, content_type, size_bytes, created_at, ticket_id, reply_id
    from attachments where ticket_id = any(${ticketIds}::uuid[]) order by created_at, id limit 1000`.execute(db);
  return rows;
}

interface Of {
  ticket_id: string;
  reply_id: string | null;
}

/** Without the content: whether somebody may see a file must not take longer the larger it is. */
export async function findAttachment(db: Db, id: string): Promise<AttachmentRow | undefined> {
  const { rows } = await sql<AttachmentRow>`
    select a.id as s3_object, a.user_id, a.name, a.content_type, a.size_bytes, a.created_at, t.team_id, t.site_live_id
    from attachments a left join tickets t on t.id = a.ticket_id where a.id = ${id}`.execute(db);
  return rows[0];
}

export async function readAttachment(db: Db, id: string): Promise<Buffer | undefined> {
  const row = await db.selectFrom('attachments').select('content').where('id', '=', id).executeTakeFirst();
  return row?.content;
}

/** How much of what is kept somebody has uploaded, and how much of that no ticket names yet. */
export async function bytesOf(db: Db, userId: string): Promise<{ all: number; unclaimed: number }> {
  const { rows } = await sql<{ all: number; unclaimed: number }>`
    select coalesce(sum(size_bytes), 0)::bigint as all, coalesce(sum(size_bytes) filter (where ticket_id is null), 0)::bigint as unclaimed
    from attachments where user_id = ${userId}`.execute(db);
  return rows[0] as { all: number; unclaimed: number };
}

/** Uploads that no ticket ever named. */
export async function deleteUnclaimedAttachments(db: Db): Promise<void> {
  await sql`delete from attachments where ticket_id is null and created_at < now() - interval '1 day'`.execute(db);
}
