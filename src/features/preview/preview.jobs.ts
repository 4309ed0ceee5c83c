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
    const { db, hosts } = services;
    const preview = await findPreview(db, previewId);
    if (!preview) return commit((tx) => finishEvent(tx, eventId, { failure: 'The preview has ended.' }));
    const moment = { hash: preview.commit_hash, timeMs: preview.restore_point.getTime() };
    const space = await spaceOf(db, preview.site_id);
    const spec = specOfPreview(services, await withKeptVersion(services, preview));
    await hosts.make(spec, { kind: 'cut', space, site: preview.site_id, moment });
    await commit(async (tx) => {
      await markReady(tx, previewId, spec.coreVersion);
      await finishEvent(tx, eventId, {});
    });
  },
  undo: ({ previewId }, { config, hosts }) => hosts.delete({ ...config.newSites, id: previewId }),
  async abandon(tx, { previewId, eventId }) {
    await deletePreview(tx, previewId);
    await finishEvent(tx, eventId, { failure: 'The site as it was could not be opened.' });
  },
});

/** The WordPress of that time may be gone from this machine; then it is the newest one. */
async function withKeptVersion<T extends { core_version: string }>(
  { config, hosts }: Services,
  preview: T,
): Promise<T> {
  const versions = await hosts.coreVersions(config.newSites);
  return versions.includes(preview.core_version) ? preview : { ...preview, core_version: versions[0] ?? '' };
}

/** Every minute: what is past its half hour goes, and its copy with it. */
export const endPreviews = jobKind<Record<string, never>>({
  name: 'preview.end',
  lane: 'background',
  schedule: '* * * * *',
  async run(_payload, { services: { config, db, hosts, log } }) {
    for (const id of await listEndedPreviews(db)) {
      try {
        await hosts.delete({ ...config.newSites, id });
        await deletePreview(db, id);
      } catch (error) {
        log.warn({ err: error, previewId: id }, 'a preview could not be removed; it is tried again');
      }
    }
  },
});
