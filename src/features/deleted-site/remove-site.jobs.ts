import { type JobKind, jobKind } from '#core/jobs/jobs.ts';
import { findSiteById, lockSite } from '#features/instance/instance.ts';
import { lockTeam } from '#features/team/team.ts';
import { type Remover, removeSite } from './remove-site.ts';

const RETRY_MS = 5_000;

interface Removal {
  siteId: string;
  by: Remover;
}

/** Deletes a site that was busy when it was to go. The lane lets it run when the work before it has ended. */
export const removeBusySite: JobKind<Removal> = jobKind<Removal>({
  name: 'site.remove',
  lane: 'site',
  async run({ siteId, by }, { services, commit }) {
    await commit(async (tx) => {
      const found = await findSiteById(tx, siteId);
      if (!found) return;
      await lockTeam(tx, found.team_id);
      const site = await lockSite(tx, siteId);
      if (!site) return;
      // Work that failed waits for its next try; so does this, however long that takes.
      if (site.busy === null) await removeSite(tx, services, by, site);
      else await services.jobs.enqueueOnce(tx, removeBusySite, { siteId, by }, siteId, new Date(Date.now() + RETRY_MS));
    });
  },
});
