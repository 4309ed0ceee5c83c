import { type Db, inTransaction } from '#core/db/database.ts';
import type { Services } from '#core/services.ts';
import type { SiteRef } from '#host/site-host.ts';
import { type BackupState, deleteBackups, statesOfSites } from './backup.sql.ts';
import { findClock } from './backup-clock.sql.ts';

/** Backups, as every other feature and the platform see them. */
export { chooseBackup } from './backup.choose.ts';
export { historyOf, readKeptFile } from './backup.history.ts';
export { aloneOnBackups, everyHost } from './backup.jobs.ts';
export { keptAs, snapshotNameOf, spaceOf, viewpointOf } from './backup.place.ts';
export {
  type BackupRow,
  type BackupState,
  dropUnkept,
  findBackupByHash,
  insertBackup,
  LATEST,
  LISTED_NOT_SAVED,
  listBackups,
} from './backup.sql.ts';
export { signVersion } from './backup.version.ts';
export {
  backupFigures,
  databaseTime,
  delayCut,
  dueKinds,
  failingBackups,
  findClock,
  noteCut,
  noteDamage,
  noteFailure,
  noteSlow,
  postpone,
  spend,
  startClock,
  stopClock,
  takeDueSites,
  touchLatest,
  touchSites,
} from './backup-clock.sql.ts';

export async function backupStates(db: Db, siteIds: string[]): Promise<Map<string, BackupState>> {
  return new Map((await statesOfSites(db, siteIds)).map((state) => [state.site_id, state]));
}

/** The end of a site: nothing of it stays in the store but what other sites have too. */
export async function forgetBackups({ db, hosts }: Services, site: SiteRef): Promise<void> {
  const clock = await findClock(db, site.id);
  if (!clock) return;
  await hosts.forget(site, clock.space);
  await inTransaction(db, (tx) => deleteBackups(tx, site.id));
}
