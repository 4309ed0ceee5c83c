import type { Db } from '#core/db/database.ts';
import { bodyFault, type Fault, invalid } from '#core/errors.ts';
import { type BackupRow, chooseBackup, findBackupByHash, snapshotNameOf } from '#features/backup/backup.ts';
import type { RestoreWish } from '#timemachine/process/protocol.ts';
import type { NewPitRestore } from './pit-restore.schema.ts';

/** What somebody wants back, and the backups that it comes from. */
export interface ChosenRestore {
  restorePoint: Date;
  backup: BackupRow;
  /** Where the database comes from, if from another backup. */
  databaseBackup: BackupRow | undefined;
  restoreDb: boolean;
  restoreContent: boolean;
  deleteExtraFiles: boolean;
  isDryRun: boolean;
}

/** Finds the backups that a request means, and every fault of it. */
export async function chooseBackups(
  db: Db,
  { id: siteId, team_id }: { id: string; team_id: string },
  input: NewPitRestore,
): Promise<ChosenRestore> {
  const faults: Fault[] = [];
  const restorePoint = new Date(input.restore_point);
  const { restore_db: restoreDb = true, restore_cms_content: restoreContent = true } = input;
  const found = await chooseBackup(db, { id: siteId, team_id }, input.restore_point);
  const backup = 'backup' in found ? found.backup : undefined;
  if ('fault' in found) faults.push(found.fault);
  if (!restoreDb && !restoreContent)
    faults.push(
      bodyFault('restore_db', 'Value error, there is nothing to restore: choose the database or the content'),
    );
  const hash = input.db_restore_hash;
  const databaseBackup = hash === undefined ? undefined : await findBackupByHash(db, siteId, hash);
  if (hash !== undefined && !databaseBackup)
    faults.push(bodyFault('db_restore_hash', 'Value error, the site has no backup with this commit_hash'));
  if (hash !== undefined && !restoreDb)
    faults.push(bodyFault('db_restore_hash', 'Value error, it names a database while restore_db is false'));
  if (faults.length > 0 || !backup) throw invalid(...faults);
  return {
    restorePoint,
    backup,
    databaseBackup,
    restoreDb,
    restoreContent,
    deleteExtraFiles: input.delete_extra_files ?? false,
    isDryRun: input.is_dry_run ?? false,
  };
}

export function wishOf(chosen: ChosenRestore): RestoreWish {
  return {
    point: snapshotNameOf(chosen.backup),
    ...(chosen.databaseBackup && { tablesPoint: snapshotNameOf(chosen.databaseBackup) }),
    files: chosen.restoreContent,
    tables: chosen.restoreDb,
    deleteExtraFiles: chosen.deleteExtraFiles,
  };
}
