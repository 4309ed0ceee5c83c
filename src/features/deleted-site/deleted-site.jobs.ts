import { finishEvent } from '#core/events/events.ts';
import { jobKind } from '#core/jobs/jobs.ts';
import { startClock } from '#features/backup/backup.ts';
import { type HeldWork, onHeldSite, release } from '#features/hold/hold.ts';
import { findOwn, findSiteById, nothing, specOf } from '#features/instance/instance.ts';
import { addStorage, lockTeam } from '#features/team/team.ts';
import { findDeletedSite, moveToDeleted } from './deleted-site.sql.ts';

/** Puts aside what is left of a deleted site. Its row and its name went with the request already. */
export const archiveSite = jobKind<HeldWork>({
  name: 'site.archive',
  lane: 'site',
  async run(payload, { services, commit }) {
    const { siteId, eventId } = payload;
    const { db, hosts } = services;
    const deleted = await findDeletedSite(db, siteId);
    // Brought back, and perhaps deleted again, before this ran.
    if (deleted?.deleted_event_id === eventId && !deleted.is_purging) {
      await onHeldSite(services, payload, () => hosts.archive(deleted));
    }
    await commit(async (tx) => {
      await release(tx, payload);
      await finishEvent(tx, eventId, {});
    });
  },
  async abandon(tx, payload) {
    await release(tx, payload);
    await finishEvent(tx, payload.eventId, { failure: 'The site is gone, but could not be put aside.' });
  },
});

export const restoreSite = jobKind<HeldWork>({
  name: 'site.restore',
  lane: 'site',
  async run(payload, { services, commit }) {
    const { siteId, eventId } = payload;
    const site = await findOwn(services, payload);
    if (!site) return commit(nothing);
    await onHeldSite(services, payload, () => services.hosts.make(specOf(services, site), { kind: 'archive' }));
    await commit(async (tx) => {
      if (!(await release(tx, payload))) return;
      await startClock(tx, siteId, site.team_id);
      await finishEvent(tx, eventId, {});
    });
  },
  async undo(payload, services) {
    const site = await findOwn(services, payload);
    if (site) await onHeldSite(services, payload, () => services.hosts.archive(site));
  },
  async abandon(tx, payload) {
    const { siteId, eventId } = payload;
    const site = await findSiteById(tx, siteId);
    // Teams are locked before sites, everywhere.
    if (site) await lockTeam(tx, site.team_id);
    if ((await release(tx, payload)) && site) {
      await addStorage(tx, site.team_id, -site.storage_bytes);
      await moveToDeleted(tx, site, { deletedBy: null, eventId });
    }
    await finishEvent(tx, eventId, { failure: 'The site could not be brought back; it is still kept.' });
  },
});
