import { feature } from '../feature.ts';
import { tellMoments } from './moment.jobs.ts';
import { momentOperations } from './moment.routes.ts';

/** What happened to a site, minute by minute, and the minutes that have a name. */
export const momentFeature = feature({
  name: 'moment',
  operations: momentOperations,
  jobs: [tellMoments],
});
