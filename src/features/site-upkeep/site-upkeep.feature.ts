import { feature } from '../feature.ts';
import { watchRooms } from './site-room.ts';
import { measureSite, measureStorage, planSiteWork, runSiteCron } from './site-upkeep.jobs.ts';
import { storageOfSites } from './site-upkeep.sql.ts';

/** What sites need by the clock, without anybody asking: scheduled work, sleep, measuring. */
export const siteUpkeepFeature = feature({
  name: 'site-upkeep',
  dueTimes: ['sites.next_cron_at', 'sites.storage_measured_at'],
  parts: [
    {
      name: 'how much sites may grow',
      stage: 'sites',
      roles: ['host'],
      start: (services) =>
        watchRooms(services, {
          storageOf: (siteIds) => storageOfSites(services.db, siteIds),
          measure: (siteId) => measureSite(services, siteId),
        }),
    },
  ],
  jobs: [planSiteWork, runSiteCron, measureStorage],
});
