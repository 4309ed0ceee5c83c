import { feature } from '../feature.ts';
import { leaveNameJob, mailNameLost } from './site-name.jobs.ts';
import { siteNameOperations } from './site-name.routes.ts';
import { forgetReleasedNames } from './site-name.sql.ts';

export const siteNameFeature = feature({
  name: 'site-name',
  operations: siteNameOperations,
  jobs: [leaveNameJob, mailNameLost],
  housekeeping: forgetReleasedNames,
});
