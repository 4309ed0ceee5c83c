import { inTransaction } from '#core/db/database.ts';
import type { Services } from '#core/services.ts';
import { databaseTime, keptAs } from '#features/backup/backup.ts';
import { aloneOnSite, goesOn, siteBusy } from '#features/hold/hold.ts';
import { findSiteById, type SiteRow } from '#features/instance/instance.ts';
import type { SnapshotName } from '#timemachine/process/protocol.ts';
import { countFailed, recordCut } from './cut.ts';

/** A backup of the site as it is, recorded like every other. Nobody else is at the site meanwhile: the caller sees to that. */
export async function cutHeld(services: Services, site: SiteRow, signal: AbortSignal): Promise<SnapshotName> {
  const begunAt = await databaseTime(services.db);
  const cut = await services.hosts.snapshot(site, await keptAs(services, site), { signal }).catch(async (error) => {
    await countFailed(services.db, site, error);
    throw error;
  });
  await inTransaction(services.db, (tx) => recordCut(tx, site, cut, begunAt));
  const { hash, timeMs } = cut.newest;
  return { hash, timeMs };
}

/** The same of a site that goes on meanwhile; LockBusy where somebody else is at it for longer. */
export function cutNow(services: Services, siteId: string, waitMs: number): Promise<SnapshotName> {
  return aloneOnSite(services, siteId, waitMs, async (signal) => {
    // After the wait: a site that some work has by now may be half done.
    const site = await findSiteById(services.db, siteId);
    if (!site || !goesOn(site.busy)) throw siteBusy();
    return cutHeld(services, site, signal);
  });
}
