import { inTransaction } from '#core/db/database.ts';
import { eachOf } from '#core/each-of.ts';
import { jobKind } from '#core/jobs/jobs.ts';
import { isUuid } from '#core/uuid.ts';
import { endExpiredCopies, listFilesToRemove, listPlaces, noteRemoved, noteUnknownFiles } from './clean-up.sql.ts';

type Nothing = Record<string, never>;

/**
 * Ends what is past its time and removes the files of whatever is gone. How it went does not matter: the database notes each copy whose row
 * is deleted, and the job below whatever else has no row.
 */
export const cleanUpInstances = jobKind<Nothing>({
  name: 'instance.clean_up',
  lane: 'background',
  schedule: '* * * * *',
  async run(_payload, { services: { db, hosts, log } }) {
    await endExpiredCopies(db);
    for (const files of await listFilesToRemove(db)) {
      const siteId = files.site_id;
      try {
        await hosts.delete({ ...files, id: siteId });
        await noteRemoved(db, files);
      } catch (error) {
        log.warn({ err: error, siteId }, 'what is left of a site could not be removed; it is tried again');
      }
    }
  },
});

/** The safety net below every undo: what hosts keep of sites that no table knows. It is removed after a day. */
export const findUnknownFiles = jobKind<Nothing>({
  name: 'instance.find_unknown_files',
  lane: 'background',
  schedule: '41 * * * *',
  async run(_payload, { services: { config, db, hosts, log } }) {
    const { newSites } = config;
    const others = (await listPlaces(db)).filter((at) => at.host !== newSites.host || at.driver !== newSites.driver);
    await eachOf([newSites, ...others], async (place) => {
      const kept = (await hosts.list(place)).filter((id) => isUuid(id));
      for (const siteId of await inTransaction(db, (tx) => noteUnknownFiles(tx, place, kept)))
        log.warn({ siteId, ...place }, 'there are files of a site that nobody knows; they are removed in a day');
    });
  },
});
