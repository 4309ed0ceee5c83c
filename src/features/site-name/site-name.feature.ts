import { feature } from '../feature.ts';
import { leaveNameJob, mailNameLost } from './site-name.jobs.ts';
import { forgetReleasedNames } from './site-name.sql.ts';

export const siteNameFeature = feature({
  name: 'site-name',
  jobs: [leaveNameJob, mailNameLost],
  housekeeping: forgetReleasedNames,
});
