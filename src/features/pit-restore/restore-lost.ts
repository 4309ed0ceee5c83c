import { type Db, inTransaction } from '#core/db/database.ts';
import type { Services } from '#core/services.ts';
import { type BackupRow, dropUnkept, findClock, LATEST, listBackups } from '#features/backup/backup.ts';
import { letGo, requireIdle } from '#features/hold/hold.ts';
import { listSitesOn, lockNamedSite } from '#features/instance/instance.ts';
import type { SiteRef } from '#host/site-host.ts';
import { beginRestore } from './pit-restore.ts';

/** A site whose files are gone from its host, and under which name its backups are kept; null where it has none. */
export interface LostSite extends SiteRef {
  space: string | null;
}

/** Those on a host that are not among what is there. What is being made is not there yet, and what some work has it brings to its end. */
export async function findLostSites(db: Db, host: string, present: readonly string[]): Promise<LostSite[]> {
  const lost: LostSite[] = [];
  for (const { id, driver, busy } of await listSitesOn(db, host)) {
    if (busy !== null || present.includes(id)) continue;
    lost.push({ id, host, driver, space: (await findClock(db, id))?.space ?? null });
  }
  return lost;
}

/**
 * The volume of a site on a cluster is a copy of what the time machine has: where it is gone, the site is restored to the newest backup that
 * had left it (docs/decisions/0068). `kept` are those; resolves when the process that has the host has let go of the site. On other hosts
 * nobody asks for this: a disk that is missing there may only not be mounted yet.
 */
export async function restoreLost(
  services: Services,
  { siteId, host, processId, kept }: { siteId: string; host: string; processId: string; kept: readonly string[] },
): Promise<void> {
  const { db, log } = services;
  const site = (await listSitesOn(db, host)).find(({ id }) => id === siteId);
  if (!site) return;
  await dropUnkept(db, siteId, [...kept]);
  const [newest] = await listBackups(db, siteId, LATEST, 1);
  const backup = newest && kept.includes(newest.commit_hash) ? newest : undefined;
  if (!backup) return log.error({ siteId }, 'the volume of a site is gone, and nothing of it is kept');
  log.warn({ siteId, backup: backup.created_at }, 'the volume of a site is gone; it is restored');
  const work = await inTransaction(db, async (tx) => {
    const locked = await lockNamedSite(tx, site);
    requireIdle(locked);
    const activity = `${site.fqdn} lost its volume and is restored to ${backup.created_at.toISOString()}`;
    return beginRestore(tx, services, locked, { chosen: allOf(backup), by: null, activity });
  });
  await letGo(db, work, { host, id: processId });
}

const allOf = (backup: BackupRow) => ({
  restorePoint: backup.created_at,
  backup,
  databaseBackup: undefined,
  restoreDb: true,
  restoreContent: true,
  deleteExtraFiles: false,
  isDryRun: false,
});
