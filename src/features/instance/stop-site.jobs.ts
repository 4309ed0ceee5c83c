import { finishEvent } from '#core/events/events.ts';
import { jobKind } from '#core/jobs/jobs.ts';
import type { HeldWork } from '#features/hold/hold.ts';
import { findSiteById } from './instance.sql.ts';

export const stopSite = jobKind<HeldWork>({
  name: 'site.stop',
  lane: 'site',
  async run({ siteId, eventId }, { services, commit }) {
    // A visit may have woken it since.
    const site = await findSiteById(services.db, siteId);
    if (site?.is_sleeping) await services.hosts.stop(site);
    await commit((tx) => finishEvent(tx, eventId, {}));
  },
  abandon: (tx, { eventId }) => finishEvent(tx, eventId, { failure: "The site's processes could not be stopped." }),
});
