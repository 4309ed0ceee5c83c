import { feature } from '../feature.ts';
import { measureStorage, planSiteWork, runSiteCron } from './site-upkeep.jobs.ts';

export const siteUpkeepFeature = feature({
  name: 'site-upkeep',
  jobs: [planSiteWork, runSiteCron, measureStorage],
});
