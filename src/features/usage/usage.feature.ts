import { feature } from '../feature.ts';
import { mailLimitReached } from './usage.jobs.ts';
import { usageOperations } from './usage.routes.ts';
import { forgetOldUsage } from './usage.sql.ts';

export const usageFeature = feature({
  name: 'usage',
  operations: usageOperations,
  jobs: [mailLimitReached],
  housekeeping: forgetOldUsage,
});
