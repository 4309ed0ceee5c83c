import { feature } from '../feature.ts';
import { archiveSite, restoreSite } from './deleted-site.jobs.ts';
import { deletedSiteOperations } from './deleted-site.routes.ts';

export const deletedSiteFeature = feature({
  name: 'deleted-site',
  operations: deletedSiteOperations,
  jobs: [archiveSite, restoreSite],
});
