import { inTransaction, type Tx } from '#core/db/database.ts';
import { reportProgress } from '#core/events/events.ts';
import { jobKind } from '#core/jobs/jobs.ts';
import type { Services } from '#core/services.ts';
import { databaseTime, keptAs, startClock } from '#features/backup/backup.ts';
import { recordCut } from '#features/backup-clock/backup-clock.ts';
import { onHeldSite, release } from '#features/hold/hold.ts';
import {
  announcePurge,
  findOwn,
  findSiteById,
  forgetCommitsAfter,
  keepNumbersApart,
  moveDatabase,
  nothing,
  type SiteRow,
  updateSite,
} from '#features/instance/instance.ts';
import { againIfOutdated, failedBy } from '#timemachine/failure.ts';
import type { PlanReport } from '#timemachine/process/protocol.ts';
import { reportOf } from './pit-restore.progress.ts';
import { findPitRestore, type PitRestoreRow, updatePitRestore } from './pit-restore.sql.ts';
import { countersOf } from './pit-restore.view.ts';
import { endBadly, endWell, finalReason, keepChanges, type RestoreWork, wishOfRecord } from './pit-restore.work.ts';

/**
 * Brings a site back to a point. Visitors wait from the moment that the site is busy, and see the site again when all of
 * it is done: a job that was killed finishes what it had begun before anything is served.
 */
export const restoreToPoint = jobKind<RestoreWork>({
  name: 'site.restore_to_point',
  lane: 'site',
  async run(payload, { services, commit }) {
    const { siteId, restoreId } = payload;
    const site = await findOwn(services, payload);
    const record = await findPitRestore(services.db, siteId, restoreId);
    if (!site || !record) return commit(nothing);
    try {
      await onHeldSite(services, payload, async (signal) => {
        // Nothing but the last word was missing where all of it was in place already.
        if (!record.applied_at) await restore(services, site, record, signal);
        if (record.restore_db) await moveToAddress(services, site);
        if (record.restore_db) await keepApartFromLive(services, site);
      });
      await commit(async (tx) => {
        // Heard in this order: nobody is let in to pages of before.
        await announcePurge(tx, siteId);
        if (!(await release(tx, payload))) return;
        await updateSite(tx, siteId, { storage_is_stale: true });
        // The state that it brought back gets its own backup at once.
        await startClock(tx, siteId, site.team_id);
        await forgetCommitsAfter(tx, siteId, record.backup_point);
        await endWell(tx, payload, {});
      });
    } catch (error) {
      const reason = finalReason(error);
      if (reason === undefined) throw error;
      services.log.error({ err: error, siteId, restoreId }, 'a restore is not possible');
      const outcome = await onHeldSite(services, payload, () => recover(services, site));
      await commit((tx) => giveUp(tx, payload, `${reason} ${OUTCOMES[outcome]}`));
    }
  },
  async undo(payload, services) {
    const site = await findOwn(services, payload);
    if (site) await onHeldSite(services, payload, () => recover(services, site));
  },
  async abandon(tx, payload, _error, undone) {
    if (undone)
      return giveUp(
        tx,
        payload,
        'The restore failed. Nothing is half done: the site is as before, or as at the point.',
      );
    // What may be half restored is not served, and neither has it ended: an operator mends the cause and repeats the job.
    await reportProgress(tx, payload.eventId, { problem: HALF });
  },
});

const OUTCOMES = {
  undone: 'Nothing was changed.',
  finished: 'What was begun is finished; undo_point brings back what was there before.',
  lost: 'The site was lost before it was finished: restore it once more.',
};
const HALF = 'The restore could not be finished. Visitors see a notice until the platform has mended it.';

async function giveUp(tx: Parameters<typeof endBadly>[0], payload: RestoreWork, reason: string): Promise<void> {
  await announcePurge(tx, payload.siteId);
  await release(tx, payload);
  await endBadly(tx, payload, reason);
}

async function restore(services: Services, site: SiteRow, record: PitRestoreRow, signal: AbortSignal): Promise<void> {
  const { db, hosts } = services;
  const wish = await wishOfRecord(services, record);
  const onProgress = reportOf(db, record.event_id);
  await againIfOutdated(async () => {
    const begunAt = await databaseTime(db);
    await hosts.restore(site, await keptAs(services, site), wish, {
      onProgress,
      signal,
      onPlanned: async ({ now, difference }, list) => {
        if (!now) throw new Error('a restore tells what the site was like before it');
        if (!record.undo_point) await keepChanges(db, record.id, difference.count, list);
        await inTransaction(db, (tx) => writePlan(tx, site, record, { now, difference }, begunAt));
      },
    });
  });
  await updatePitRestore(db, record.id, { applied_at: new Date() });
}

/**
 * Written before anything changes. An attempt after a kill keeps what the one before wrote: that may have changed the site
 * already, and nobody else has since. Within one attempt the last plan counts, for an outdated one changed nothing.
 */
async function writePlan(tx: Tx, site: SiteRow, record: PitRestoreRow, plan: PlanReport, begunAt: Date): Promise<void> {
  await recordCut(tx, site, plan.now, begunAt);
  if (record.undo_point) return;
  await updatePitRestore(tx, record.id, {
    ...countersOf(plan.difference),
    changes_count: plan.difference.count,
    undo_point: new Date(plan.now.newest.timeMs),
  });
}

/** A stage may have been given back numbers that the live site has given away since. */
async function keepApartFromLive(services: Services, site: SiteRow): Promise<void> {
  const live = site.kind === 'stage' && site.of_site_id ? await findSiteById(services.db, site.of_site_id) : undefined;
  if (live) await keepNumbersApart(services, live, site);
}

/** Ends what was begun, in one way or the other. */
async function recover(services: Services, site: SiteRow): Promise<keyof typeof OUTCOMES> {
  const outcome = await services.hosts.recover(site, await keptAs(services, site)).catch(waitForRoom);
  if (outcome === 'finished') await moveToAddress(services, site);
  return outcome;
}

/** What was decided is finished as soon as the disk has room again, and nobody has to be asked for that. */
function waitForRoom(error: unknown): never {
  if (!failedBy(error, 'no_room')) throw error;
  throw Object.assign(new Error('a restore waits for room on the disk', { cause: error }), { isNotYet: true } as const);
}

/**
 * The site may have had another name at the point. Where the database of the point knows of none, it was no better then, and
 * that is no reason to keep the site from its visitors.
 */
async function moveToAddress(services: Services, site: SiteRow): Promise<void> {
  await moveDatabase(services, site, site.fqdn).catch((error) => {
    services.log.warn({ err: error, siteId: site.id }, 'a restored database could not be moved to its address');
  });
}
