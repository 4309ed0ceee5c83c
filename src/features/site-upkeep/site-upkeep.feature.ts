import { feature } from '../feature.ts';
import { watchRooms } from './site-room.ts';
import { measureStorage, planSiteWork, runSiteCron } from './site-upkeep.jobs.ts';

/** What sites need by the clock, without anybody asking: scheduled work, sleep, measuring. */
export const siteUpkeepFeature = feature({
  name: 'site-upkeep',
  dueTimes: ['sites.next_cron_at', 'sites.storage_measured_at'],
  parts: [{ name: 'how much sites may grow', stage: 'sites', roles: ['host'], start: watchRooms }],
  jobs: [planSiteWork, runSiteCron, measureStorage],
});
