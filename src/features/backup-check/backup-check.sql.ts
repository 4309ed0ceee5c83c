import { type Selectable, sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { DB } from '#core/db/schema.generated.ts';
import { noteDamage } from '#features/backup/backup.ts';
import type { CheckedSnapshots, CheckPlace } from '#timemachine/process/protocol.ts';

type CheckRow = Omit<Selectable<DB['backup_checks']>, 'place'> & { place: CheckPlace | null };

/** The check of a host that is under way, or a new one where the last began long enough ago; undefined where none is due. */
export async function findDueCheck(db: Db, host: string, everyHours: number): Promise<CheckRow | undefined> {
  const { rows } = await sql<CheckRow>`
    insert into backup_checks as known (host) values (${host})
    on conflict (host) do update set
      begun_at = case when known.finished_at is null then known.begun_at else now() end,
      faults = case when known.finished_at is null then known.faults else 0 end,
      finished_at = null
    where known.finished_at is null or known.begun_at < now() - ${everyHours} * interval '1 hour'
    returning *`.execute(db);
  return rows[0];
}

/** A turn has ended there. */
export async function noteTurn(db: Db, host: string, place: CheckPlace | null, faults: number): Promise<void> {
  await sql`update backup_checks set place = ${place && JSON.stringify(place)}, faults = faults + ${faults},
      last_faults = case when ${place === null} then faults + ${faults} else last_faults end,
      finished_at = case when ${place === null} then now() end
    where host = ${host}`.execute(db);
}

/** Backups within what was looked at that the look did not find, and that count as sound so far. */
export async function listUnseen(db: Db, part: CheckedSnapshots): Promise<string[]> {
  const { rows } = await sql<{ commit_hash: string }>`
    select commit_hash from backups where ${isWithin(part)} and damaged_at is null
      and not commit_hash = any(${[...part.whole, ...part.damaged]})`.execute(db);
  return rows.map(({ commit_hash }) => commit_hash);
}

/** Writes down which can be restored. Where there are new ones among those that can not, its people are to be told in the end. */
export async function noteSeen(db: Db, part: CheckedSnapshots, damaged: string[]): Promise<void> {
  await sql`update backups set damaged_at = null
    where ${isWithin(part)} and damaged_at is not null and commit_hash = any(${part.whole})`.execute(db);
  const { numAffectedRows = 0n } = await sql`update backups set damaged_at = now()
    where ${isWithin(part)} and damaged_at is null and commit_hash = any(${damaged})`.execute(db);
  if (numAffectedRows > 0n) await noteDamage(db, part.site);
}

export interface Damaged {
  site_id: string;
  space: string;
  /** Whether it was waited for long enough. */
  is_overdue: boolean;
}

/** Sites of a host with damage of which nobody was told yet. */
export async function listUntold(db: Db, host: string, waitHours: number): Promise<Damaged[]> {
  const { rows } = await sql<Damaged>`
    select site_id, space, damage_found_at < now() - ${waitHours} * interval '1 hour' as is_overdue
    from backup_clocks join sites on id = site_id where damage_found_at is not null and host = ${host}`.execute(db);
  return rows;
}

/** Its people were told, or there is nothing to tell. */
export async function noteTold(db: Db, siteId: string): Promise<void> {
  await sql`update backup_clocks set damage_found_at = null where site_id = ${siteId}`.execute(db);
}

const isWithin = ({ site, afterMs, upToMs }: CheckedSnapshots) => sql`site_id = ${site}
  and created_at > ${new Date(afterMs)} and created_at <= ${upToMs === null ? new Date('9999-01-01') : new Date(upToMs)}`;

interface Damage {
  count: number;
  oldest: Date;
  newest: Date;
  /** The newest that can be restored. */
  sound: Date | null;
  owner_id: string;
}

export async function damageOf(db: Db, site: { id: string; team_id: string }): Promise<Damage | undefined> {
  const { rows } = await sql<Damage>`
    select count(*) filter (where damaged_at is not null)::int as count, min(created_at) filter (where damaged_at is not null) as oldest,
      max(created_at) filter (where damaged_at is not null) as newest, max(created_at) filter (where damaged_at is null) as sound,
      (select user_id from teams where id = ${site.team_id}) as owner_id
    from backups where site_id = ${site.id}`.execute(db);
  return rows[0];
}

interface CheckFigures {
  backups_damaged: number;
  backup_check_faults: number;
  backup_check_age_seconds: number;
  backup_prune_troubles: number;
}

export async function checkFigures(db: Db): Promise<CheckFigures> {
  const { rows } = await sql<CheckFigures>`
    select (select count(*)::int from backups where damaged_at is not null) as backups_damaged,
      coalesce(sum(greatest(last_faults, faults)), 0)::int as backup_check_faults,
      coalesce(extract(epoch from now() - min(begun_at) filter (where begun_at > 'epoch')), 0)::float as backup_check_age_seconds,
      coalesce(sum(prune_troubles), 0)::int as backup_prune_troubles
    from backup_checks`.execute(db);
  return rows[0] as CheckFigures;
}
