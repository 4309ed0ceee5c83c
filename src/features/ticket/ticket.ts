import type { Caller } from '#core/auth/caller.ts';
import type { Db } from '#core/db/database.ts';
import { type AppError, bodyFault, invalid } from '#core/errors.ts';
import type { EventType } from '#core/events/event-types.ts';
import { recordEvent } from '#core/events/events.ts';
import { API_PREFIX, type Call } from '#core/http/operation.ts';
import type { Paging } from '#core/pages.ts';
import type { Services } from '#core/services.ts';
import { isUuid } from '#core/uuid.ts';
import { siteIsInTeam } from '#features/instance/instance.ts';
import { listProposalsOfReplies } from '#features/proposal/proposal.ts';
import { planOf } from '#features/team/team.ts';
import { type User, usersById } from '#features/user/user.ts';
import { answerMessage, isSpent } from './answer.jobs.ts';
import { countWaiting, insertAnswer, stepsOfReplies } from './answer.sql.ts';
import { attachmentsOf, claimAttachment } from './attachment.sql.ts';
import { mailReply } from './ticket.jobs.ts';
import {
  assistantSpent,
  attachmentNotFound,
  type NewReply,
  type NewTicket,
  noMessagesLeft,
  type Reply,
  siteNotFound,
  type Ticket,
  ticketNotFound,
  tooManyMessages,
} from './ticket.schema.ts';
import {
  countReplies,
  countWritten,
  findTicket,
  insertReply,
  insertTicket,
  makeAssistantThread,
  namesOfSites,
  newestReplies,
  type ReplyRow,
  setResolved,
  type TicketRow,
} from './ticket.sql.ts';

/** A ticket by itself comes with all its replies, as long as they are no more than an answer bears. */
const ALONE = { most: 1000, bytes: 1_000_000 };
/** Lists show the newest few replies of each ticket: a page of full threads could be hundreds of megabytes. */
const IN_LISTS = { most: 5, bytes: 1_000_000 };
const MAX_PAGE = 100;
const ASSISTANT = 'assistant';
/** Each is a row that stays, of up to 20,000 letters. */
const MAX_WRITTEN_A_DAY = 500;

export async function createTicket(
  { db, services, caller }: Pick<Call, 'db' | 'services' | 'caller'>,
  input: NewTicket,
): Promise<Ticket> {
  await requireFewWritten(db, caller);
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
  if (input.s3_object) await attach(db, caller, input.s3_object, { ticketId: row.id });
  await recordTicketEvent(db, caller, row, 'ticket.opened', `${caller.fullName} opened the ticket "${row.subject}"`);
  if (row.resolved)
    await recordTicketEvent(
      db,
      caller,
      row,
      'ticket.resolved',
      `${caller.fullName} resolved the ticket "${row.subject}"`,
    );
  return (await completeTickets(db, services, [row]))[0] as Ticket;
}

/** Whoever answers tickets writes as much as there is to answer. */
async function requireFewWritten(db: Db, { userId, isSuperuser }: Caller): Promise<void> {
  if (!isSuperuser && (await countWritten(db, userId)) >= MAX_WRITTEN_A_DAY) throw tooManyMessages();
}

async function attach(
  db: Db,
  caller: Caller,
  s3Object: string,
  to: { ticketId: string; replyId?: string },
): Promise<void> {
  if (!isUuid(s3Object) || !(await claimAttachment(db, s3Object, caller.userId, to))) throw attachmentNotFound();
}

export async function getTicket(db: Db, services: Services, id: string, view: View = {}): Promise<Ticket> {
  const row = await findTicket(db, id);
  if (!row) throw ticketNotFound();
  return (await completeTickets(db, services, [row], view))[0] as Ticket;
}

/** How tickets are shown: alone, with as many replies as an answer bears, or in a list; and where the others are read. */
interface View {
  inList?: true;
  asOperator?: true;
}

/** Adds who opened them and their replies, in three queries for a whole page, and two more where the assistant answered. */
export async function completeTickets(
  db: Db,
  services: Services,
  rows: TicketRow[],
  { inList, asOperator }: View = {},
): Promise<Ticket[]> {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  const replies = await newestReplies(db, ids, inList ? IN_LISTS : ALONE);
  const counts = await countReplies(db, ids);
  const people = await usersById(db, [
    ...[...rows, ...replies].map((row) => row.user_id),
    ...rows.flatMap((row) => row.assignee_id ?? []),
  ]);
  const more = await assistantsPart(db, services, replies);
  const files = await attachmentsOf(db, ids);
  const names = await namesOfSites(db, ids);
  const byTicket = Map.groupBy(replies, (reply) => reply.ticket_id);
  return rows.map((row) => {
    const path = `${API_PREFIX}/${asOperator ? 'operator' : 'support'}/ticket/${row.id}/reply`;
    const count = counts.get(row.id) ?? 0;
    const { shown, next } = cutAtPage(byTicket.get(row.id) ?? [], count);
    return {
      ...row,
      waits_for: row.resolved ? null : row.waits_for,
      user: people.get(row.user_id) as User,
      assignee: (row.assignee_id && people.get(row.assignee_id)) || null,
      fqdn: names.get(row.id) ?? null,
      attachments: files.filter((file) => file.ticket_id === row.id && file.reply_id === null),
      ticket_replies: shown.map((reply) => ({
        ...reply,
        ...authorOf(services, reply, people),
        ...(more.get(reply.id) ?? NOTHING_MORE),
        attachments: files.filter(({ reply_id }) => reply_id === reply.id),
      })),
      ticket_replies_count: count,
      ticket_replies_next: next && `${services.config.baseUrl}${path}?page=${next.page}&size=${next.size}`,
    };
  });
}

/** Where not all are shown, those that are end where a page ends, so that the next one goes on without a gap. */
function cutAtPage(newest: ReplyRow[], count: number): { shown: ReplyRow[]; next: Paging | null } {
  if (newest.length >= count) return { shown: newest, next: null };
  const size = Math.min(newest.length, MAX_PAGE);
  const pages = Math.floor(newest.length / size);
  return { shown: newest.slice(-pages * size), next: { page: pages + 1, size } };
}

export async function completeReplies(db: Db, services: Services, rows: ReplyRow[]): Promise<Reply[]> {
  const people = await usersById(
    db,
    rows.map((row) => row.user_id),
  );
  const more = await assistantsPart(db, services, rows);
  const files = await attachmentsOf(db, [...new Set(rows.map(({ ticket_id }) => ticket_id))]);
  return rows.map((row) => ({
    ...row,
    ...authorOf(services, row, people),
    ...(more.get(row.id) ?? NOTHING_MORE),
    attachments: files.filter(({ reply_id }) => reply_id === row.id),
  }));
}

/** Returns who wrote a reply. What the assistant wrote is a part of the chat and not the words of the person who asked. */
function authorOf(
  services: Services,
  reply: ReplyRow,
  people: ReadonlyMap<string, User>,
): Pick<Reply, 'user' | 'is_assistant_chat_message'> {
  if (reply.assistant_message_id !== null) return { user: assistantUser(services), is_assistant_chat_message: true };
  const { is_assistant_chat_message } = reply;
  return { user: people.get(reply.user_id) as User, is_assistant_chat_message };
}

/** Returns the author of the assistant's replies. It is no account: no one signs in with it, and no list of users has it. */
function assistantUser({ config }: Services): User {
  return {
    id: '3f1f5a0e-6c1b-4f53-9a57-8d1c2b7e4a90',
    email: `assistant@${new URL(config.baseUrl).hostname}`,
    first_name: 'Assistant',
    last_name: '',
    full_name: 'Assistant',
    is_active: true,
    is_verified: true,
    is_superuser: false,
    is_payment_verified: false,
    analytics_user_id: null,
    created_at: new Date(0),
  };
}

const NOTHING_MORE = { assistant_steps: [], proposals: [] };

/** What the assistant's answers among these came with, by the reply. */
async function assistantsPart(
  db: Db,
  services: Services,
  replies: readonly ReplyRow[],
): Promise<Map<string, Pick<Reply, 'assistant_steps' | 'proposals'>>> {
  const answers = replies.filter(({ assistant_message_id }) => assistant_message_id !== null);
  if (answers.length === 0) return new Map();
  const steps = await stepsOfReplies(
    db,
    answers.map(({ assistant_message_id }) => assistant_message_id as string),
  );
  const proposals = await listProposalsOfReplies(
    db,
    services,
    answers.map(({ id }) => id),
  );
  const byReply = Map.groupBy(proposals, ({ reply_id }) => reply_id);
  return new Map(
    answers.map(({ id, assistant_message_id }) => [
      id,
      { assistant_steps: steps.get(assistant_message_id as string) ?? [], proposals: byReply.get(id) ?? [] },
    ]),
  );
}

/**
 * A reply can answer, resolve, reopen (`resolve: false`), or talk to the assistant, which answers in a job. A message to it is counted
 * when it is answered.
 */
export async function createReply(
  { db, services, caller, ip }: Pick<Call, 'db' | 'services' | 'caller' | 'ip'>,
  ticket: TicketRow,
  input: NewReply,
  { asSupport = false } = {},
): Promise<Reply> {
  await requireFewWritten(db, caller);
  const description = input.description?.trim() ? input.description : null;
  const resolve = input.resolve ?? null;
  const isChat = input.is_assistant_chat_message ?? false;
  if (description === null && (isChat || resolve === null))
    throw invalid(bodyFault('description', 'Field required', 'missing'));
  // Those that wait for an answer are as good as used.
  if (isChat && ticket.messages_remaining <= (await countWaiting(db, ticket.id)))
    throw await messagesUsedUp(db, ticket);
  if (isChat && (await isSpent(services, ticket.team_id, caller.userId))) throw assistantSpent();
  if (isChat) await makeAssistantThread(db, ticket.id);

  // Whoever only resolves it says nothing that somebody would answer.
  const speaks = description !== null || resolve === false;
  const row = await insertReply(
    db,
    {
      ticket_id: ticket.id,
      user_id: caller.userId,
      description,
      is_assistant_chat_message: isChat,
      assistant_message_id: null,
      resolve,
    },
    speaks ? (asSupport ? 'asker' : 'support') : undefined,
  );
  if (input.s3_object) await attach(db, caller, input.s3_object, { ticketId: ticket.id, replyId: row.id });
  if (isChat) {
    await insertAnswer(db, { question_id: row.id, ticket_id: ticket.id, credential_id: caller.credential.id, ip });
    await services.jobs.enqueue(db, answerMessage, { questionId: row.id }, ticket.id, ticket.team_id);
  }
  if (description !== null) {
    await recordTicketEvent(db, caller, ticket, 'ticket.replied', `${caller.fullName} replied to "${ticket.subject}"`);
  }
  if (resolve !== null && (await setResolved(db, ticket.id, resolve))) {
    const activity = `${caller.fullName} ${resolve ? 'resolved' : 'reopened'} the ticket "${ticket.subject}"`;
    await recordTicketEvent(db, caller, ticket, resolve ? 'ticket.resolved' : 'ticket.reopened', activity);
  }
  return (await completeReplies(db, services, [row]))[0] as Reply;
}

async function messagesUsedUp(db: Db, ticket: TicketRow): Promise<AppError> {
  const { name, assistant_messages } = await planOf(db, ticket.team_id);
  const message = `The plan ${name} has ${assistant_messages} assistant messages for a ticket, and those of this one are used up; open another ticket or choose a larger plan.`;
  return noMessagesLeft({ message });
}

/** The platform's answer; whoever opened the ticket gets it by mail too. */
export async function answerTicket(call: Call, ticket: TicketRow, input: NewReply): Promise<Reply> {
  const { db, services } = call;
  const reply = await createReply(call, ticket, { ...input, is_assistant_chat_message: false }, { asSupport: true });
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
