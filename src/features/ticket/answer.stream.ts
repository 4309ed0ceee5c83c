import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '#core/auth/caller.ts';
import type { Db } from '#core/db/database.ts';
import { drained } from '#core/http/event-stream.ts';
import type { Services } from '#core/services.ts';
import { type AnswerRow, listCurrentAnswers } from './answer.sql.ts';
import { findTicket } from './ticket.sql.ts';

const LOOK_MS = 200;
/** Somebody who asks right now opens the stream before or after; so long is waited for a question. */
const LOOKS_WITHOUT = 15;
const LOOKS_PER_CHECK = 25;

/**
 * What the assistant writes in a ticket, as it is written (Server-Sent Events): each message `answer` is the whole of it so far, so whoever
 * comes back has missed nothing. It may be written in another process, so the database is looked at. `end` says that there is no more.
 */
export async function streamAnswers(
  services: Services,
  caller: Caller,
  ticket: { id: string; team_id: string },
  response: ServerResponse,
): Promise<void> {
  const { db, events, log } = services;
  const ending = new AbortController();
  const end = () => {
    ending.abort();
    if (response.writableNeedDrain) response.destroy();
  };
  response.once('close', end);
  let leave = () => {};
  try {
    // Counted, and ended, like a stream of events. What it would be told of those it does not need.
    leave = await events.subscribe({ caller, receive: () => {}, end });
    response.write('retry: 1000\n\n');
    const told = new Map<string, string>();
    const openedMs = performance.now();
    for (let look = 1, idle = 0; !ending.signal.aborted && idle < LOOKS_WITHOUT; look++) {
      if (look % LOOKS_PER_CHECK === 0 && (await findTicket(db, ticket.id))?.team_id !== ticket.team_id) return;
      const answers = await lookTogether(db, ticket.id, openedMs);
      const text = answers.map((answer) => news(told, answer)).join('');
      const isOver = answers.length > 0 && answers.every(({ state }) => state === 'answered' || state === 'failed');
      if (text && !response.write(text)) await drained(response);
      if (isOver) break;
      idle = answers.length > 0 ? 0 : idle + 1;
      await sleep(LOOK_MS, undefined, { signal: ending.signal, ref: false }).catch(() => {});
    }
    response.write('event: end\ndata: {}\n\n');
  } catch (error) {
    log.warn({ err: error }, 'a stream of an answer broke off');
  } finally {
    leave();
    response.end();
  }
}

const looks = new WeakMap<Db, Map<string, { atMs: number; answers: Promise<AnswerRow[]> }>>();

/** One look at a time for all who read a ticket here, none of it from before `sinceMs`: whoever has just asked has to see that. */
export function lookTogether(db: Db, ticketId: string, sinceMs: number): Promise<AnswerRow[]> {
  const known = looks.get(db) ?? new Map();
  looks.set(db, known);
  const last = known.get(ticketId);
  const atMs = performance.now();
  if (last && last.atMs >= sinceMs && atMs - last.atMs < LOOK_MS) return last.answers;
  const own = { atMs, answers: listCurrentAnswers(db, ticketId) };
  known.set(ticketId, own);
  setTimeout(() => known.get(ticketId) === own && known.delete(ticketId), LOOK_MS).unref();
  return own.answers;
}

/** Empty where nothing is new. */
function news(told: Map<string, string>, { question_id, state, text, steps }: AnswerRow): string {
  const data = JSON.stringify({ question_id, state, text, steps });
  if (told.get(question_id) === data) return '';
  told.set(question_id, data);
  return `event: answer\ndata: ${data}\n\n`;
}
