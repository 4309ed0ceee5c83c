import { feature } from '../feature.ts';
import { mailLink } from './account.jobs.ts';
import { accountOperations } from './account.routes.ts';

export const accountFeature = feature({
  name: 'account',
  operations: accountOperations,
  jobs: [mailLink],
  // How many were mailed within the hour.
  dueTimes: ['mailed_links.created_at'],
});
