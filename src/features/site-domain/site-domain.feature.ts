import { feature } from '../feature.ts';
import { lookAtNames } from './site-domain.jobs.ts';
import { siteDomainOperations } from './site-domain.routes.ts';

export const siteDomainFeature = feature({
  name: 'site-domain',
  operations: siteDomainOperations,
  jobs: [lookAtNames],
  dueTimes: ['site_names.next_look_at'],
});
