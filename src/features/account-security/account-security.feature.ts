import { feature } from '../feature.ts';
import { mailFactorChange } from './account-security.jobs.ts';
import { accountSecurityOperations } from './account-security.routes.ts';

export const accountSecurityFeature = feature({
  name: 'account-security',
  operations: accountSecurityOperations,
  jobs: [mailFactorChange],
});
