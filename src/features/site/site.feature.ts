import { figures } from '#core/figures.ts';
import { EVERY_ROLE } from '#core/part.ts';
import { feature } from '../feature.ts';
import { cleanUpInstances, findUnknownFiles } from './clean-up.jobs.ts';
import { leaveNameJob, mailNameLost } from './name-claim.jobs.ts';
import { createSiteJob, stopSite, updateSiteJob } from './site.jobs.ts';
import { siteOperations } from './site.routes.ts';
import { listenToRuntime } from './site.runtime.ts';
import { deliverSiteMail } from './site-mail.jobs.ts';
import { removeBusySite } from './site-removal.jobs.ts';
import { measureStorage, planPurges, planSiteWork, purgeSite, runSiteCron } from './site-upkeep.jobs.ts';
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
    cleanUpInstances,
    findUnknownFiles,
  ],
  parts: [
    {
      name: 'what running sites tell',
      stage: 'sites',
      roles: EVERY_ROLE,
      async start(services) {
        listenToRuntime(services);
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
