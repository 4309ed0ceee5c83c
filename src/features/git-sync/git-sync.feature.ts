import { feature } from '../feature.ts';
import { syncSite } from './git-sync.jobs.ts';
import { lookAtRepository, planLooks } from './git-sync.look.ts';
import { gitSyncOperations } from './git-sync.routes.ts';
import { deleteOrphanedLinks } from './git-sync.sql.ts';

export const gitSyncFeature = feature({
  name: 'git-sync',
  operations: gitSyncOperations,
  jobs: [syncSite, planLooks, lookAtRepository],
  housekeeping: deleteOrphanedLinks,
});
