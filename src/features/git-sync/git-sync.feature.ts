import { feature } from '../feature.ts';
import { commitSite } from './commit.jobs.ts';
import { commitOperations } from './commit.routes.ts';
import { syncSite } from './git-sync.jobs.ts';
import { lookAtRepository, planLooks } from './git-sync.look.ts';
import { mailDeployTakenBack } from './git-sync.mail.ts';
import { gitSyncOperations } from './git-sync.routes.ts';
import { deleteOrphanedLinks } from './git-sync.sql.ts';

export const gitSyncFeature = feature({
  name: 'git-sync',
  operations: [...gitSyncOperations, ...commitOperations],
  dueTimes: ['git_links.look_at'],
  jobs: [syncSite, commitSite, planLooks, lookAtRepository, mailDeployTakenBack],
  housekeeping: deleteOrphanedLinks,
});
