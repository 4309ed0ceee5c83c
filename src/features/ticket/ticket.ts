import type { Caller } from '#core/auth/caller.ts';
import type { Db } from '#core/db/database.ts';
import { type AppError, bodyFault, invalid } from '#core/errors.ts';
import type { EventType } from '#core/events/event-types.ts';
import { recordEvent } from '#core/events/events.ts';
import type { Services } from '#core/services.ts';
import { siteIsInTeam } from '#features/site/site.ts';
import { planOf } from '#features/team/team.ts';
import { findUser, type User, usersById } from '#features/user/user.ts';
import { claimAttachment } from './attachment.sql.ts';
import { mailReply } from './ticket.jobs.ts';
import {
  attachmentNotFound,
  type NewReply,
  type NewTicket,
  noMessagesLeft,
  type Reply,
  siteNotFound,
  type Ticket,
  ticketNotFound,
} from './ticket.schema.ts';
import {
  findTicket,
  insertReply,
  insertTicket,
  newestReplies,
  type ReplyRow,
  setResolved,
  type TicketRow,
  takeMessage,
} from './ticket.sql.ts';

export { deleteUnclaimedAttachments } from './attachment.sql.ts';

/** A ticket is shown with at most so many replies; the rest is a page away. */
const REPLIES_SHOWN = 100;
const ASSISTANT = 'assistant';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export async function createTicket(db: Db, caller: Caller, input: NewTicket): Promise<Ticket> {
  const plan = await planOf(db, input.team_id);
  if (input.site_live_id && !(await siteIsInTeam(db, input.site_live_id, input.team_id))) throw siteNotFound();
  const category = input.category?.trim() || null;
  const row = await insertTicket(db, {
    team_id: input.team_id,
    user_id: caller.userId,
    site_live_id: input.site_live_id ?? null,
    subject: input.subject.trim(),
    description: input.description,
    category,
    is_assistant_thread: category === ASSISTANT,
    messages_remaining: plan.assistant_messages,
    resolved: input.resolved ?? false,
  });
  if (input.s3_object) await attach(db, caller, input.s3_object, row.id);
  await recordTicketEvent(db, caller, row, 'ticket.opened', `${caller.fullName} opened the ticket "${row.subject}"`);
  if (row.resolved)
    await recordTicketEvent(
      db,
      caller,
      row,
      'ticket.resolved',
      `${caller.fullName} resolved the ticket "${row.subject}"`,
    );
  return { ...row, user: await findUser(db, caller.userId), ticket_replies: [] };
}

async function attach(db: Db, caller: Caller, s3Object: string, ticketId: string): Promise<void> {
  if (!UUID.test(s3Object) || !(await claimAttachment(db, s3Object, caller.userId, ticketId)))
    throw attachmentNotFound();
}

export async function getTicket(db: Db, id: string): Promise<Ticket> {
  const row = await findTicket(db, id);
  if (!row) throw ticketNotFound();
  return (await completeTickets(db, [row]))[0] as Ticket;
}

/** Adds who opened them and the newest replies, in two queries for a whole page. */
export async function completeTickets(db: Db, rows: TicketRow[], perTicket = REPLIES_SHOWN): Promise<Ticket[]> {
  const ids = rows.map((row) => row.id);
  const replies = ids.length > 0 ? await newestReplies(db, ids, perTicket) : [];
  const people = await usersById(
    db,
    [...rows, ...replies].map((row) => row.user_id),
  );
  const byTicket = Map.groupBy(replies, (reply) => reply.ticket_id);
  return rows.map((row) => ({
    ...row,
    user: people.get(row.user_id) as User,
    ticket_replies: (byTicket.get(row.id) ?? []).map((reply) => ({
      ...reply,
      user: people.get(reply.user_id) as User,
    })),
  }));
}

export async function completeReplies(db: Db, rows: ReplyRow[]): Promise<Reply[]> {
  const people = await usersById(
    db,
    rows.map((row) => row.user_id),
  );
  return rows.map((row) => ({ ...row, user: people.get(row.user_id) as User }));
}

/** A reply can answer, resolve, reopen (`resolve: false`), or talk to the assistant, which the plan counts. */
export async function createReply(db: Db, caller: Caller, ticket: TicketRow, input: NewReply): Promise<Reply> {
  const description = input.description?.trim() ? input.description : null;
  const resolve = input.resolve ?? null;
  const isChat = input.is_assistant_chat_message ?? false;
  if (description === null && (isChat || resolve === null))
    throw invalid(bodyFault('description', 'Field required', 'missing'));
  if (isChat && !(await takeMessage(db, ticket.id))) throw await messagesUsedUp(db, ticket);

  const row = await insertReply(db, {
    ticket_id: ticket.id,
    user_id: caller.userId,
    description,
    is_assistant_chat_message: isChat,
    resolve,
  });
  if (description !== null) {
    await recordTicketEvent(db, caller, ticket, 'ticket.replied', `${caller.fullName} replied to "${ticket.subject}"`);
  }
  if (resolve !== null && (await setResolved(db, ticket.id, resolve))) {
    const activity = `${caller.fullName} ${resolve ? 'resolved' : 'reopened'} the ticket "${ticket.subject}"`;
    await recordTicketEvent(db, caller, ticket, resolve ? 'ticket.resolved' : 'ticket.reopened', activity);
  }
  return (await completeReplies(db, [row]))[0] as Reply;
}

async function messagesUsedUp(db: Db, ticket: TicketRow): Promise<AppError> {
  const { name, assistant_messages } = await planOf(db, ticket.team_id);
  const message = `The plan ${name} has ${assistant_messages} assistant messages for a ticket, and those of this one are used up; open another ticket or choose a larger plan.`;
  return noMessagesLeft({ message });
}

/** The platform's answer; whoever opened the ticket gets it by mail too. */
export async function answerTicket(
  db: Db,
  services: Services,
  caller: Caller,
  ticket: TicketRow,
  input: NewReply,
): Promise<Reply> {
  const reply = await createReply(db, caller, ticket, { ...input, is_assistant_chat_message: false });
  if (reply.description !== null) await services.jobs.enqueue(db, mailReply, { replyId: reply.id });
  return reply;
}

function recordTicketEvent(
  db: Db,
  caller: Caller,
  ticket: TicketRow,
  event_type: EventType,
  activity: string,
): Promise<string> {
  return recordEvent(db, {
    scope: 'team',
    event_type,
    activity,
    by: caller,
    team_id: ticket.team_id,
    item_id: ticket.id,
  });
}
