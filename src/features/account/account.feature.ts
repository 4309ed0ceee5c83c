import { feature } from '../feature.ts';
import { mailLink } from './account.jobs.ts';
import { accountOperations } from './account.routes.ts';
import { mailNewAddress, mailOldAddress } from './email-change.jobs.ts';
import { emailChangeOperations } from './email-change.routes.ts';
import { deleteOldChanges } from './email-change.sql.ts';
import { endingOperations } from './ending.routes.ts';
import { mailTransfer } from './transfer.ts';

export const accountFeature = feature({
  name: 'account',
  operations: [...accountOperations, ...emailChangeOperations, ...endingOperations],
  jobs: [mailLink, mailNewAddress, mailOldAddress, mailTransfer],
  housekeeping: deleteOldChanges,
  // How many were mailed within the hour.
  dueTimes: ['mailed_links.created_at'],
});
