import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import { type Listing, listNewest, type Paging, toListing } from '#core/pages.ts';
import type { Event } from './event.schema.ts';

export type EventRow = Omit<Event, 'user'> & { seq: number };

/** Whether an event is unread is a matter of who reads; the subquery runs once for a whole page. */
const columnsFor = (
  readerId: string,
) => sql`id, seq, team_id, user_id, site_live_id, fqdn, scope, event_type, activity, description, detail,
  item_id, created_at, finished_at, user_id is distinct from ${readerId}::uuid
    and seq > (select events_read_to from users where id = ${readerId}) as unread`;

export async function listEventsOfTeam(
  db: Db,
  readerId: string,
  teamId: string,
  after: Date | null,
  paging: Paging,
): Promise<Listing<EventRow>> {
  const where = after ? sql`team_id = ${teamId} and created_at > ${after}` : sql`team_id = ${teamId}`;
  return listNewest<EventRow>(db, { table: 'events', where, columns: columnsFor(readerId) }, paging);
}

/**
 * A person's events are those of their teams and of their account. Each team's newest come off its own index and are
 * merged, because one index scan over many teams would read all their events to find the newest.
 */
export async function listEventsOfUser(
  db: Db,
  { userId, teamIds, fqdn }: { userId: string; teamIds: string[]; fqdn: string | undefined },
  { page, size }: Paging,
): Promise<Listing<EventRow>> {
  const matches = fqdn === undefined ? sql`true` : sql`fqdn = ${fqdn}`;
  const offset = (page - 1) * size;
  const { rows } = await sql<EventRow & { listing_count: number }>`
    with sources as (select unnest(${teamIds}::uuid[]) as team_id),
    counted as (
      select ((select count(*) from events where team_id = any(${teamIds}::uuid[]) and ${matches})
        + (select count(*) from events where team_id is null and user_id = ${userId} and ${matches}))::int as listing_count
    ),
    keys as (
      select id, created_at from (
        select newest.id, newest.created_at from sources, lateral (
          select id, created_at from events e where e.team_id = sources.team_id and ${matches}
          order by created_at desc, id desc limit ${offset + size}
        ) newest
        union all
        (select id, created_at from events where team_id is null and user_id = ${userId} and ${matches}
          order by created_at desc, id desc limit ${offset + size})
      ) merged order by created_at desc, id desc limit ${size} offset ${offset}
    )
    select counted.listing_count, page.* from counted
    left join (select ${columnsFor(userId)} from (select id from keys) k join events using (id)) page on true
    order by page.created_at desc, page.id desc`.execute(db);
  return toListing<EventRow>(rows);
}

export async function findEvent(db: Db, readerId: string, id: string): Promise<EventRow | undefined> {
  return (await sql<EventRow>`select ${columnsFor(readerId)} from events where id = ${id}`.execute(db)).rows[0];
}

export async function readCursorOf(db: Db, userId: string): Promise<number> {
  const row = await db.selectFrom('users').select('events_read_to').where('id', '=', userId).executeTakeFirstOrThrow();
  return row.events_read_to;
}

/** The cursor only moves on: reading an old event does not make newer ones unread. */
export async function moveReadCursor(db: Db, userId: string, seq: number): Promise<void> {
  await sql`update users set events_read_to = greatest(events_read_to, ${seq}) where id = ${userId}`.execute(db);
}
