import { feature } from '../feature.ts';
import { lookAtZones } from './domain.jobs.ts';
import { domainOperations } from './domain.routes.ts';

export const domainFeature = feature({ name: 'domain', operations: domainOperations, jobs: [lookAtZones] });
