import { type Insertable, type Selectable, sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { DB } from '#core/db/schema.generated.ts';
import type { Listing, Paging } from '#core/pages.ts';
import { isHostAwake } from '#features/hold/hold.ts';
import type { MomentKind, SiteMoment } from './moment.schema.ts';

/** A backup of which nobody has told yet what is new in it, with the one before it. */
export interface Untold {
  id: string;
  site_id: string;
  commit_hash: string;
  created_at: Date;
  core_version: string | null;
  damaged_at: Date | null;
  before_hash: string | null;
  before_at: Date | null;
  before_core: string | null;
}

/** So many of a site are looked through for who comes next. */
const OF_A_SITE = 10;

/**
 * Of all sites but those that are away. Nobody is woken to be told of: what sleeps on a cluster is told of when it is awake. Teams in turns, however much
 * waits of any of them.
 */
export async function listUntold(
  db: Db,
  { away, only }: { away: string[]; only?: readonly string[] | undefined },
  limit: number,
): Promise<Untold[]> {
  const { rows } = await sql<Untold>`
    with recursive waiting as (
      (select site_id from backups where not is_told order by site_id limit 1)
      union all
      select (select site_id from backups where not is_told and site_id > waiting.site_id order by site_id limit 1)
      from waiting where site_id is not null),
    untold as (select b.*, s.team_id
      from waiting join sites s on s.id = waiting.site_id and s.id <> all(${away}::uuid[])
          and ${only === undefined ? sql`true` : sql`s.id = any(${only}::uuid[])`} and ${isHostAwake('s.host')}, lateral (
        select id, site_id, commit_hash, created_at, core_version, damaged_at from backups
        where site_id = s.id and not is_told order by created_at limit ${OF_A_SITE}) b),
    next as (select *, row_number() over (partition by team_id order by created_at) as turn from untold
      order by turn, created_at limit ${limit})
    select next.*, before.commit_hash as before_hash, before.created_at as before_at, before.core_version as before_core
    from next left join lateral (select commit_hash, created_at, core_version from backups b
      where b.site_id = next.site_id and (b.created_at, b.id) < (next.created_at, next.id) and b.damaged_at is null
      order by b.created_at desc, b.id desc limit 1) before on true
    order by turn, next.created_at`.execute(db);
  return rows;
}

/** Telling of a backup again changes nothing. */
export async function keepMoments(
  db: Db,
  backup: Pick<Untold, 'id' | 'site_id' | 'created_at'>,
  moments: readonly { kind: MomentKind; change: string; text: string; point?: Date | null }[],
): Promise<void> {
  const { id, site_id, created_at } = backup;
  const rows = moments.map(({ kind, change, text, point = null }, place) => {
    return { backup_id: id, site_id, at: created_at, place, kind, change, text, point };
  });
  const told = await sql`update backups set is_told = true where id = ${id} and not is_told`.execute(db);
  if (rows.length > 0 && told.numAffectedRows === 1n)
    await db
      .insertInto('site_moments')
      .values(rows satisfies Insertable<DB['site_moments']>[])
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}

/** What was done to a site through the platform in a time, and went well. */
export interface PlatformWork {
  event_type: 'restore.started' | 'stage.committed' | 'git.synced';
  point: Date | null;
}

/** A work may have begun a while before it ended. */
const LONGEST_WORK = sql`interval '6 hours'`;

export async function listWorks(
  db: Db,
  site: { id: string; kind: string; of_site_id: string | null },
  after: Date,
  until: Date,
): Promise<PlatformWork[]> {
  const isStage = site.kind === 'stage';
  const types = isStage ? ['restore.started'] : ['restore.started', 'stage.committed', 'git.synced'];
  const { rows } = await sql<PlatformWork>`
    select event_type, (detail->>'restore_point')::timestamptz as point from events
    where site_live_id = ${site.of_site_id ?? site.id} and event_type = any(${types})
      and (event_type = 'stage.committed' or scope = ${isStage ? 'stage' : 'site'})
      and created_at between ${after}::timestamptz - ${LONGEST_WORK} and ${until}
      and finished_at > ${after} and finished_at <= ${until} and not detail ? 'failure'
    order by finished_at limit 20`.execute(db);
  return rows;
}

interface MomentQuery extends Paging {
  from: Date;
  until: Date;
  kinds: readonly MomentKind[];
}

/** Newest first; within a minute the weightiest first. */
export async function listMoments(db: Db, siteId: string, query: MomentQuery): Promise<Listing<SiteMoment>> {
  const { page, size, from, until, kinds } = query;
  const matching = sql`site_moments m where m.site_id = ${siteId} and m.at between ${from} and ${until}
    and (${kinds.length === 0} or m.kind = any(${kinds}))`;
  const { rows } = await sql<SiteMoment>`
    select m.at, b.commit_hash, m.place, m.kind, m.change, m.text, m.point
    from (select * from ${matching} order by m.at desc, m.place limit ${size} offset ${(page - 1) * size}) m
    join backups b on b.id = m.backup_id order by m.at desc, m.place`.execute(db);
  const counted = await sql<{ count: number }>`select count(*)::int as count from ${matching}`.execute(db);
  return { count: counted.rows[0]?.count ?? 0, rows };
}

export type RestorePointRow = Selectable<DB['restore_points']>;

export async function listPoints(db: Db, siteId: string, { page, size }: Paging): Promise<Listing<RestorePointRow>> {
  const { rows } = await sql<RestorePointRow>`select * from restore_points where site_id = ${siteId}
    order by restore_point desc, id desc limit ${size} offset ${(page - 1) * size}`.execute(db);
  return { count: await countPoints(db, siteId), rows };
}

export async function countPoints(db: Db, siteId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from restore_points where site_id = ${siteId}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Undefined where the minute has a name. */
export async function insertPoint(db: Db, row: Insertable<DB['restore_points']>): Promise<RestorePointRow | undefined> {
  return db
    .insertInto('restore_points')
    .values(row)
    .onConflict((conflict) => conflict.column('backup_id').doNothing())
    .returningAll()
    .executeTakeFirst();
}

/** Of the site or of its stage. */
export async function findPoint(db: Db, siteId: string, id: string): Promise<RestorePointRow | undefined> {
  const { rows } = await sql<RestorePointRow>`select * from restore_points p where id = ${id} and (site_id = ${siteId}
    or exists (select from sites s where s.id = p.site_id and s.of_site_id = ${siteId}))`.execute(db);
  return rows[0];
}

export async function deletePoint(db: Db, id: string): Promise<void> {
  await sql`delete from restore_points where id = ${id}`.execute(db);
}
