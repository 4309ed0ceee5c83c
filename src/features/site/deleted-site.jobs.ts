import { finishEvent } from '#core/events/events.ts';
import { jobKind } from '#core/jobs/jobs.ts';
import { aloneOnSite, startClock } from '#features/backup/backup.ts';
import { addStorage } from '#features/team/team.ts';
import { findDeletedSite, moveToDeleted } from './deleted-site.sql.ts';
import { findSiteById, updateBusySite } from './site.sql.ts';
import { findOwn, IDLE, nothing, type SiteWork } from './site.work.ts';

/** How long the backup of a site may take that is deleted meanwhile. */
const BACKUP_MS = 5 * 60_000;

/** Puts aside what is left of a deleted site. Its row and its name went with the request already. */
export const archiveSite = jobKind<SiteWork>({
  name: 'site.archive',
  lane: 'site',
  async run({ siteId, eventId }, { services, commit }) {
    const { db, runtime, timeMachine } = services;
    const deleted = await findDeletedSite(db, siteId);
    // Brought back, and perhaps deleted again, before this ran.
    if (deleted?.deleted_event_id === eventId && !deleted.is_purging) {
      await runtime.stop(siteId);
      // Not from under a backup that is being taken.
      await aloneOnSite(services, siteId, BACKUP_MS, async () => {
        await timeMachine.release(siteId);
        await runtime.archive(siteId);
      });
    }
    await commit((tx) => finishEvent(tx, eventId, {}));
  },
  abandon: (tx, { eventId }) => finishEvent(tx, eventId, { failure: 'The site is gone, but could not be put aside.' }),
});

export const restoreSite = jobKind<SiteWork>({
  name: 'site.restore',
  lane: 'site',
  async run(payload, { services, commit }) {
    const { siteId, eventId } = payload;
    const site = await findOwn(services, payload);
    if (!site) return commit(nothing);
    await services.runtime.restore(siteId);
    await commit(async (tx) => {
      await updateBusySite(tx, siteId, eventId, IDLE);
      await startClock(tx, siteId, site.team_id);
      await finishEvent(tx, eventId, {});
    });
  },
  async undo(payload, services) {
    if (await findOwn(services, payload)) await services.runtime.archive(payload.siteId);
  },
  async abandon(tx, { siteId, eventId }) {
    const site = await findSiteById(tx, siteId);
    if (site?.busy_event_id === eventId) {
      await addStorage(tx, site.team_id, -site.storage_bytes);
      await moveToDeleted(tx, site, { deletedBy: null, eventId });
    }
    await finishEvent(tx, eventId, { failure: 'The site could not be brought back; it is still kept.' });
  },
});
