import { type Selectable, sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { DB } from '#core/db/schema.generated.ts';
import { siteGoesOn } from '#features/hold/hold.ts';

/** When sites are due: the table is the queue. */
export type BackupClockRow = Selectable<DB['backup_clocks']>;

/** What runs for a moment is let finish, so that it is in one backup and not in two. */
const SETTLE = sql`interval '5 seconds'`;
const EVERY = sql`interval '60 seconds'`;

/** A new site, or one that is brought back: its backup is due now. */
export async function startClock(db: Db, siteId: string, space: string): Promise<void> {
  await sql`insert into backup_clocks (site_id, space) values (${siteId}, ${space})
    on conflict (site_id) do update set touched_at = now(), due_at = now()`.execute(db);
}

/** A site that is gone is not looked at any more; what is kept of it stays. */
export async function stopClock(db: Db, siteId: string): Promise<void> {
  await sql`update backup_clocks set due_at = null, failing_since = null, failures = 0, failure = null, failed_event_id = null
    where site_id = ${siteId}`.execute(db);
}

/** Something ran that could have changed these sites. In the order of their ids, so that two never wait for one another. */
export async function touchSites(db: Db, siteIds: string[]): Promise<void> {
  await sql`with held as materialized (
      select site_id from backup_clocks where site_id = any(${siteIds}::uuid[]) order by site_id for update)
    update backup_clocks c set touched_at = now(), due_at = coalesce(due_at, greatest(now() + ${SETTLE}, cut_at + ${EVERY}, not_before))
    from held where c.site_id = held.site_id`.execute(db);
}

/**
 * A process that was killed may have known of runs that it had not written down; whoever was touched on its host in the moments before
 * is looked at again, as far back as a run can have begun that had not ended. Who is due anyway is left as it is: the host may have been
 * woken for that very backup, and would be woken for another one each minute.
 */
export async function touchLatest(db: Db, host: string, longestRunSeconds: number): Promise<void> {
  await sql`with here as (select c.site_id, c.touched_at from backup_clocks c join sites s on s.id = c.site_id where s.host = ${host})
    update backup_clocks c set touched_at = now(), due_at = now() from here
    where c.site_id = here.site_id and c.due_at is null
      and here.touched_at > (select max(touched_at) from here) - ${longestRunSeconds + 30} * interval '1 second'`.execute(
    db,
  );
}

/** Who gets the next places. */
interface Turn {
  /** Those that took long lately, or came to no end, or those that did not; without it all of them. */
  isSuspect?: boolean;
  /** The sites that have a place already. */
  running?: readonly string[];
  /** So many places one team has at most. */
  mostOfTeam?: number;
}

const ANY_NUMBER = 1_000_000;

/** Whether sites are due, of the one kind and of the other (`is_slow`). Each second somebody asks, and mostly there are none. */
export async function dueKinds(db: Db): Promise<Set<boolean>> {
  const { rows } = await sql<{ is_slow: boolean }>`
    select distinct is_slow from backup_clocks where due_at <= now()`.execute(db);
  return new Set(rows.map(({ is_slow }) => is_slow));
}

/**
 * Takes the sites that are due and that nothing else has to itself: teams in turns, so that one which has a place does not take the next
 * while others wait, and of each the longest overdue first. Until their cut is noted they are due again in two minutes, should
 * whoever took them die.
 */
export async function takeDueSites(db: Db, limit: number, turn: Turn = {}): Promise<string[]> {
  const { isSuspect, running = [], mostOfTeam = ANY_NUMBER } = turn;
  const lane = isSuspect === undefined ? sql`true` : sql`c.is_slow = ${isSuspect}`;
  const { rows } = await sql<{ site_id: string }>`
    with places as (select team_id, count(*) as taken from sites where id = any(${running}::uuid[]) group by team_id),
    due as (select c.site_id, c.due_at as since,
        coalesce(p.taken, 0) + row_number() over (partition by s.team_id order by c.due_at) as turn
      from backup_clocks c join sites s on s.id = c.site_id left join places p on p.team_id = s.team_id
      where c.due_at <= now() and ${siteGoesOn('s.busy')} and s.core_version is not null and ${lane}
        and c.site_id <> all(${running}::uuid[]))
    update backup_clocks set due_at = now() + interval '2 minutes' where site_id in (
      select c.site_id from backup_clocks c join due using (site_id)
      where c.due_at <= now() and due.turn <= ${mostOfTeam}
      order by due.turn, due.since limit ${limit} for update of c skip locked)
    returning site_id`.execute(db);
  return rows.map(({ site_id }) => site_id);
}

/** Somebody else was at the site; its turn comes again. */
export async function postpone(db: Db, siteId: string): Promise<void> {
  await sql`update backup_clocks set due_at = greatest(now() + ${SETTLE}, not_before) where site_id = ${siteId}`.execute(
    db,
  );
}

export async function findClock(db: Db, siteId: string): Promise<BackupClockRow | undefined> {
  return (await sql<BackupClockRow>`select * from backup_clocks where site_id = ${siteId}`.execute(db)).rows[0];
}

export async function databaseTime(db: Db): Promise<Date> {
  return (await sql<{ now: Date }>`select clock_timestamp()::timestamptz(3) as now`.execute(db)).rows[0]?.now as Date;
}

/** One that took longer than the first is slow from now on, and until one takes less than the second. */
const SLOW_MS = { from: 10_000, below: 5_000 };

/** A cut that began then has succeeded; whatever ran since is for the next one. Where the clock was set back meanwhile, nobody can tell. */
export async function noteCut(db: Db, siteId: string, begunAt: Date, tookMs: number): Promise<void> {
  await sql`update backup_clocks set cut_at = ${begunAt},
      is_slow = ${tookMs}::float > case when is_slow then ${SLOW_MS.below}::float else ${SLOW_MS.from}::float end,
      due_at = case when touched_at >= ${begunAt} or ${begunAt} > now() then greatest(least(${begunAt}, now()) + ${EVERY}, not_before) end,
      failing_since = null, failures = 0, failure = null, failed_event_id = null
    where site_id = ${siteId}`.execute(db);
}

/** Some restore points of the site may be damaged: they are checked, and its owner is notified of those that are. */
export async function noteDamage(db: Db, siteId: string): Promise<void> {
  await sql`update backup_clocks set damage_found_at = coalesce(damage_found_at, now()) where site_id = ${siteId}`.execute(
    db,
  );
}

/** The next one comes not sooner than this. False where it has to wait already. */
export async function delayCut(db: Db, siteId: string, waitMs: number): Promise<boolean> {
  const { rows } = await sql<{ waits: boolean }>`
    update backup_clocks c set not_before = now() + ${waitMs} * interval '1 millisecond'
    from backup_clocks old where old.site_id = c.site_id and c.site_id = ${siteId}
    returning old.not_before is not null and old.not_before > now() - ${EVERY} * 2 as waits`.execute(db);
  return rows[0]?.waits === false;
}

/** Adds what a team's backups have stored; by then what came before has run out at this rate. Returns how much there is. */
export async function spend(db: Db, teamId: string, bytes: number, bytesPerSecond: number): Promise<number> {
  const { rows } = await sql<{ level: number }>`
    insert into backup_spending as s (team_id, level) values (${teamId}, ${bytes})
    on conflict (team_id) do update set at = now(),
      level = greatest(0, s.level - greatest(0, extract(epoch from now() - s.at)) * ${bytesPerSecond}::float)::bigint + excluded.level
    returning level`.execute(db);
  return rows[0]?.level ?? 0;
}

/** It takes longer than one may that others wait for, or came to no end. */
export async function noteSlow(db: Db, siteId: string): Promise<void> {
  await sql`update backup_clocks set is_slow = true where site_id = ${siteId}`.execute(db);
}

export async function noteFailure(
  db: Db,
  siteId: string,
  failure: string,
  eventId: string | null,
  againAfterMs: number,
): Promise<void> {
  await sql`update backup_clocks set failing_since = coalesce(failing_since, now()), failures = failures + 1,
      failure = ${failure}, failed_event_id = ${eventId}, due_at = greatest(now() + ${againAfterMs} * interval '1 millisecond', not_before)
    where site_id = ${siteId}`.execute(db);
}

interface BackupFigures {
  backups_due: number;
  backups_failing: number;
  backups_overdue_seconds: number;
}

/** How far behind the backups are, of all processes together. */
export interface FailingBackup {
  site_id: string;
  fqdn: string;
  failing_since: Date;
  failures: number;
  reason: string | null;
}

/** Those that fail longest first. */
export async function failingBackups(db: Db, limit: number): Promise<FailingBackup[]> {
  const { rows } = await sql<FailingBackup>`
    select c.site_id, s.fqdn, c.failing_since, c.failures, c.failure as reason
    from backup_clocks c join sites s on s.id = c.site_id
    where c.failing_since is not null order by c.failing_since limit ${limit}`.execute(db);
  return rows;
}

export async function backupFigures(db: Db): Promise<BackupFigures> {
  const { rows } = await sql<BackupFigures>`
    select count(*) filter (where due_at <= now())::int as backups_due,
      count(*) filter (where c.failing_since is not null)::int as backups_failing,
      coalesce(extract(epoch from now() - min(due_at) filter (where due_at <= now())), 0)::float as backups_overdue_seconds
    from backup_clocks c join sites s on s.id = c.site_id where due_at is not null`.execute(db);
  return rows[0] as BackupFigures;
}
