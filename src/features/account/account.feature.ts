import { feature } from '../feature.ts';
import { mailLink } from './account.jobs.ts';
import { accountOperations } from './account.routes.ts';
import { endingOperations } from './ending.routes.ts';
import { mailTransfer } from './transfer.ts';

export const accountFeature = feature({
  name: 'account',
  operations: [...accountOperations, ...endingOperations],
  jobs: [mailLink, mailTransfer],
  // How many were mailed within the hour.
  dueTimes: ['mailed_links.created_at'],
});
