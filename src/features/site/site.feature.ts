import { figures } from '#core/figures.ts';
import { feature } from '../feature.ts';
import { createSiteJob, updateSiteJob } from './site.jobs.ts';
import { moveSiteJob } from './site.move.ts';
import { operatorSiteOperations } from './site.operator.routes.ts';
import { relocateSiteJob } from './site.relocate.ts';
import { siteOperations } from './site.routes.ts';
import { countSitesByState } from './site.sql.ts';
import { startSite } from './site.wake.ts';

export const siteFeature = feature({
  name: 'site',
  operations: [...siteOperations, ...operatorSiteOperations],
  jobs: [createSiteJob, updateSiteJob, moveSiteJob, relocateSiteJob, startSite],
  figures: [
    figures({
      metrics: { sites: { help: 'Sites of the whole platform, by state', type: 'gauge', label: 'state' } },
      read: async ({ db }) => ({ sites: await countSitesByState(db) }),
    }),
  ],
});
