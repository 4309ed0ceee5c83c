import { finishEvent } from '#core/events/events.ts';
import { jobKind } from '#core/jobs/jobs.ts';
import type { Services } from '#core/services.ts';
import { spaceOf } from '#features/backup/backup.ts';
import { specOfPreview } from './preview.spec.ts';
import { deletePreview, findPreview, listEndedPreviews, markReady } from './preview.sql.ts';

interface PreviewWork {
  previewId: string;
  eventId: string;
}

export const buildPreview = jobKind<PreviewWork>({
  name: 'preview.build',
  lane: 'background',
  async run({ previewId, eventId }, { services, commit }) {
    const { db, runtime, timeMachine } = services;
    const preview = await findPreview(db, previewId);
    if (!preview) return commit((tx) => finishEvent(tx, eventId, { failure: 'The preview has ended.' }));
    const point = { hash: preview.commit_hash, timeMs: preview.restore_point.getTime() };
    const from = await spaceOf(db, preview.site_id);
    const spec = specOfPreview(services, await withKeptVersion(services, preview));
    await runtime.adopt(spec, ({ content, database }) => timeMachine.copy(from, point, { content, database }));
    await commit(async (tx) => {
      await markReady(tx, previewId, spec.coreVersion);
      await finishEvent(tx, eventId, {});
    });
  },
  undo: ({ previewId }, { runtime }) => runtime.delete(previewId),
  async abandon(tx, { previewId, eventId }) {
    await deletePreview(tx, previewId);
    await finishEvent(tx, eventId, { failure: 'The site as it was could not be opened.' });
  },
});

/** The WordPress of that time may be gone from this machine; then it is the newest one. */
async function withKeptVersion<T extends { core_version: string }>({ runtime }: Services, preview: T): Promise<T> {
  const versions = await runtime.coreVersions();
  return versions.includes(preview.core_version) ? preview : { ...preview, core_version: versions[0] ?? '' };
}

/** Every minute: what is past its half hour goes, and its copy with it. */
export const endPreviews = jobKind<Record<string, never>>({
  name: 'preview.end',
  lane: 'background',
  schedule: '* * * * *',
  async run(_payload, { services: { db, runtime, log } }) {
    for (const id of await listEndedPreviews(db)) {
      try {
        await runtime.delete(id);
        await deletePreview(db, id);
      } catch (error) {
        log.warn({ err: error, previewId: id }, 'a preview could not be removed; it is tried again');
      }
    }
  },
});
