import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { SiteStatus } from '#runtimes/runtime.ts';
import type { SiteRow } from './site.sql.ts';

/** Sites of teams that are neither suspended nor expired. */
const WORKING = sql`join teams t on t.id = s.team_id and t.is_active and not t.is_expired`;

/** What sites told of themselves, in one statement; cron work is looked for once a minute, however often one asks. */
export async function writeStatuses(db: Db, statuses: ReadonlyMap<string, SiteStatus>): Promise<void> {
  const entries = [...statuses.values()];
  await sql`
    update sites s set favicon_url = told.favicon_url, next_cron_at = greatest(told.next_cron_at, now() + interval '1 minute')
    from unnest(${[...statuses.keys()]}::uuid[], ${entries.map((entry) => entry.faviconUrl)}::text[],
      ${entries.map((entry) => entry.nextCronAt)}::timestamptz[]) as said (id, icon, next_cron_at)
    join sites own on own.id = said.id,
    -- An icon from elsewhere would tell that server who looks at the dashboard.
    lateral (select said.id, said.next_cron_at,
      case when substring(said.icon from '^https?://([^/:?#]+)') = own.fqdn then said.icon end as favicon_url) told
    where s.id = told.id and (s.favicon_url is distinct from told.favicon_url or s.next_cron_at is distinct from told.next_cron_at)`.execute(
    db,
  );
}

/**
 * The sites whose scheduled work is due. Their next turn is set an hour ahead before they run: WordPress tells the right
 * moment when it has run, and a site that can not is not tried again every minute.
 */
export async function takeDueCron(db: Db, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update sites set next_cron_at = now() + interval '1 hour' where id in (
      select s.id from sites s ${WORKING}
      where s.next_cron_at <= now() and s.busy is null order by s.next_cron_at limit ${limit} for update of s skip locked)
    returning id`.execute(db);
  return rows.map(({ id }) => id);
}

/** Puts to sleep what is awake and should not be: free sites without a request in 15 minutes, sites of unpaid teams. */
export async function takeIdleSites(db: Db, limit: number): Promise<SiteRow[]> {
  const { rows } = await sql<SiteRow>`
    update sites set is_sleeping = true where id in (
      select s.id from sites s join teams t on t.id = s.team_id
      where not s.is_sleeping and s.busy is null and (not t.is_active or t.is_expired or ((s.is_free or t.plan_type_name = 'free')
        and greatest(s.created_at, s.last_visited_at) < now() - interval '15 minutes'))
      limit ${limit} for update of s skip locked)
    returning *`.execute(db);
  return rows;
}

/** The sites that ran since they were measured, each at most every five minutes. */
export async function takeSitesToMeasure(db: Db, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update sites set storage_is_stale = false, storage_measured_at = now() where id in (
      select id from sites where storage_is_stale and busy is null
        and (storage_measured_at is null or storage_measured_at < now() - interval '5 minutes')
      limit ${limit} for update skip locked)
    returning id`.execute(db);
  return rows.map(({ id }) => id);
}

/** Whether the site may mail now: its team works, and it has not mailed to too many people within this hour. */
export async function takeMailAllowance(
  db: Db,
  id: string,
  { recipients, perHour }: { recipients: number; perHour: number },
): Promise<boolean> {
  const hour = sql`date_trunc('hour', now(), 'UTC')`;
  const { rows } = await sql`
    update sites set mails_sent = ${recipients} + case when mail_hour = ${hour} then mails_sent else 0 end, mail_hour = ${hour}
    where id = (select s.id from sites s ${WORKING} where s.id = ${id})
      and (mail_hour is distinct from ${hour} or mails_sent < ${perHour})
    returning id`.execute(db);
  return rows.length > 0;
}

export async function keepMailWaiting(db: Db, id: string): Promise<void> {
  await sql`update sites set mail_is_waiting = true where id = ${id}`.execute(db);
}

/** The sites whose mail had to wait for a new hour that has begun by now. */
export async function takeWaitingMail(db: Db, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update sites set mail_is_waiting = false where id in (
      select s.id from sites s ${WORKING}
      where s.mail_is_waiting and (s.mail_hour is null or s.mail_hour < date_trunc('hour', now(), 'UTC'))
      limit ${limit} for update of s skip locked)
    returning id`.execute(db);
  return rows.map(({ id }) => id);
}

/** Begins the next month of teams whose billing cycle is over, with every counter at zero. */
export async function startDueCycles(db: Db): Promise<void> {
  await sql`
    with due as (
      update teams set cycle_start = cycle_end, cycle_end = cycle_end + interval '1 month', current_cycle_visits = 0,
        current_cycle_bandwidth = 0
      where cycle_end <= now() returning id
    )
    update sites s set current_cycle_visits = 0, current_cycle_bandwidth = 0, current_cycle_cached_bandwidth = 0,
      current_cycle_cache_hits = 0, current_cycle_cache_misses = 0
    from due where s.team_id = due.id`.execute(db);
}
