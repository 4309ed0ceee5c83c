import { type Db, inTransaction } from '#core/db/database.ts';
import { LockBusy } from '#core/db/locks.ts';
import { finishEvent } from '#core/events/events.ts';
import type { Services } from '#core/services.ts';
import { databaseTime, findClock, insertBackup, keptAs, noteCut, noteFailure } from '#features/backup/backup.ts';
import { aloneOnSite, goesOn } from '#features/hold/hold.ts';
import { findSiteById, recordSiteEvent, type SiteRow, updateSite } from '#features/instance/instance.ts';
import { HostUnreachable } from '#host/host-unreachable.ts';
import { type FailureCode, TimeMachineFailure } from '#timemachine/failure.ts';
import type { CutReport } from '#timemachine/process/protocol.ts';

const FIRST_RETRY_MS = 30_000;
const LAST_RETRY_MS = 15 * 60_000;

/** The backup of a minute. False where somebody else works on the site right now. */
export async function backUp(services: Services, siteId: string): Promise<boolean> {
  const taken = aloneOnSite(services, siteId, 0, async (signal) => {
    // A work that took the site since it was looked up may have left it half done, for its next attempt to finish.
    const site = await findSiteById(services.db, siteId);
    if (!site || !goesOn(site.busy)) return false;
    const begunAt = await databaseTime(services.db);
    try {
      const cut = await services.hosts.snapshot(site, await keptAs(services, site), { signal });
      await inTransaction(services.db, (tx) => recordCut(tx, site, cut, begunAt));
    } catch (error) {
      // The platform's own trouble, and no word about the site.
      if (error instanceof HostUnreachable) return false;
      await recordFailure(services, site, error as Error);
    }
    return true;
  });
  return taken.catch((error) => {
    if (error instanceof LockBusy) return false;
    throw error;
  });
}

/** Writes down what was kept. The snapshot exists by itself; what a killed process did not write is written next time. */
export async function recordCut(db: Db, site: SiteRow, cut: CutReport, begunAt: Date): Promise<void> {
  for (const report of cut.unrecorded) await insertBackup(db, site, report);
  await insertBackup(db, site, cut.newest);
  const clock = await findClock(db, site.id);
  if (clock?.failed_event_id) await finishEvent(db, clock.failed_event_id, { recovered: true });
  await noteCut(db, site.id, begunAt);
  const { trackedTables, untrackedTables } = cut;
  // Where nothing had changed nothing was looked at.
  if (trackedTables.length === 0) return;
  if (isSame(trackedTables, site.tracked_tables) && isSame(untrackedTables, site.untracked_tables)) return;
  await updateSite(db, site.id, { tracked_tables: trackedTables, untracked_tables: untrackedTables });
}

const isSame = (a: string[], b: string[]) => JSON.stringify(a) === JSON.stringify(b);

/** The first failure is told, in an event that stays open until a backup succeeds. */
async function recordFailure(services: Services, site: SiteRow, error: Error): Promise<void> {
  const { db, log } = services;
  log.warn({ err: error, siteId: site.id }, 'a backup failed');
  const failure = reasonOf(error);
  await inTransaction(db, async (tx) => {
    const clock = await findClock(tx, site.id);
    if (!clock) return;
    const eventId =
      clock.failed_event_id ??
      (await recordSiteEvent(tx, null, site, {
        event_type: 'backup.failed',
        activity: `The backup of ${site.fqdn} failed`,
        detail: { failure },
        unfinished: true,
      }));
    const againAfterMs = Math.min(FIRST_RETRY_MS * 2 ** Math.min(clock.failures, 10), LAST_RETRY_MS);
    await noteFailure(tx, site.id, failure, eventId, againAfterMs);
  });
}

const REASONS: Partial<Record<FailureCode, string>> = {
  lost_content: "The site's files are gone. Nothing was kept of that; a restore brings them back.",
  no_room: 'The disk has no room for another backup. The ones before are kept.',
};

/** What the site's people may read of it: nothing of the machine or of the platform's own workings. */
function reasonOf(error: Error): string {
  if (!(error instanceof TimeMachineFailure)) return 'The platform could not write the backup down.';
  const plain = REASONS[error.code];
  if (plain !== undefined) return plain;
  return `The site could not be read: ${error.message.replaceAll(/'?\/[^\s']+'?/g, '…').slice(0, 300)}`;
}
