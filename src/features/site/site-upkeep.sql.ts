import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { SiteStatus } from '#runtimes/runtime.ts';
import type { SiteRow } from './site.sql.ts';

/** Sites of teams that are neither suspended nor expired. */
const WORKING = sql`join teams t on t.id = s.team_id and t.is_active and not t.is_expired`;

/**
 * What sites told of themselves, in one statement, which locks them in the order of their ids as everybody does. Cron work
 * that is overdue is due since the platform first heard of it: a busy site, which tells so with each request, keeps its
 * place, and nobody gets in front of others by telling of work from long ago. A site without any is not woken for it.
 */
export async function writeStatuses(db: Db, statuses: ReadonlyMap<string, SiteStatus>): Promise<void> {
  const entries = [...statuses.values()];
  await sql`
    with said as (
      select * from unnest(${[...statuses.keys()]}::uuid[], ${entries.map((entry) => entry.faviconUrl)}::text[],
        ${entries.map((entry) => entry.nextCronAt)}::timestamptz[]) as said (id, icon, next_cron_at)
    ), held as materialized (
      select id, fqdn, next_cron_at as known_cron_at from sites
      where id in (select id from said) and kind <> 'preview' order by id for no key update
    ), told as (
      -- An icon from elsewhere would tell that server who looks at the dashboard.
      select id, case when substring(icon from '^https?://([^/:?#]+)') = fqdn then icon end as favicon_url,
        case when next_cron_at is not null then greatest(next_cron_at, least(known_cron_at, now())) end as next_cron_at
      from said join held using (id)
    )
    update sites s set favicon_url = told.favicon_url, next_cron_at = told.next_cron_at from told
    where s.id = told.id
      and (s.favicon_url is distinct from told.favicon_url or s.next_cron_at is distinct from told.next_cron_at)`.execute(
    db,
  );
}

/**
 * The sites whose scheduled work is due before the planner comes again, and when. Their next turn is set an hour ahead
 * before they run: WordPress tells the right moment when it has run, and a site that can not is not tried again every minute.
 */
export async function takeDueCron(db: Db, limit: number): Promise<{ id: string; dueAt: Date }[]> {
  const { rows } = await sql<{ id: string; due_at: Date }>`
    with due as materialized (
      select s.id, s.next_cron_at as due_at from sites s ${WORKING}
      where s.next_cron_at <= now() + interval '1 minute' and s.busy is null and s.kind <> 'preview'
      order by s.next_cron_at limit ${limit} for update of s skip locked
    )
    update sites s set next_cron_at = now() + interval '1 hour' from due where s.id = due.id
    returning s.id, due.due_at`.execute(db);
  return rows.map(({ id, due_at }) => ({ id, dueAt: due_at }));
}

/**
 * The turn that was taken could not be used: the site is looked at again when it works. Unless it has told meanwhile that there
 * is nothing to do: `least` passes over a null.
 */
export async function keepCronDue(db: Db, id: string): Promise<void> {
  await sql`update sites set next_cron_at = least(next_cron_at, now()) where id = ${id} and next_cron_at is not null`.execute(
    db,
  );
}

export type SleepReason = 'suspended' | 'expired' | 'idle';

/**
 * Puts to sleep what is awake and should not be: sites of teams that are suspended or unpaid, free sites without a request
 * in 15 minutes.
 */
export async function takeIdleSites(db: Db, limit: number): Promise<(SiteRow & { reason: SleepReason })[]> {
  const { rows } = await sql<SiteRow & { reason: SleepReason }>`
    with taken as materialized (
      select s.id, case when not t.is_active then 'suspended' when t.is_expired then 'expired' else 'idle' end as reason
      from sites s join teams t on t.id = s.team_id
      where s.kind <> 'preview' and not s.is_sleeping and s.busy is null and (not t.is_active or t.is_expired or ((s.is_free or t.plan_type_name = 'free')
        and greatest(s.created_at, s.last_visited_at) < now() - interval '15 minutes'))
      limit ${limit} for update of s skip locked
    )
    update sites s set is_sleeping = true from taken where s.id = taken.id returning s.*, taken.reason`.execute(db);
  return rows;
}

/** To be called for what runs past the edge, which tells of all else. */
export async function markStorageStale(db: Db, id: string): Promise<void> {
  await sql`update sites set storage_is_stale = true where id = ${id} and not storage_is_stale`.execute(db);
}

/** The sites that ran since they were measured, each at most every five minutes. */
export async function takeSitesToMeasure(db: Db, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update sites set storage_is_stale = false, storage_measured_at = now() where id in (
      select id from sites where storage_is_stale and busy is null and kind <> 'preview'
        and (storage_measured_at is null or storage_measured_at < now() - interval '5 minutes')
      limit ${limit} for update skip locked)
    returning id`.execute(db);
  return rows.map(({ id }) => id);
}

const HOUR = sql`date_trunc('hour', now(), 'UTC')`;
const SENT_THIS_HOUR = sql`case when mail_hour = ${HOUR} then mails_sent else 0 end`;

/**
 * Whether the site may mail now: its team works, and it has not mailed to too many people within this hour. `unconfirmed`
 * is how many those are while nobody has confirmed the address of the team's owner.
 */
export async function mayMail(db: Db, id: string, perHour: { usual: number; unconfirmed: number }): Promise<boolean> {
  const { rows } = await sql`
    select from sites s ${WORKING} join users u on u.id = t.user_id
    where s.id = ${id} and ${SENT_THIS_HOUR} < case when u.is_verified then ${perHour.usual}::int else ${perHour.unconfirmed} end`.execute(
    db,
  );
  return rows.length > 0;
}

/** To be called after the mail went out, so that what fails and is tried again counts once. */
export async function countMail(db: Db, id: string, recipients: number): Promise<void> {
  await sql`update sites set mails_sent = ${recipients} + ${SENT_THIS_HOUR}, mail_hour = ${HOUR} where id = ${id}`.execute(
    db,
  );
}

/** Until the next hour, whatever the reason: that is when it is looked for again. */
export async function keepMailWaiting(db: Db, id: string): Promise<void> {
  await sql`update sites set mail_is_waiting = true, mails_sent = ${SENT_THIS_HOUR}, mail_hour = ${HOUR} where id = ${id}`.execute(
    db,
  );
}

/** The sites whose mail had to wait for a new hour that has begun by now. */
export async function takeWaitingMail(db: Db, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update sites set mail_is_waiting = false where id in (
      select s.id from sites s ${WORKING}
      where s.mail_is_waiting and (s.mail_hour is null or s.mail_hour < ${HOUR})
      limit ${limit} for update of s skip locked)
    returning id`.execute(db);
  return rows.map(({ id }) => id);
}

/** How many sites there are, by what they are doing. */
export async function countSitesByState(db: Db): Promise<{ ready: number; sleeping: number; busy: number }> {
  const { rows } = await sql<{ ready: number; sleeping: number; busy: number }>`
    select count(*) filter (where busy is not null)::int as busy,
      count(*) filter (where busy is null and is_sleeping)::int as sleeping,
      count(*) filter (where busy is null and not is_sleeping)::int as ready from sites where kind = 'live'`.execute(
    db,
  );
  return rows[0] as { ready: number; sleeping: number; busy: number };
}
