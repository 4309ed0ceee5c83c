import { feature } from '../feature.ts';
import { searchBreak } from './break-search.jobs.ts';
import { breakSearchOperations } from './break-search.routes.ts';

/** Finds the minute in which a page of a site broke. */
export const breakSearchFeature = feature({
  name: 'break-search',
  operations: breakSearchOperations,
  jobs: [searchBreak],
});
