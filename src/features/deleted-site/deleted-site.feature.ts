import { feature } from '../feature.ts';
import { archiveSite, restoreSite } from './deleted-site.jobs.ts';
import { deletedSiteOperations } from './deleted-site.routes.ts';
import { planPurges, purgeSite } from './purge.jobs.ts';
import { removeBusySite } from './remove-site.jobs.ts';

export const deletedSiteFeature = feature({
  name: 'deleted-site',
  operations: deletedSiteOperations,
  jobs: [archiveSite, restoreSite, removeBusySite, planPurges, purgeSite],
});
