import type { Caller } from '#core/auth/caller.ts';
import type { Db } from '#core/db/database.ts';
import { jobKind } from '#core/jobs/jobs.ts';
import type { Services } from '#core/services.ts';
import {
  type Answered,
  answerQuestion,
  type Question,
  type Said,
  type Show,
  type Spent,
} from '#features/assistant/assistant.ts';
import { storeProposal } from '#features/proposal/proposal.ts';
import {
  type AnswerRow,
  endAnswer,
  findAnswer,
  showAnswer,
  siteOfTicket,
  takeMessage,
  tokensOfDay,
} from './answer.sql.ts';
import {
  findReply,
  findTicket,
  insertReply,
  instructionsOf,
  newestReplies,
  type ReplyRow,
  roleOnTicket,
  type TicketRow,
} from './ticket.sql.ts';

const THREAD = { most: 40, bytes: 200_000 };
/** How often readers see it grow. */
const SHOW_EVERY_MS = 150;

const NOT_COUNTED = 'The message was not counted, and the ticket is with our support team.';
const FAILED = `The assistant could not answer this. ${NOT_COUNTED}`;
const SPENT = `The assistant has done as much for you as it may in a day; ask it again later. ${NOT_COUNTED}`;

/**
 * Answers a message to the assistant. The reply, its proposals, the message that it takes and the job's end are one transaction, so that
 * a kill at any instant leaves all or nothing, and the answer is then written anew. What the asker may is looked up for each step.
 */
export const answerMessage = jobKind<{ questionId: string }>({
  name: 'ticket.answer',
  lane: 'assistant',
  async run({ questionId }, { services, signal, commit }) {
    const { db, config, credentials, log } = services;
    const row = await findAnswer(db, questionId);
    const ticket = row && (await findTicket(db, row.ticket_id));
    if (!row || !ticket || row.state === 'answered' || row.state === 'failed') return;
    const thread = await newestReplies(db, [ticket.id], THREAD);
    const limit = AbortSignal.any([signal, AbortSignal.timeout(config.assistantTimeoutSeconds * 1000)]);
    const asked = await findReply(db, questionId);
    const spent = { tokens: 0 };
    try {
      const caller = await credentials.renew({ credential: { id: row.credential_id } });
      if (caller && (await isSpent(services, ticket.team_id, caller.userId)))
        return await commit((tx) => fail(tx, row, asked, spent, SPENT));
      const question = asked && (await questionOf(services, { row, ticket, asked, caller }, thread));
      const answering = question && answerQuestion(services, question, shower(db, questionId), spent, limit);
      const answered = answering && (await within(limit, answering));
      await commit((tx) =>
        answered && asked ? store(tx, { ticket, asked }, answered, spent) : fail(tx, row, asked, spent),
      );
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ err: error, ticketId: ticket.id }, 'the assistant could not answer');
      await commit((tx) => fail(tx, row, asked, spent));
    }
  },
  async abandon(db, { questionId }) {
    const row = await findAnswer(db, questionId);
    if (row) await fail(db, row, await findReply(db, questionId), { tokens: 0 });
  },
});

/** Whether the model may do no more for the team or the person today. The helper without one costs nothing. */
export async function isSpent({ db, config, model }: Services, teamId: string, userId: string): Promise<boolean> {
  return model !== undefined && (await tokensOfDay(db, teamId, userId)) >= config.assistantDailyTokens;
}

/** Undefined where there is nobody to answer any more, or nothing to answer with. */
async function questionOf(
  { db }: Services,
  { row, ticket, asked, caller }: { row: AnswerRow; ticket: TicketRow; asked: ReplyRow; caller: Caller | undefined },
  replies: readonly ReplyRow[],
): Promise<Question | undefined> {
  if (!caller || !roleOnTicket(caller, ticket) || ticket.messages_remaining <= 0) return undefined;
  const by = (reply: ReplyRow) =>
    reply.assistant_message_id !== null ? 'assistant' : isAsker(reply.user_id) ? 'asker' : 'other';
  const isAsker = (userId: string) => userId === caller.userId;
  // So much may have been said since that the question is not among the newest any more.
  const until = replies.findIndex(({ id }) => id === asked.id);
  const said = (until < 0 ? [asked] : replies.slice(0, until + 1)).map(
    (reply): Said => ({ by: by(reply), text: reply.description ?? '' }),
  );
  const opened: Said = { by: isAsker(ticket.user_id) ? 'asker' : 'other', text: ticket.description };
  return {
    caller,
    ip: row.ip,
    teamId: ticket.team_id,
    fqdn: await siteOfTicket(db, ticket.id),
    subject: ticket.subject,
    thread: [opened, ...said],
    customInstructions: await instructionsOf(db, ticket.id, caller.userId),
  };
}

/** Also where something in it hears no signal. */
function within<T>(limit: AbortSignal, work: Promise<T>): Promise<T> {
  const over = new Promise<never>((_, reject) => {
    const end = () => reject(new Error('it took too long'));
    if (limit.aborted) end();
    limit.addEventListener('abort', end, { once: true });
  });
  return Promise.race([work, over]);
}

/** Writes down what there is so far, now and then. */
function shower(db: Db, questionId: string): Show {
  let nextMs = 0;
  let steps = 0;
  return async (progress) => {
    const now = performance.now();
    if (now < nextMs && progress.steps.length === steps) return;
    nextMs = now + SHOW_EVERY_MS;
    steps = progress.steps.length;
    await showAnswer(db, questionId, progress.text(), progress.steps);
  };
}

async function store(
  db: Db,
  { ticket, asked }: { ticket: TicketRow; asked: ReplyRow },
  { text, steps, drafts }: Answered,
  { tokens }: Spent,
): Promise<void> {
  if (!(await takeMessage(db, ticket.id))) return fail(db, { question_id: asked.id }, asked, { tokens });
  const reply = await insertReply(db, replyTo(asked, text));
  for (const draft of drafts)
    await storeProposal(db, draft, { source: 'ticket', ticketId: ticket.id, replyId: reply.id });
  await endAnswer(db, asked.id, { state: 'answered', steps, tokens });
}

/** Leaves it to people, and says so. No message is taken. */
async function fail(
  db: Db,
  { question_id }: Pick<AnswerRow, 'question_id'>,
  asked: ReplyRow | undefined,
  { tokens }: Spent,
  why = FAILED,
): Promise<void> {
  if (asked) await insertReply(db, replyTo(asked, why));
  await endAnswer(db, question_id, { state: 'failed', steps: [], tokens });
}

/** The message that it answers marks it as the assistant's, which is then shown as its author. The row keeps the person who asked. */
const replyTo = (asked: ReplyRow, description: string) => ({
  ticket_id: asked.ticket_id,
  user_id: asked.user_id,
  description,
  is_assistant_chat_message: false,
  assistant_message_id: asked.id,
  resolve: null,
});
