import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import { type Listing, listNewest, type Paging } from '#core/pages.ts';
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

/** What happened to a site while it was this team's: what it did in another one stays there. */
export async function listEventsOfSite(
  db: Db,
  readerId: string,
  site: { id: string; team_id: string },
  after: Date | null,
  paging: Paging,
): Promise<Listing<EventRow>> {
  const ofSite = sql`site_live_id = ${site.id} and team_id = ${site.team_id}`;
  const where = after ? sql`${ofSite} and created_at > ${after}` : ofSite;
  return listNewest<EventRow>(db, { table: 'events', where, columns: columnsFor(readerId) }, paging);
}

/**
 * A person's events are those of their teams and of their account. Each team's newest come off its own index and are
 * merged, because one index scan over many teams would read all their events to find the newest. A page beyond the
 * middle is read from the old end, so that no page sorts more than half of them and the last one costs as little as the
 * first.
 */
export async function listEventsOfUser(
  db: Db,
  {
    userId,
    withAccount,
    teamIds,
    fqdn,
  }: { userId: string; withAccount: boolean; teamIds: string[]; fqdn: string | undefined },
  { page, size }: Paging,
): Promise<Listing<EventRow>> {
  const matches = fqdn === undefined ? sql`true` : sql`fqdn = ${fqdn}`;
  const ofAccount = sql`team_id is null and user_id = ${withAccount ? userId : null} and ${matches}`;
  const counted = await sql<{ count: number }>`
    select ((select count(*) from events where team_id = any(${teamIds}::uuid[]) and ${matches})
      + (select count(*) from events where ${ofAccount}))::int as count`.execute(db);
  const { count } = counted.rows[0] as { count: number };

  const offset = (page - 1) * size;
  const take = Math.min(size, count - offset);
  if (take <= 0) return { count, rows: [] };
  const fromOldEnd = offset > count / 2;
  const skip = fromOldEnd ? count - offset - take : offset;
  const order = fromOldEnd ? sql`created_at, id` : sql`created_at desc, id desc`;
  const { rows } = await sql<EventRow>`
    with keys as (
      select id from (
        select of_team.* from unnest(${teamIds}::uuid[]) as source (team_id), lateral (
          select id, created_at from events where team_id = source.team_id and ${matches} order by ${order} limit ${skip + take}
        ) of_team
        union all
        (select id, created_at from events where ${ofAccount} order by ${order} limit ${skip + take})
      ) merged order by ${order} limit ${take} offset ${skip}
    )
    select ${columnsFor(userId)} from keys join events using (id) order by created_at desc, id desc`.execute(db);
  return { count, rows };
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
