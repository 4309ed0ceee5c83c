import { finishEvent } from '#core/events/events.ts';
import { jobKind } from '#core/jobs/jobs.ts';
import type { Services } from '#core/services.ts';
import { spaceOf } from '#features/backup/backup.ts';
import { type HeldWork, release } from '#features/hold/hold.ts';
import { deleteSite, removeFilesSoon, specOf, updateSite } from '#features/instance/instance.ts';
import { findPreview, markReady } from './preview.sql.ts';

const ENDED = 'The preview has ended.';

export const buildPreview = jobKind<HeldWork>({
  name: 'preview.build',
  lane: 'background',
  async run(payload, { services, commit }) {
    const { siteId, eventId } = payload;
    const { db, runtime, timeMachine } = services;
    const preview = await findPreview(db, siteId);
    if (!preview) return commit((tx) => finishEvent(tx, eventId, { failure: ENDED }));
    const point = { hash: preview.commit_hash, timeMs: preview.restore_point.getTime() };
    const from = await spaceOf(db, preview.of_site_id);
    const spec = specOf(services, await withKeptVersion(services, preview));
    await runtime.adopt(spec, ({ content, database }) => timeMachine.copy(from, point, { content, database }));
    await commit(async (tx) => {
      if (await release(tx, payload)) {
        await updateSite(tx, siteId, { core_version: spec.coreVersion });
        await markReady(tx, siteId);
        await finishEvent(tx, eventId, {});
      } else {
        // Its files may have been removed while some of them were yet to be written.
        await removeFilesSoon(tx, siteId);
        await finishEvent(tx, eventId, { failure: ENDED });
      }
    });
  },
  undo: ({ siteId }, { runtime }) => runtime.delete(siteId),
  async abandon(tx, { siteId, eventId }) {
    await deleteSite(tx, siteId);
    await finishEvent(tx, eventId, { failure: 'The site as it was could not be opened.' });
  },
});

/** The WordPress of that time may be gone from this machine; then it is the newest one. */
async function withKeptVersion<T extends { core_version: string | null }>(
  { runtime }: Services,
  preview: T,
): Promise<T> {
  const versions = await runtime.coreVersions();
  return versions.includes(preview.core_version ?? '') ? preview : { ...preview, core_version: versions[0] ?? '' };
}
