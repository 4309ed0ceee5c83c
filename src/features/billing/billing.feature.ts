import { feature } from '../feature.ts';
import { endPlanJob, followUsage, rereadPayments, syncCustomerJob } from './billing.jobs.ts';
import { mailBilling } from './billing.mail.ts';
import { billingOperations } from './billing.routes.ts';

export const billingFeature = feature({
  name: 'billing',
  operations: billingOperations,
  jobs: [syncCustomerJob, endPlanJob, followUsage, rereadPayments, mailBilling],
});
