import { type Selectable, sql, type Updateable } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { DB } from '#core/db/schema.generated.ts';
import { siteGoesOn } from '#features/hold/hold.ts';

export type SoftwareRow = Selectable<DB['site_software']>;

export async function findSoftware(db: Db, siteId: string): Promise<SoftwareRow | undefined> {
  return db.selectFrom('site_software').selectAll().where('site_id', '=', siteId).executeTakeFirst();
}

export async function putSoftware(db: Db, siteId: string, change: Updateable<DB['site_software']>): Promise<void> {
  await db
    .insertInto('site_software')
    .values({ ...change, site_id: siteId })
    .onConflict((conflict) => conflict.column('site_id').doUpdateSet(change))
    .execute();
}

/** What the event of a change says of it. */
export async function findChangeEvent(
  db: Db,
  eventId: string,
): Promise<{ id: string; created_at: Date; finished_at: Date | null; detail: Record<string, unknown> } | undefined> {
  return db
    .selectFrom('events')
    .select(['id', 'created_at', 'finished_at', 'detail'])
    .where('id', '=', eventId)
    .executeTakeFirst() as ReturnType<typeof findChangeEvent>;
}

/** The clocks that teams go by. Where each stands is for whoever checked that it is one: of the newest zones the database knows nothing, and fails. */
export async function listTimezones(db: Db): Promise<string[]> {
  const { rows } = await sql<{ timezone: string }>`select distinct timezone from teams`.execute(db);
  return rows.map(({ timezone }) => timezone);
}

/**
 * Live sites of which it is to be found out what they run, of teams whose clock is one of these, each with its next turn: once a night where somebody was
 * there since, and once a week otherwise. What was created today is asked when somebody looks at it.
 */
export async function takeDueSites(db: Db, timezones: string[], limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with due as materialized (
      select s.id from sites s join teams t on t.id = s.team_id and t.is_active and not t.is_expired
        left join site_software w on w.site_id = s.id
      where s.kind = 'live' and s.created_at < now() - interval '1 day' and s.core_version is not null and ${siteGoesOn('s.busy')}
        and t.timezone = any(${timezones}) and (w.planned_at is null or w.planned_at < now() - interval '7 days'
          or (w.planned_at < now() - interval '20 hours' and s.last_visited_at > w.planned_at))
      order by w.planned_at nulls first limit ${limit} for no key update of s skip locked
    )
    insert into site_software (site_id, planned_at) select id, now() from due
    on conflict (site_id) do update set planned_at = excluded.planned_at returning site_id as id`.execute(db);
  return rows.map(({ id }) => id);
}

/** Of sites that are gone for good. */
export async function deleteOrphanedSoftware(db: Db): Promise<void> {
  await sql`delete from site_software w where not exists (select from sites s where s.id = w.site_id)
    and not exists (select from deleted_sites d where d.id = w.site_id)`.execute(db);
}
