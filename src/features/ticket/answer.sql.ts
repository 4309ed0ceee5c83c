import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { Step } from '#features/assistant/assistant.ts';

/** What the assistant makes of one question. */
export interface AnswerRow {
  question_id: string;
  ticket_id: string;
  credential_id: string;
  ip: string;
  state: 'waiting' | 'writing' | 'answered' | 'failed';
  text: string;
  steps: Step[];
}

const COLUMNS = sql`question_id, ticket_id, credential_id, ip, state, text, steps`;

export async function insertAnswer(
  db: Db,
  answer: Pick<AnswerRow, 'question_id' | 'ticket_id' | 'credential_id' | 'ip'>,
): Promise<void> {
  await sql`insert into ticket_answers (question_id, ticket_id, credential_id, ip)
    values (${answer.question_id}, ${answer.ticket_id}, ${answer.credential_id}, ${answer.ip})`.execute(db);
}

export async function findAnswer(db: Db, questionId: string): Promise<AnswerRow | undefined> {
  return (await sql<AnswerRow>`select ${COLUMNS} from ticket_answers where question_id = ${questionId}`.execute(db))
    .rows[0];
}

/** Those that are being written, or that ended just now: whoever comes late still sees the end. */
export async function listCurrentAnswers(db: Db, ticketId: string): Promise<AnswerRow[]> {
  const { rows } = await sql<AnswerRow>`
    select a.question_id, a.ticket_id, a.credential_id, a.ip, a.state, a.steps,
      case when a.state = 'answered' then coalesce(r.description, '') else a.text end as text
    from ticket_answers a left join ticket_replies r on r.assistant_message_id = a.question_id::text
    where a.ticket_id = ${ticketId} and (a.ended_at is null or a.ended_at > now() - interval '10 seconds')
    order by a.created_at`.execute(db);
  return rows;
}

export async function showAnswer(db: Db, questionId: string, text: string, steps: readonly Step[]): Promise<void> {
  await sql`update ticket_answers set state = 'writing', text = ${text}, steps = ${JSON.stringify(steps)}
    where question_id = ${questionId} and ended_at is null`.execute(db);
}

/** Its text is the reply from now on, and nobody asks any more from where it was asked. */
export async function endAnswer(
  db: Db,
  questionId: string,
  end: { state: 'answered' | 'failed'; steps: readonly Step[]; tokens: number },
): Promise<void> {
  await sql`update ticket_answers set state = ${end.state}, text = '', ip = '', steps = ${JSON.stringify(end.steps)},
      tokens = tokens + ${end.tokens}, ended_at = now()
    where question_id = ${questionId} and ended_at is null`.execute(db);
}

export async function stepsOfReplies(db: Db, questionIds: readonly string[]): Promise<Map<string, Step[]>> {
  const { rows } = await sql<Pick<AnswerRow, 'question_id' | 'steps'>>`
    select question_id, steps from ticket_answers where question_id = any(${questionIds}::uuid[])`.execute(db);
  return new Map(rows.map(({ question_id, steps }) => [question_id, steps]));
}

/** What answers of the last day have cost: the team's or this person's, whichever are more. Whoever has many teams is still one. */
export async function tokensOfDay(db: Db, teamId: string, userId: string): Promise<number> {
  const { rows } = await sql<{ tokens: number }>`
    select greatest(sum(a.tokens) filter (where t.team_id = ${teamId}), sum(a.tokens) filter (where r.user_id = ${userId}), 0)::bigint as tokens
    from ticket_answers a join tickets t on t.id = a.ticket_id join ticket_replies r on r.id = a.question_id
    where (t.team_id = ${teamId} or r.user_id = ${userId}) and a.created_at > now() - interval '1 day'`.execute(db);
  return rows[0]?.tokens ?? 0;
}

/** How many of a ticket's questions are still to be answered. */
export async function countWaiting(db: Db, ticketId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int from ticket_answers where ticket_id = ${ticketId} and ended_at is null`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Takes one message of the ticket; false where none is left. */
export async function takeMessage(db: Db, ticketId: string): Promise<boolean> {
  const { rows } = await sql`update tickets set messages_remaining = messages_remaining - 1
    where id = ${ticketId} and messages_remaining > 0 returning id`.execute(db);
  return rows.length > 0;
}

/** The name of the site that a ticket is about, while it is the team's. */
export async function siteOfTicket(db: Db, ticketId: string): Promise<string | undefined> {
  const { rows } = await sql<{ fqdn: string }>`
    select s.fqdn from tickets t join sites s on s.id = t.site_live_id and s.team_id = t.team_id where t.id = ${ticketId}`.execute(
    db,
  );
  return rows[0]?.fqdn;
}
