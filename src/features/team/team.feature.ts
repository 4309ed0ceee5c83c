import { feature } from '../feature.ts';
import { teamOperations } from './team.routes.ts';

export const teamFeature = feature({ name: 'team', operations: teamOperations });
