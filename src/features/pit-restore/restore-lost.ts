import { siteHostParts } from '#core/cluster.ts';
import { inTransaction } from '#core/db/database.ts';
import type { Services } from '#core/services.ts';
import { type BackupRow, dropUnkept, findClock, LATEST, listBackups } from '#features/backup/backup.ts';
import { letGoHere, requireIdle } from '#features/hold/hold.ts';
import { listSitesOn, lockNamedSite, type SiteRow } from '#features/instance/instance.ts';
import { beginRestore } from './pit-restore.ts';

/**
 * The volume of a site on a cluster is a copy of what the time machine has: where it is gone, the site is restored to the newest backup that
 * had left it (docs/decisions/0068). This is before anybody is let in here, so nothing of an empty site is ever served. On other hosts nothing
 * is done: a disk that is missing there may only not be mounted yet.
 */
export async function restoreLostSites(services: Services): Promise<undefined> {
  const { db, localHost } = services;
  if (!localHost || !siteHostParts(localHost.name)) return;
  for (const site of await listSitesOn(db, localHost.name)) {
    // What is being made is not there yet, and what some work has it brings to its end.
    if (site.busy !== null || (await localHost.list(site)).includes(site.id)) continue;
    await restoreLost(services, site);
  }
}

async function restoreLost(services: Services, site: SiteRow): Promise<void> {
  const { db, hosts, log } = services;
  const clock = await findClock(db, site.id);
  const kept = clock ? await hosts.keptSnapshots(site, clock.space) : [];
  await dropUnkept(db, site.id, kept);
  const [newest] = await listBackups(db, site.id, LATEST, 1);
  const backup = newest && kept.includes(newest.commit_hash) ? newest : undefined;
  if (!backup) return log.error({ siteId: site.id }, 'the volume of a site is gone, and nothing of it is kept');
  log.warn({ siteId: site.id, backup: backup.created_at }, 'the volume of a site is gone; it is restored');
  const work = await inTransaction(db, async (tx) => {
    const locked = await lockNamedSite(tx, site);
    requireIdle(locked);
    const activity = `${site.fqdn} lost its volume and is restored to ${backup.created_at.toISOString()}`;
    return beginRestore(tx, services, locked, { chosen: allOf(backup), by: null, activity });
  });
  await letGoHere(services, work);
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
