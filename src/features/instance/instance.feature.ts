import { feature } from '../feature.ts';
import { cleanUpInstances, findUnknownFiles } from './clean-up.jobs.ts';
import { announcePurge } from './edge.sql.ts';
import { stopSite } from './stop-site.jobs.ts';
import { writeStatuses } from './told-by-sites.sql.ts';
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
        const { db } = services;
        listenToSites(services, {
          purged: (siteId) => announcePurge(db, siteId),
          statuses: (statuses) => writeStatuses(db, statuses),
        });
        return undefined;
      },
    },
  ],
});
