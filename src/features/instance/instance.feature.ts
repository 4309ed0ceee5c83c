import { feature } from '../feature.ts';
import { cleanUpInstances, findUnknownFiles } from './clean-up.jobs.ts';
import { stopSite } from './stop-site.jobs.ts';
import { listenToSites } from './told-by-sites.ts';

export const instanceFeature = feature({
  name: 'instance',
  jobs: [stopSite, cleanUpInstances, findUnknownFiles],
  parts: [
    {
      name: 'what running sites tell',
      stage: 'sites',
      roles: ['host'],
      async start(services) {
        listenToSites(services);
        return undefined;
      },
    },
  ],
});
