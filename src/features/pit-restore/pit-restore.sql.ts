import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { DB } from '#core/db/schema.generated.ts';
import { type Listing, listNewest, type Paging } from '#core/pages.ts';
import type { Changes } from './pit-restore.schema.ts';

export type PitRestoreRow = Omit<Selectable<DB['pit_restores']>, 'changes'>;

/** All but the list of changes, which can be long and is seldom asked for. */
const COLUMNS = sql`id, site_id, user_id, event_id, restore_point, commit_hash, backup_point, db_restore_hash, restore_db,
  restore_cms_content, delete_extra_files, is_dry_run, passed_dry_run, undo_point, num_files_added, num_files_deleted,
  num_files_restored, num_folders_added, applied_at, num_tables_deleted, num_tables_failed, num_tables_restored, num_tables_skipped,
  failed_reason, created_at, finished_at`;

export async function insertPitRestore(db: Db, row: Insertable<DB['pit_restores']>): Promise<void> {
  await db.insertInto('pit_restores').values(row).execute();
}

export async function listPitRestores(db: Db, siteId: string, paging: Paging): Promise<Listing<PitRestoreRow>> {
  const where = sql`site_id = ${siteId}`;
  return listNewest<PitRestoreRow>(db, { table: 'pit_restores', where, columns: COLUMNS }, paging);
}

export async function findPitRestore(db: Db, siteId: string, id: string): Promise<PitRestoreRow | undefined> {
  const { rows } = await sql<PitRestoreRow>`
    select ${COLUMNS} from pit_restores where id = ${id} and site_id = ${siteId}`.execute(db);
  return rows[0];
}

export async function findChanges(db: Db, id: string): Promise<Changes | null> {
  const { rows } = await sql<{ changes: Changes | null }>`select changes from pit_restores where id = ${id}`.execute(
    db,
  );
  return rows[0]?.changes ?? null;
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
