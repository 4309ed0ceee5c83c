import { sql } from 'kysely';
import type { Db, Tx } from '#core/db/database.ts';
import { deleteInBatches } from '#core/db/delete-in-batches.ts';
import { type Listing, listNewest, type Paging } from '#core/pages.ts';
import type { Event } from '#features/event/event.schema.ts';
import type { WebhookDelivery } from './webhook.schema.ts';
import { announceDeliveries } from './webhook.sql.ts';

/** The event as it was when it was written down; the database wrote its moments as text. */
export type KeptEvent = Omit<Event, 'user' | 'unread' | 'created_at' | 'finished_at'> & {
  created_at: string;
  finished_at: string | null;
};
export type DeliveryRow = WebhookDelivery & { event: KeptEvent; response_body: string | null };

/** How a call went. */
export interface Outcome {
  isDelivered: boolean;
  status: number | null;
  body: string | null;
  durationMs: number;
  error: string | null;
}

const LISTED = sql`id, webhook_id, event_id, event_type, state, attempts, due_at as next_attempt_at, attempted_at, delivered_at,
  response_status, duration_ms, error, created_at`;
const COLUMNS = sql`${LISTED}, event, response_body`;
const KEPT = sql`interval '30 days'`;
/** Longer than any call takes; whoever has not said by then how it went is taken for dead. */
const LEASE = sql`interval '60 seconds'`;
const SHARE_OF_TEAM = 1 / 4;
/** The receiver's own word that it wants no more. */
export const GONE = 410;
/** For how long an endpoint may fail without a break. */
const PATIENCE = sql`interval '5 days'`;

export async function listDeliveries(
  db: Db,
  webhookId: string,
  state: WebhookDelivery['state'] | undefined,
  paging: Paging,
): Promise<Listing<WebhookDelivery>> {
  const where = state ? sql`webhook_id = ${webhookId} and state = ${state}` : sql`webhook_id = ${webhookId}`;
  return listNewest<WebhookDelivery>(db, { table: 'webhook_deliveries', where, columns: LISTED }, paging);
}

export async function findDelivery(db: Db, webhookId: string, id: string): Promise<DeliveryRow | undefined> {
  const { rows } = await sql<DeliveryRow>`
    select ${COLUMNS} from webhook_deliveries where id = ${id} and webhook_id = ${webhookId}`.execute(db);
  return rows[0];
}

/** A call that was made already and is not to be repeated by itself. Undefined when the webhook is gone. */
export async function insertTestDelivery(
  db: Db,
  { id, webhookId, event }: { id: string; webhookId: string; event: KeptEvent },
  outcome: Outcome,
): Promise<DeliveryRow | undefined> {
  const { rows } = await sql<DeliveryRow>`
    insert into webhook_deliveries (id, webhook_id, event_type, event, state, attempts, due_at, attempted_at, delivered_at,
      response_status, response_body, duration_ms, error)
    select ${id}, w.id, ${event.event_type}, ${JSON.stringify(event)}, ${outcome.isDelivered ? 'delivered' : 'failed'}, 1, null, now(),
      ${outcome.isDelivered ? sql`now()` : null}, ${outcome.status}, ${outcome.body}, ${outcome.durationMs}, ${outcome.error}
    from webhooks w where w.id = ${webhookId} for key share
    returning ${COLUMNS}`.execute(db);
  return rows[0];
}

/** Due at once and with all its attempts, whatever became of it before. An attempt that is under way counts for nothing. */
const AGAIN = sql`state = 'waiting', attempts = 0, due_at = now(), lease = null, delivered_at = null`;

export async function replayDelivery(db: Db, id: string): Promise<DeliveryRow | undefined> {
  const { rows } = await sql<DeliveryRow>`
    update webhook_deliveries set ${AGAIN} where id = ${id} returning ${COLUMNS}`.execute(db);
  await announceDeliveries(db);
  return rows[0];
}

export async function replayDeliveries(db: Db, webhookId: string, state: string, since: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    update webhook_deliveries set ${AGAIN}
    where webhook_id = ${webhookId} and state = ${state} and created_at >= ${since}`.execute(db);
  await announceDeliveries(db);
  return Number(numAffectedRows ?? 0);
}

/** A call to be made now, by whoever took it. */
export interface DueDelivery {
  id: string;
  webhook_id: string;
  team_id: string;
  lease: string;
  attempts: number;
  event: KeptEvent;
  url: string;
  secrets: Buffer[];
}

/** How many calls this process is making, to each endpoint and for each team. */
export interface CallsUnderWay {
  toEndpoint: ReadonlyMap<string, number>;
  ofTeam: ReadonlyMap<string, number>;
}

/**
 * Takes what is due: of each endpoint a few at a time and of one that fails just one, so that whoever is slow holds up nobody
 * else. A team may have a part of what is `free`, and that is all that is given at a time: the more is under way, the less a
 * team may have, so that something is left for who comes next. Nobody's turn comes first every time.
 *
 * The first part jumps along the index from the earliest that waits for one endpoint to that of the next, so that all the
 * others, and how much waits for one, cost nothing. How much of it is due is not counted: what an endpoint has no use for
 * is given to another one the next time.
 */
export async function takeDueDeliveries(
  db: Db,
  { free, ofEach, underWay }: { free: number; ofEach: number; underWay: CallsUnderWay },
): Promise<DueDelivery[]> {
  const share = Math.max(1, Math.floor(free * SHARE_OF_TEAM));
  const { rows } = await sql<DueDelivery>`
    with recursive waiting as (
      (select webhook_id, due_at from webhook_deliveries where due_at is not null order by webhook_id, due_at limit 1)
      union all
      select next.* from waiting, lateral (
        select d.webhook_id, d.due_at from webhook_deliveries d where d.due_at is not null and d.webhook_id > waiting.webhook_id
        order by d.webhook_id, d.due_at limit 1
      ) next
    ), endpoint as materialized (
      select w.id, w.team_id, case when w.failing_since is null then ${ofEach}::int else 1 end - coalesce(busy.calls, 0) as room,
        ${share}::int - coalesce(of_team.calls, 0) as free_of_team
      from waiting join webhooks w on w.id = waiting.webhook_id join teams t on t.id = w.team_id
      left join ${countsOf(underWay.toEndpoint)} as busy (id, calls) on busy.id = w.id
      left join ${countsOf(underWay.ofTeam)} as of_team (id, calls) on of_team.id = w.team_id
      where waiting.due_at <= now() and w.is_active and t.is_active
    ), turn as materialized (
      select id, room, free_of_team, coalesce(sum(room) over (
        partition by team_id order by random() rows between unbounded preceding and 1 preceding), 0)::int as before
      from endpoint where room > 0
    ), due as materialized (
      select of_one.id from (select * from turn order by before, random()) turn, lateral (
        select id from webhook_deliveries where webhook_id = turn.id and due_at <= now()
        order by due_at limit greatest(0, least(turn.room, turn.free_of_team - turn.before)) for update skip locked
      ) of_one limit ${share}
    )
    update webhook_deliveries d set due_at = now() + ${LEASE}, lease = gen_random_uuid(), attempts = d.attempts + 1, attempted_at = now()
    from due, webhooks w where d.id = due.id and w.id = d.webhook_id
    returning d.id, d.webhook_id, w.team_id, d.lease, d.attempts, d.event, w.url, (
      select array_agg(s.secret_sealed order by s.created_at desc, s.id) from webhook_secrets s
      where s.webhook_id = d.webhook_id and (s.expires_at is null or s.expires_at > now())) as secrets`.execute(db);
  return rows;
}

const countsOf = (calls: ReadonlyMap<string, number>) =>
  sql`unnest(${[...calls.keys()]}::uuid[], ${[...calls.values()]}::int[])`;

/** How long until something else is due; an endpoint that is switched off wakes nobody twice. */
export async function millisecondsUntilDue(db: Db): Promise<number | undefined> {
  const { rows } = await sql<{ ms: number | null }>`
    select extract(epoch from min(due_at) - now())::float * 1000 as ms from webhook_deliveries where due_at > now()`.execute(
    db,
  );
  return rows[0]?.ms ?? undefined;
}

/**
 * Writes down how a call went, unless the delivery was taken anew meanwhile. `againAfterMs` is undefined where it was the
 * last attempt. The endpoint's row comes first: whoever deletes it takes the locks in this order too.
 */
export async function noteOutcome(
  db: Tx,
  { id, webhook_id, lease }: DueDelivery,
  outcome: Outcome,
  againAfterMs: number | undefined,
): Promise<void> {
  const { isDelivered, status, body, durationMs, error } = outcome;
  await sql`select from webhooks where id = ${webhook_id} for no key update`.execute(db);
  const goesOn = !isDelivered && againAfterMs !== undefined;
  const { rows } = await sql`
    update webhook_deliveries set state = ${isDelivered ? 'delivered' : goesOn ? 'waiting' : 'failed'}, lease = null,
      due_at = ${goesOn ? sql`now() + ${againAfterMs} * interval '1 millisecond'` : null},
      delivered_at = ${isDelivered ? sql`now()` : null}, response_status = ${status}, response_body = ${body},
      duration_ms = ${durationMs}, error = ${error}
    where id = ${id} and lease = ${lease} returning id`.execute(db);
  if (rows.length === 0) return;
  if (isDelivered) await noteWorking(db, webhook_id);
  else await noteFailing(db, webhook_id, status === GONE);
}

async function noteWorking(db: Db, webhookId: string): Promise<void> {
  await sql`update webhooks set failing_since = null where id = ${webhookId} and failing_since is not null`.execute(db);
}

/** An endpoint that says it is gone, or fails for days on end, is switched off. */
async function noteFailing(db: Db, webhookId: string, isGone: boolean): Promise<void> {
  await sql`update webhooks set failing_since = now() where id = ${webhookId} and failing_since is null`.execute(db);
  const reason = isGone ? 'gone' : 'failing';
  const isOver = isGone ? sql`true` : sql`failing_since <= now() - ${PATIENCE}`;
  await sql`update webhooks set is_active = false, disabled_reason = ${reason}, notice_due = true
    where id = ${webhookId} and is_active and ${isOver}`.execute(db);
}

export async function deleteOldDeliveries(db: Db): Promise<void> {
  await deleteInBatches(db, 'webhook_deliveries', sql`created_at < now() - ${KEPT}`);
}

interface WebhookFigures {
  webhook_deliveries_waiting: number;
  webhook_deliveries_overdue_seconds: number;
}

/** Calls that are yet to be made, of all processes together. */
export async function webhookFigures(db: Db): Promise<WebhookFigures> {
  const { rows } = await sql<WebhookFigures>`
    select count(*)::int as webhook_deliveries_waiting,
      coalesce(extract(epoch from now() - min(d.due_at) filter (where d.due_at <= now())), 0)::float as webhook_deliveries_overdue_seconds
    from webhook_deliveries d join webhooks w on w.id = d.webhook_id join teams t on t.id = w.team_id
    where d.due_at is not null and w.is_active and t.is_active`.execute(db);
  return rows[0] as WebhookFigures;
}
