import { figures } from '#core/figures.ts';
import { feature } from '../feature.ts';
import { createSiteJob, updateSiteJob } from './site.jobs.ts';
import { moveSiteJob } from './site.move.ts';
import { siteOperations } from './site.routes.ts';
import { countSitesByState } from './site.sql.ts';

export const siteFeature = feature({
  name: 'site',
  operations: siteOperations,
  jobs: [createSiteJob, updateSiteJob, moveSiteJob],
  figures: [
    figures({
      metrics: { sites: { help: 'Sites of the whole platform, by state', type: 'gauge', label: 'state' } },
      read: async ({ db }) => ({ sites: await countSitesByState(db) }),
    }),
  ],
});
