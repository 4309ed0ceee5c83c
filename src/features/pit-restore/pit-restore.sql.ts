import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Db } from '#core/db/database.ts';
import { deleteInBatches } from '#core/db/delete-in-batches.ts';
import type { DB } from '#core/db/schema.generated.ts';
import { type Listing, listNewest, type Paging } from '#core/pages.ts';
import { CHUNK, type ChangeList, type Window, windowOf } from './pit-restore.list.ts';

/** The change that a restore undoes, as its event records it. */
export type Undone = { kind: 'restore' | 'stage_commit'; created_at: string };
export type PitRestoreRow = Selectable<DB['pit_restores']> & {
  site_live_id: string;
  is_undone: boolean;
  undoes: Undone | null;
};

const LIVE_ID = sql`coalesce((select of_site_id from sites where sites.id = pit_restores.site_id), site_id)`;
/** A later restore went back to what this one had replaced. */
const IS_UNDONE = sql`exists (select from pit_restores later where later.site_id = pit_restores.site_id
  and later.restore_point = pit_restores.undo_point and later.created_at > pit_restores.created_at
  and later.finished_at is not null and later.failed_reason is null and not later.is_dry_run)`;
const UNDOES = sql`(select detail -> 'undoes' from events where events.id = pit_restores.event_id)`;
const COLUMNS = sql`id, site_id, ${LIVE_ID} as site_live_id, ${IS_UNDONE} as is_undone, ${UNDOES} as undoes, user_id, event_id, restore_point, commit_hash, backup_point, db_restore_hash, restore_db,
  restore_cms_content, delete_extra_files, is_dry_run, passed_dry_run, undo_point, num_files_added, num_files_deleted,
  num_files_restored, num_folders_added, applied_at, num_tables_deleted, num_tables_failed, num_tables_restored, num_tables_skipped,
  changes_count, changes_are_cut, failed_reason, created_at, finished_at`;

export async function insertPitRestore(db: Db, row: Insertable<DB['pit_restores']>): Promise<void> {
  await db.insertInto('pit_restores').values(row).execute();
}

export async function listPitRestores(
  db: Db,
  siteIds: readonly string[],
  paging: Paging,
): Promise<Listing<PitRestoreRow>> {
  const where = sql`site_id = any(${[...siteIds]}::uuid[])`;
  return listNewest<PitRestoreRow>(db, { table: 'pit_restores', where, columns: COLUMNS }, paging);
}

/** Of the site or of its stage. */
export async function findPitRestore(db: Db, siteId: string, id: string): Promise<PitRestoreRow | undefined> {
  const { rows } = await sql<PitRestoreRow>`
    select ${COLUMNS} from pit_restores where id = ${id} and (site_id = ${siteId} or ${LIVE_ID} = ${siteId})`.execute(
    db,
  );
  return rows[0];
}

/** Returns the last restore or publish of a stage whose undo point this is. */
export async function findUndone(db: Db, siteId: string, point: Date): Promise<Undone | undefined> {
  const { rows } = await sql<{ kind: Undone['kind']; created_at: Date }>`
    select 'restore' as kind, created_at from pit_restores
    where site_id = ${siteId} and undo_point = ${point} and not is_dry_run
    union all
    select 'stage_commit', created_at from events
    where site_live_id = ${siteId} and event_type = 'stage.committed'
      and (detail -> 'result' ->> 'undo_point')::timestamptz = ${point}
    order by created_at desc limit 1`.execute(db);
  return rows[0] && { kind: rows[0].kind, created_at: rows[0].created_at.toISOString() };
}

/** A part of the list of changes, as it was stored. */
export async function findChanges(db: Db, restoreId: string, { offset, limit }: Window): Promise<ChangeList> {
  const first = Math.floor(offset / CHUNK);
  const last = Math.floor((offset + limit - 1) / CHUNK);
  const { rows } = await sql<{ changes: ChangeList }>`
    select changes from pit_restore_changes
    where restore_id = ${restoreId} and number between ${first} and ${last} order by number`.execute(db);
  const list = {
    tables: rows.flatMap(({ changes }) => changes.tables),
    files: rows.flatMap(({ changes }) => changes.files),
  };
  return windowOf(list, { offset: offset - first * CHUNK, limit });
}

export async function insertChanges(db: Db, restoreId: string, number: number, changes: ChangeList): Promise<void> {
  await sql`insert into pit_restore_changes (restore_id, number, changes)
    values (${restoreId}, ${number}, ${JSON.stringify(changes)})`.execute(db);
}

/** What an attempt that was killed, or a plan that was outdated, left of its list. */
export async function deleteChanges(db: Db, restoreId: string): Promise<void> {
  await sql`delete from pit_restore_changes where restore_id = ${restoreId}`.execute(db);
}

/** Of a record that ended before it said how long its list is. */
export async function deleteUnseenChanges(db: Db, restoreId: string): Promise<void> {
  await sql`delete from pit_restore_changes using pit_restores
    where restore_id = ${restoreId} and pit_restores.id = restore_id and changes_count is null`.execute(db);
}

/** Whether a dry run of the site waits or runs. */
export async function isRehearsing(db: Db, siteId: string): Promise<boolean> {
  const { rows } =
    await sql`select from pit_restores where site_id = ${siteId} and finished_at is null and is_dry_run`.execute(db);
  return rows.length > 0;
}

/** Changes the record of a restore that has not ended. */
export async function updatePitRestore(db: Db, id: string, change: Updateable<DB['pit_restores']>): Promise<void> {
  await db.updateTable('pit_restores').set(change).where('id', '=', id).where('finished_at', 'is', null).execute();
}

/** The record, and its list of changes with it; nobody can take a restore back for so long. */
export async function forgetOldRestores(db: Db): Promise<void> {
  await deleteInBatches(db, 'pit_restores', sql`finished_at is not null and created_at < now() - interval '400 days'`);
}
