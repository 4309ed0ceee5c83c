import { type Selectable, sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { DB } from '#core/db/schema.generated.ts';
import { isHostAwake } from '#features/hold/hold.ts';
import type { PlanName } from '#features/plan/plan.ts';
import type { Place } from '#host/site-host.ts';
import type { SnapshotReport } from '#timemachine/process/protocol.ts';

interface NotSaved {
  kind: 'file' | 'table';
  name: string;
  reason: string;
}

export const LISTED_NOT_SAVED = 100;

/** A snapshot as it is recorded. */
export type BackupRow = Omit<Selectable<DB['backups']>, 'not_saved'> & { not_saved: NotSaved[] };

/** For whoever names no point: where the clock was set back, the newest backup is after its now (timemachine/archive). */
export const LATEST = new Date('9999-12-31T00:00:00Z');

/** The newest backups at or before a point, closest first; of those that can be restored, as all that is offered. */
export async function listBackups(db: Db, siteId: string, point: Date, limit: number): Promise<BackupRow[]> {
  const { rows } = await sql<BackupRow>`
    select * from backups where site_id = ${siteId} and created_at <= ${point} and damaged_at is null
    order by created_at desc, id desc limit ${limit}`.execute(db);
  return rows;
}

/** The same with nothing but their names. */
export async function listMoments(
  db: Db,
  siteId: string,
  point: Date,
  limit: number,
): Promise<Pick<BackupRow, 'commit_hash' | 'created_at'>[]> {
  const { rows } = await sql<Pick<BackupRow, 'commit_hash' | 'created_at'>>`
    select commit_hash, created_at from backups where site_id = ${siteId} and created_at <= ${point} and damaged_at is null
    order by created_at desc, id desc limit ${limit}`.execute(db);
  return rows;
}

export async function findBackupByHash(db: Db, siteId: string, hash: string): Promise<BackupRow | undefined> {
  const { rows } = await sql<BackupRow>`
    select * from backups where site_id = ${siteId} and commit_hash = ${hash} and damaged_at is null`.execute(db);
  return rows[0];
}

/** The newest that is written down, whether it can be restored or not. */
export async function findNewest(db: Db, siteId: string): Promise<BackupRow | undefined> {
  const { rows } = await sql<BackupRow>`
    select * from backups where site_id = ${siteId} order by created_at desc, id desc limit 1`.execute(db);
  return rows[0];
}

/** Recording a snapshot again changes nothing. */
export async function insertBackup(
  db: Db,
  site: { id: string; core_version: string | null; php_version: string | null },
  report: SnapshotReport,
): Promise<void> {
  const skipped = report.tablesSkipped.filter(({ reason }) => reason === 'unchanged').map(({ name }) => name);
  const failed = report.tablesSkipped.filter(({ reason }) => reason !== 'unchanged');
  const notSaved = [
    ...failed.map((table) => ({ kind: 'table', ...table })),
    ...report.filesSkipped.map((file) => ({ kind: 'file', ...file })),
  ].slice(0, LISTED_NOT_SAVED);
  await sql`insert into backups (site_id, commit_hash, created_at, finished_at, tables_saved, tables_skipped, files_added,
      files_changed, files_removed, stored_bytes, is_consistent, not_saved, core_version, php_version)
    values (${site.id}, ${report.hash}, ${new Date(report.timeMs)}, ${new Date(report.finishedMs)}, ${report.tablesSaved},
      ${skipped}, ${report.filesAdded}, ${report.filesChanged}, ${report.filesRemoved}, ${report.storedBytes},
      ${report.isConsistent}, ${JSON.stringify(notSaved)}, ${site.core_version}, ${site.php_version})
    on conflict (site_id, commit_hash) do nothing`.execute(db);
}

/** What a site shows of its backups. */
export interface BackupState {
  site_id: string;
  min_restore_point: Date | null;
  last_backup_at: Date | null;
  failing_since: Date | null;
  failure: string | null;
}

export async function statesOfSites(db: Db, siteIds: string[]): Promise<BackupState[]> {
  const { rows } = await sql<BackupState>`
    select c.site_id, c.failing_since, c.failure,
      (select created_at from backups b where b.site_id = c.site_id and damaged_at is null order by created_at limit 1) as min_restore_point,
      (select created_at from backups b where b.site_id = c.site_id and damaged_at is null order by created_at desc limit 1) as last_backup_at
    from backup_clocks c where c.site_id = any(${siteIds}::uuid[])`.execute(db);
  return rows;
}

/** The last of a site's backups. */
export async function deleteBackups(db: Db, siteId: string): Promise<void> {
  await sql`delete from backups where site_id = ${siteId}`.execute(db);
  await sql`delete from pit_restores where site_id = ${siteId}`.execute(db);
  await sql`delete from backup_clocks where site_id = ${siteId}`.execute(db);
}

/** Of the backups before that moment, those that the time machine has forgotten. */
export async function deleteForgottenBackups(
  db: Db,
  siteId: string,
  before: Date,
  keptHashes: string[],
): Promise<void> {
  await sql`delete from backups where site_id = ${siteId} and created_at < ${before}
    and not commit_hash = any(${keptHashes})`.execute(db);
}

/** Records of what a lost disk took along: those after the newest that the store has. Where it has none, it may be another store. */
export async function dropUnkept(db: Db, siteId: string, keptHashes: string[]): Promise<void> {
  await sql`delete from backups where site_id = ${siteId} and created_at > (
    select max(created_at) from backups where site_id = ${siteId} and commit_hash = any(${keptHashes}))`.execute(db);
}

export async function hasBackupBefore(db: Db, siteId: string, before: Date): Promise<boolean> {
  const { rows } = await sql`select from backups where site_id = ${siteId} and created_at < ${before} limit 1`.execute(
    db,
  );
  return rows.length > 0;
}

interface PlannedSite extends Place {
  site_id: string;
  space: string;
  plan_type_name: PlanName;
}

/** A place on each host that has, or had, sites: every host keeps backups of its own. What sleeps on a cluster is looked after when it is awake. */
export async function listHosts(db: Db): Promise<Place[]> {
  const { rows } = await sql<Place>`select distinct on (host) host, driver from (
    select host, driver from sites union select host, driver from deleted_sites) places
    where ${isHostAwake('places.host')}`.execute(db);
  return rows;
}

/** How long each site's plan keeps every minute, and where its backups are. */
export async function listPlans(db: Db): Promise<PlannedSite[]> {
  const { rows } = await sql<PlannedSite>`
    select s.id as site_id, s.host, s.driver, c.space, t.plan_type_name from sites s join teams t on t.id = s.team_id
    join backup_clocks c on c.site_id = s.id`.execute(db);
  return rows;
}

/** How much the last prune of a host could not read. */
export async function notePrune(db: Db, host: string, troubles: number): Promise<void> {
  await sql`insert into backup_checks (host, prune_troubles, finished_at, begun_at) values (${host}, ${troubles}, now(), 'epoch')
    on conflict (host) do update set prune_troubles = ${troubles}`.execute(db);
}

/** Those of which a check found that they can not be restored. */
export async function listDamagedHashes(db: Db): Promise<string[]> {
  const { rows } = await sql<{ commit_hash: string }>`
    select commit_hash from backups where damaged_at is not null`.execute(db);
  return rows.map(({ commit_hash }) => commit_hash);
}

/** The snapshots that unfinished work still needs, whatever retention says. */
export async function listNeededHashes(db: Db): Promise<string[]> {
  const { rows } = await sql<{ hash: string | null }>`
    select unnest(array[commit_hash, db_restore_hash]) as hash from pit_restores where finished_at is null
    union select commit_hash from site_previews where ready_at is null
    union select unnest(array[base_hash, undo_hash]) from site_stages
    union select unnest(array[live_hash, stage_hash]) from stage_bases
    union select commit_hash from restore_points
    union select running->'undo'->>'hash' from site_software where running is not null
    union select running->'undo'->>'hash' from git_links where running is not null`.execute(db);
  return rows.flatMap(({ hash }) => hash ?? []);
}
