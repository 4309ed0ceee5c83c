import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import { deleteInBatches } from '#core/db/delete-in-batches.ts';
import { sumTallies } from '#core/db/sum-tallies.ts';
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
  const count = after ? undefined : countOfTeam(sql`${teamId}`);
  return listNewest<EventRow>(db, { table: 'events', where, columns: columnsFor(readerId), count }, paging);
}

/** Kept by triggers on the events, because a team can have millions. */
const countOfTeam = (teamId: RawBuilder<unknown>) =>
  sql`select coalesce(sum(events), 0) from event_tallies where team_id = ${teamId}`;

/** A site, and the team whose events of it a reader may see. */
export interface SiteOfReader {
  site_id: string;
  team_id: string;
}

const ofSites = (sites: SiteOfReader[], more = sql``): Part => ({
  source: sql`unnest(${sites.map(({ site_id }) => site_id)}::uuid[], ${sites.map(({ team_id }) => team_id)}::uuid[])
    as site (site_id, team_id)`,
  where: sql`site_live_id = source.site_id and team_id = source.team_id ${more}`,
});

/**
 * The events of sites, under whatever name they had, as far as they belong to the reader's teams: what a site did while it
 * was another team's stays that team's. `named` adds what is told of that name and of no site.
 */
export async function listEventsOfSites(
  db: Db,
  readerId: string,
  { sites, named, after }: { sites: SiteOfReader[]; named?: { fqdn: string; teamIds: string[] }; after?: Date },
  paging: Paging,
): Promise<Listing<EventRow>> {
  const since = after ? sql`and created_at > ${after}` : sql``;
  const parts: Part[] = [ofSites(sites, since)];
  if (named) {
    parts.push({
      source: sql`unnest(${named.teamIds}::uuid[]) as team (team_id)`,
      where: sql`team_id = source.team_id and fqdn = ${named.fqdn} and site_live_id is null`,
    });
  }
  return listMerged(db, readerId, parts, paging);
}

/**
 * Whom a name means to a reader: the site of their teams that has it now, else those that had it, as their events tell.
 * Sites that are gone can not have another name since, so they count beside the one that has it now. The names are read
 * by stepping from one site to the next along the index, past the many events of each.
 */
export async function findSitesCalled(db: Db, fqdn: string, teamIds: string[]): Promise<string[]> {
  const next = (after: RawBuilder<unknown>) => sql`(
    select site_live_id from events where events.team_id = step.team_id and fqdn = ${fqdn} and site_live_id ${after}
    order by site_live_id limit 1)`;
  const { rows } = await sql<{ id: string }>`
    with recursive holder as (
      select sites.id from site_names join sites on sites.id = site_id
      where site_names.fqdn = ${fqdn} and kind = 'live' and team_id = any(${teamIds}::uuid[])
    ), called as (
      select team_id, ${next(sql`is not null`)} as id from unnest(${teamIds}::uuid[]) as step (team_id)
      union all
      select team_id, ${next(sql`> step.id`)} from called as step where id is not null
    )
    select id from holder
    union
    select called.id from called left join sites using (id)
    where called.id is not null and (sites.id is null or not exists (select from holder))`.execute(db);
  return rows.map(({ id }) => id);
}

/** A person's events are those of their teams, of the sites that they are limited to, and of their account. */
export async function listEventsOfUser(
  db: Db,
  wanted: { userId: string; withAccount: boolean; teamIds: string[]; sites: SiteOfReader[] },
  paging: Paging,
): Promise<Listing<EventRow>> {
  const { userId, withAccount, teamIds, sites } = wanted;
  const parts: Part[] = [
    {
      source: sql`unnest(${teamIds}::uuid[]) as team (team_id)`,
      where: sql`team_id = source.team_id`,
      count: countOfTeam(sql`source.team_id`),
    },
  ];
  if (sites.length > 0) parts.push(ofSites(sites));
  if (withAccount) {
    parts.push({
      source: sql`(values (${userId}::uuid)) as account (user_id)`,
      where: sql`team_id is null and user_id = source.user_id`,
    });
  }
  return listMerged(db, userId, parts, paging);
}

/** Some of the events that a list is merged from: for each row of `source`, those that `where` names by an index. */
interface Part {
  source: RawBuilder<unknown>;
  where: RawBuilder<unknown>;
  /** How many those are, where that is known without counting. */
  count?: RawBuilder<unknown>;
}

/**
 * Each part's newest come off its own index and are merged, because one index scan over many teams would read all their
 * events to find the newest. A page beyond the middle is read from the old end, so that no page sorts more than half of
 * them and the last one costs as little as the first.
 */
async function listMerged(db: Db, readerId: string, parts: Part[], { page, size }: Paging): Promise<Listing<EventRow>> {
  const union = (each: (part: Part) => RawBuilder<unknown>) => sql.join(parts.map(each), sql` union all `);
  const counted = await sql<{ count: number }>`
    select coalesce(sum(found), 0)::int as count from (${union(
      ({ source, where, count = sql`select count(*) from events where ${where}` }) => sql`select (${count}) as found
        from (select * from ${source}) source`,
    )}) parts`.execute(db);
  const { count } = counted.rows[0] as { count: number };

  const offset = (page - 1) * size;
  const take = Math.min(size, count - offset);
  if (take <= 0) return { count, rows: [] };
  const fromOldEnd = offset > count / 2;
  const skip = fromOldEnd ? count - offset - take : offset;
  const order = fromOldEnd ? sql`created_at, id` : sql`created_at desc, id desc`;
  const { rows } = await sql<EventRow>`
    with keys as (
      select id from (${union(
        ({ source, where }) => sql`select found.* from (select * from ${source}) source, lateral (
          select id, created_at from events where ${where} order by ${order} limit ${skip + take}
        ) found`,
      )}) merged order by ${order} limit ${take} offset ${skip}
    )
    select ${columnsFor(readerId)} from keys join events using (id) order by created_at desc, id desc`.execute(db);
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

/** In a database restored from a dump, events carry transaction ids that this server has yet to reach. */
export async function placeRestoredEvents(db: Db): Promise<void> {
  await sql`update events set id = id where xid >= pg_snapshot_xmax(pg_current_snapshot())`.execute(db);
}

/** What goes on is kept however long it takes. */
export async function forgetOldEvents(db: Db): Promise<void> {
  await deleteInBatches(db, 'events', sql`finished_at is not null and created_at < now() - interval '400 days'`);
  await sumTallies(db, { table: 'event_tallies', key: ['team_id'], amount: 'events' });
}
