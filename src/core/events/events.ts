import { sql } from 'kysely';
import type { Caller } from '#core/auth/caller.ts';
import type { Db } from '#core/db/database.ts';
import type { EventType } from './event-types.ts';

/**
 * An event is the record of an operation. It is written in the transaction of the change itself; work that goes on in
 * the background leaves `finished_at` open until it ends, and keeps its progress, result or failure in `detail`.
 */
export interface NewEvent {
  scope: 'account' | 'team' | 'site' | 'stage';
  event_type: EventType;
  /** A readable line, such as "Ada invited bob@example.com". */
  activity: string;
  by: Pick<Caller, 'userId'> | null;
  team_id?: string;
  site_live_id?: string | null;
  fqdn?: string | null;
  item_id?: string;
  /** A sentence for people, where the line does not say it all; of a failure in `detail` it is that. */
  description?: string;
  detail?: Record<string, unknown>;
  /** True while work goes on after the answer. */
  unfinished?: boolean;
}

export async function recordEvent(db: Db, event: NewEvent): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into events (scope, event_type, activity, user_id, team_id, site_live_id, fqdn, item_id, description, detail, finished_at)
    values (${event.scope}, ${event.event_type}, ${event.activity}, ${event.by?.userId ?? null}, ${event.team_id ?? null},
      ${event.site_live_id ?? null}, ${event.fqdn ?? null}, ${event.item_id ?? null}, ${event.description ?? failureIn(event.detail)},
      ${JSON.stringify(event.detail ?? {})}, ${event.unfinished ? null : sql`now()`})
    returning id`.execute(db);
  return (rows[0] as { id: string }).id;
}

/** Ends an operation's record; ending it twice changes nothing. What went badly is told to people in the description. */
export async function finishEvent(
  db: Db,
  eventId: string,
  detail: Record<string, unknown>,
  description: string | null = failureIn(detail),
): Promise<void> {
  await sql`update events set finished_at = now(), detail = detail || ${JSON.stringify(detail)},
      description = coalesce(${description}, description)
    where id = ${eventId} and finished_at is null`.execute(db);
}

function failureIn(detail: Record<string, unknown> = {}): string | null {
  return typeof detail.failure === 'string' ? detail.failure : null;
}

/** Tells how far an operation is; what has ended stays as it is. */
export async function reportProgress(db: Db, eventId: string, detail: Record<string, unknown>): Promise<void> {
  await sql`update events set detail = detail || ${JSON.stringify(detail)}
    where id = ${eventId} and finished_at is null`.execute(db);
}

/** What an operation's record says of its progress, result or failure; empty where there is no such record. */
export async function eventDetail(db: Db, eventId: string): Promise<Record<string, unknown>> {
  const { rows } = await sql<{
    detail: Record<string, unknown>;
  }>`select detail from events where id = ${eventId}`.execute(db);
  return rows[0]?.detail ?? {};
}
