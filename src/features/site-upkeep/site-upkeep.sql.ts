import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import { siteGoesOn } from '#features/hold/hold.ts';
import type { SiteRow } from '#features/instance/instance.ts';
import type { PlanName } from '#features/plan/plan.ts';

/** Sites of teams that are neither suspended nor expired. */
const WORKING = sql`join teams t on t.id = s.team_id and t.is_active and not t.is_expired`;

/**
 * The sites whose scheduled work is due before the planner comes again, and when, of owners who have confirmed their address. Their next turn is set an hour ahead
 * before they run: WordPress tells the right moment when it has run, and a site that can not is not tried again every minute.
 */
export async function takeDueCron(db: Db, limit: number): Promise<{ id: string; dueAt: Date }[]> {
  const { rows } = await sql<{ id: string; due_at: Date }>`
    with due as materialized (
      select s.id, s.next_cron_at as due_at from sites s ${WORKING} join users u on u.id = t.user_id and u.is_verified
      where s.next_cron_at <= now() + interval '1 minute' and ${siteGoesOn('s.busy')} and s.kind <> 'preview'
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

/** The sites that ran since they were measured, each at most every five minutes. */
export async function takeSitesToMeasure(db: Db, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update sites set storage_is_stale = false, storage_measured_at = now() where id in (
      select id from sites where storage_is_stale and ${siteGoesOn('busy')} and kind <> 'preview'
        and (storage_measured_at is null or storage_measured_at < now() - interval '5 minutes')
      limit ${limit} for update skip locked)
    returning id`.execute(db);
  return rows.map(({ id }) => id);
}

export interface TeamStorage {
  /** Of the site. */
  id: string;
  plan_type_name: PlanName;
  used_bytes: number;
}

/** What the teams of these sites store by what was last measured, and by which plan. What is in a preview is gone within the hour. */
export async function storageOfSites(db: Db, siteIds: string[]): Promise<TeamStorage[]> {
  const { rows } = await sql<TeamStorage>`
    select s.id, t.plan_type_name, (t.storage_usage + coalesce((
        select sum(storage_bytes) from deleted_sites d where d.team_id = t.id), 0))::bigint as used_bytes
    from sites s join teams t on t.id = s.team_id
    where s.id = any(${siteIds}::uuid[]) and s.kind <> 'preview'`.execute(db);
  return rows;
}
