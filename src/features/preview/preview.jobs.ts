import { finishEvent } from '#core/events/events.ts';
import { jobKind } from '#core/jobs/jobs.ts';
import { type HeldWork, release } from '#features/hold/hold.ts';
import { deleteSite, lockSite, removeFilesSoon, updateSite } from '#features/instance/instance.ts';
import { makeCopy } from './preview.copy.ts';
import { findPreview, markReady } from './preview.sql.ts';

const ENDED = 'The preview has ended.';

export const buildPreview = jobKind<HeldWork>({
  name: 'preview.build',
  lane: 'background',
  async run(payload, { services, commit }) {
    const { siteId, eventId } = payload;
    const { db } = services;
    const preview = await findPreview(db, siteId);
    if (!preview) return commit((tx) => finishEvent(tx, eventId, { failure: ENDED }));
    const spec = await makeCopy(services, preview);
    await commit(async (tx) => {
      // The row before the hold, as whoever ends a preview takes them.
      await lockSite(tx, siteId);
      if (await release(tx, payload)) {
        await updateSite(tx, siteId, { core_version: spec.coreVersion });
        await markReady(tx, siteId);
        await finishEvent(tx, eventId, {});
      } else {
        // Its files may have been removed while some of them were yet to be written.
        await removeFilesSoon(tx, spec);
        await finishEvent(tx, eventId, { failure: ENDED });
      }
    });
  },
  async undo({ siteId }, { db, hosts }) {
    const preview = await findPreview(db, siteId);
    if (preview) await hosts.delete({ ...preview, id: siteId });
  },
  async abandon(tx, { siteId, eventId }) {
    await deleteSite(tx, siteId);
    await finishEvent(tx, eventId, { failure: 'The site as it was could not be opened.' });
  },
});
