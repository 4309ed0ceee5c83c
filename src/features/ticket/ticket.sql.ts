import { sql } from 'kysely';
import { type Caller, type Role, roleOnMatter } from '#core/auth/caller.ts';
import { isAmong } from '#core/auth/limited.ts';
import type { Db } from '#core/db/database.ts';
import { type Listing, listNewest, type Paging } from '#core/pages.ts';
import type { Reply, Ticket } from './ticket.schema.ts';

type Completed =
  | 'user'
  | 'assignee'
  | 'fqdn'
  | 'attachments'
  | 'waits_for'
  | 'ticket_replies'
  | 'ticket_replies_count'
  | 'ticket_replies_next';
export type WaitsFor = NonNullable<Ticket['waits_for']>;
export type TicketRow = Omit<Ticket, Completed> & {
  user_id: string;
  assignee_id: string | null;
  waits_for: WaitsFor;
};
export type ReplyRow = Omit<Reply, 'user' | 'assistant_steps' | 'proposals' | 'attachments'> & {
  user_id: string;
  ticket_id: string;
};

const TICKET_COLUMNS = sql`id, team_id, user_id, subject, description, category, is_assistant_thread, messages_remaining,
  assistant_custom_instructions, resolved, resolved_at, waits_for, assignee_id, site_live_id, active_at, created_at`;
const REPLY_COLUMNS = sql`id, ticket_id, user_id, description, is_assistant_chat_message, assistant_message_id, resolve, created_at`;

export type NewTicketRow = Pick<
  TicketRow,
  | 'team_id'
  | 'user_id'
  | 'subject'
  | 'description'
  | 'category'
  | 'is_assistant_thread'
  | 'messages_remaining'
  | 'resolved'
  | 'site_live_id'
>;

export async function insertTicket(db: Db, ticket: NewTicketRow): Promise<TicketRow> {
  const { rows } = await sql<TicketRow>`
    insert into tickets (team_id, user_id, site_live_id, subject, description, category, is_assistant_thread, messages_remaining, resolved, resolved_at)
    values (${ticket.team_id}, ${ticket.user_id}, ${ticket.site_live_id}, ${ticket.subject}, ${ticket.description}, ${ticket.category},
      ${ticket.is_assistant_thread}, ${ticket.messages_remaining}, ${ticket.resolved}, ${ticket.resolved ? sql`now()` : null})
    returning ${TICKET_COLUMNS}`.execute(db);
  return rows[0] as TicketRow;
}

/** How many tickets and replies somebody has written within a day. */
export async function countWritten(db: Db, userId: string): Promise<number> {
  const since = sql`user_id = ${userId} and created_at > now() - interval '1 day'`;
  const { rows } = await sql<{ count: number }>`
    select ((select count(*) from tickets where ${since}) + (select count(*) from ticket_replies where ${since}))::int as count`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}

export async function findTicket(db: Db, id: string): Promise<TicketRow | undefined> {
  return (await sql<TicketRow>`select ${TICKET_COLUMNS} from tickets where id = ${id}`.execute(db)).rows[0];
}

export async function listTeamTickets(db: Db, teamId: string, paging: Paging): Promise<Listing<TicketRow>> {
  const where = sql`team_id = ${teamId}`;
  return listNewest<TicketRow>(db, { table: 'tickets', where, columns: TICKET_COLUMNS }, paging);
}

/** What somebody is with a ticket: by its team, or by the site that it is about. */
export function roleOnTicket(caller: Caller, { team_id, site_live_id }: TicketRow): Role | undefined {
  return roleOnMatter(caller, { team_id, site_id: site_live_id });
}

/** A person's own tickets, in the teams and about the sites that they (and this credential) still reach. */
export async function listOwnTickets(
  db: Db,
  caller: Caller,
  resolved: boolean | undefined,
  paging: Paging,
): Promise<Listing<TicketRow>> {
  const state = resolved === undefined ? sql`` : sql`and resolved = ${resolved}`;
  const where = sql`${isOwn(caller)} ${state}`;
  return listNewest<TicketRow>(db, { table: 'tickets', where, columns: TICKET_COLUMNS, orderBy: 'active_at' }, paging);
}

export async function newestOwnTicket(db: Db, caller: Caller): Promise<Listing<TicketRow>> {
  const where = isOwn(caller);
  return listNewest<TicketRow>(db, { table: 'tickets', where, columns: TICKET_COLUMNS }, { page: 1, size: 1 });
}

function isOwn({ userId, roles, siteRoles }: Caller) {
  return sql`user_id = ${userId}
    and (team_id = any(${[...roles.keys()]}::uuid[]) or ${isAmong(siteRoles, sql`site_live_id`)})`;
}

export async function listAllTickets(
  db: Db,
  filter: { resolved?: boolean; waits_for?: WaitsFor; assignee_id?: string | null; team_id?: string },
  paging: Paging,
): Promise<Listing<TicketRow>> {
  const { resolved, waits_for, assignee_id, team_id } = filter;
  const parts = [sql`true`];
  if (resolved !== undefined) parts.push(sql`resolved = ${resolved}`);
  if (waits_for !== undefined) parts.push(sql`waits_for = ${waits_for} and not resolved`);
  if (assignee_id !== undefined) parts.push(sql`assignee_id is not distinct from ${assignee_id}`);
  if (team_id !== undefined) parts.push(sql`team_id = ${team_id}`);
  const where = sql.join(parts, sql` and `);
  return listNewest<TicketRow>(db, { table: 'tickets', where, columns: TICKET_COLUMNS, orderBy: 'active_at' }, paging);
}

export async function setAssignee(db: Db, id: string, userId: string | null): Promise<void> {
  await sql`update tickets set assignee_id = ${userId} where id = ${id}`.execute(db);
}

/** The names of the sites that tickets are about, as far as those are of the tickets' teams. */
export async function namesOfSites(db: Db, ticketIds: string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; fqdn: string }>`
    select t.id, s.fqdn from tickets t join sites s on s.id = t.site_live_id and s.team_id = t.team_id
    where t.id = any(${ticketIds}::uuid[])`.execute(db);
  return new Map(rows.map(({ id, fqdn }) => [id, fqdn]));
}

export async function setInstructions(db: Db, id: string, instructions: string | null, userId: string): Promise<void> {
  await sql`update tickets set assistant_custom_instructions = ${instructions}, instructions_by = ${userId} where id = ${id}`.execute(
    db,
  );
}

/** What this person told the assistant about the ticket; null where it was somebody else. */
export async function instructionsOf(db: Db, id: string, userId: string): Promise<string | null> {
  const { rows } = await sql<{ text: string | null }>`
    select assistant_custom_instructions as text from tickets where id = ${id} and coalesce(instructions_by, user_id) = ${userId}`.execute(
    db,
  );
  return rows[0]?.text ?? null;
}

export async function setResolved(db: Db, id: string, resolved: boolean): Promise<boolean> {
  const { rows } = await sql`update tickets set resolved = ${resolved}, resolved_at = ${resolved ? sql`now()` : null}
    where id = ${id} and resolved <> ${resolved} returning id`.execute(db);
  return rows.length > 0;
}

export async function makeAssistantThread(db: Db, id: string): Promise<void> {
  await sql`update tickets set is_assistant_thread = true where id = ${id} and not is_assistant_thread`.execute(db);
}

export async function deleteTicket(db: Db, id: string): Promise<void> {
  await sql`delete from tickets where id = ${id}`.execute(db);
}

/** Adds a reply; without `waitsFor`, as for a reply of the assistant, the ticket waits for the same side as before. */
export async function insertReply(
  db: Db,
  reply: Omit<ReplyRow, 'id' | 'created_at'>,
  waitsFor?: WaitsFor,
): Promise<ReplyRow> {
  await sql`update tickets set active_at = now(), waits_for = coalesce(${waitsFor ?? null}, waits_for)
    where id = ${reply.ticket_id}`.execute(db);
  const { rows } = await sql<ReplyRow>`
    insert into ticket_replies (ticket_id, user_id, description, is_assistant_chat_message, assistant_message_id, resolve)
    values (${reply.ticket_id}, ${reply.user_id}, ${reply.description}, ${reply.is_assistant_chat_message},
      ${reply.assistant_message_id}, ${reply.resolve})
    returning ${REPLY_COLUMNS}`.execute(db);
  return rows[0] as ReplyRow;
}

export async function findReply(db: Db, id: string): Promise<ReplyRow | undefined> {
  return (await sql<ReplyRow>`select ${REPLY_COLUMNS} from ticket_replies where id = ${id}`.execute(db)).rows[0];
}

export async function listReplies(db: Db, ticketId: string, paging: Paging): Promise<Listing<ReplyRow>> {
  const where = sql`ticket_id = ${ticketId}`;
  return listNewest<ReplyRow>(db, { table: 'ticket_replies', where, columns: REPLY_COLUMNS }, paging);
}

/**
 * The newest replies of each of a page's tickets, oldest first, in one query: so many of a ticket, and no more than its
 * bytes allow, but one in any case. Each counts with its text and a thousand bytes for the rest. How long a text is can
 * be told without reading it.
 */
export async function newestReplies(
  db: Db,
  ticketIds: string[],
  { most, bytes }: { most: number; bytes: number },
): Promise<ReplyRow[]> {
  const { rows } = await sql<ReplyRow>`
    select ${REPLY_COLUMNS} from (
      select fitting.id from unnest(${ticketIds}::uuid[]) as wanted (ticket_id), lateral (
        select id, row_number() over newest as place, sum(octet_length(coalesce(description, '')) + 1000) over newest as bytes
        from (
          select id, description, created_at from ticket_replies where ticket_id = wanted.ticket_id
          order by created_at desc, id desc limit ${most}
        ) of_ticket window newest as (order by created_at desc, id desc)
      ) fitting where place = 1 or bytes <= ${bytes}
    ) shown join ticket_replies using (id) order by created_at, id`.execute(db);
  return rows;
}

/** How many replies each of these tickets has. */
export async function countReplies(db: Db, ticketIds: string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ ticket_id: string; count: number }>`
    select ticket_id, count(*)::int from ticket_replies where ticket_id = any(${ticketIds}::uuid[]) group by ticket_id`.execute(
    db,
  );
  return new Map(rows.map(({ ticket_id, count }) => [ticket_id, count]));
}

/** Whom to tell of an operator's answer. */
export async function findReplyForMail(
  db: Db,
  replyId: string,
): Promise<{ user_id: string; subject: string; description: string | null; ticket_id: string } | undefined> {
  const { rows } = await sql<{ user_id: string; subject: string; description: string | null; ticket_id: string }>`
    select t.user_id, t.subject, r.description, t.id as ticket_id
    from ticket_replies r join tickets t on t.id = r.ticket_id where r.id = ${replyId}`.execute(db);
  return rows[0];
}
