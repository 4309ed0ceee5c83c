import { figures } from '#core/figures.ts';
import { feature } from '../feature.ts';
import { jobOperations } from './job.routes.ts';
import { countFailedJobs, forgetOldWork } from './job.sql.ts';

export const jobFeature = feature({
  name: 'job',
  operations: jobOperations,
  figures: [
    figures({
      metrics: {
        failed_jobs: { help: 'Jobs whose retries are used up, waiting for an operator', type: 'gauge' },
      },
      read: async ({ db }) => ({ failed_jobs: await countFailedJobs(db) }),
    }),
  ],
  housekeeping: forgetOldWork,
});
