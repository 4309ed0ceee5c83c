import { jobKind } from '#core/jobs/jobs.ts';
import { lockTeam } from '#features/team/team.ts';
import { requireIdle } from './site.events.ts';
import { type Remover, removeSite } from './site.remove.ts';
import { findSiteById, lockSite } from './site.sql.ts';

/** Deletes a site that was busy when it was to go. The lane lets it run when the work before it has ended. */
export const removeBusySite = jobKind<{ siteId: string; by: Remover }>({
  name: 'site.remove',
  lane: 'site',
  async run({ siteId, by }, { services, commit }) {
    await commit(async (tx) => {
      const found = await findSiteById(tx, siteId);
      if (!found) return;
      await lockTeam(tx, found.team_id);
      const site = await lockSite(tx, siteId);
      if (!site) return;
      // Work that failed waits for its next try; so does this.
      requireIdle(site);
      await removeSite(tx, services, by, site);
    });
  },
});
