import { figures } from '#core/figures.ts';
import { feature } from '../feature.ts';
import { leaveNameJob, mailNameLost } from './name-claim.jobs.ts';
import { createSiteJob, stopSite, updateSiteJob } from './site.jobs.ts';
import { siteOperations } from './site.routes.ts';
import { listenToSites } from './site.runtime.ts';
import { deliverSiteMail } from './site-mail.jobs.ts';
import { removeBusySite } from './site-removal.jobs.ts';
import { measureStorage, planPurges, planSiteWork, purgeSite, runSiteCron, sweepSites } from './site-upkeep.jobs.ts';
import { countSitesByState } from './site-upkeep.sql.ts';

export const siteFeature = feature({
  name: 'site',
  operations: siteOperations,
  jobs: [
    createSiteJob,
    updateSiteJob,
    leaveNameJob,
    mailNameLost,
    stopSite,
    removeBusySite,
    planSiteWork,
    runSiteCron,
    measureStorage,
    deliverSiteMail,
    planPurges,
    purgeSite,
    sweepSites,
  ],
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
  figures: [
    figures({
      metrics: { sites: { help: 'Sites of the whole platform, by state', type: 'gauge', label: 'state' } },
      read: async ({ db }) => ({ sites: await countSitesByState(db) }),
    }),
  ],
});
