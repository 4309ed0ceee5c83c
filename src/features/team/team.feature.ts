import { feature } from '../feature.ts';
import { memberOperations } from './member.routes.ts';
import { teamOperations } from './team.routes.ts';

export const teamFeature = feature({ name: 'team', operations: [...teamOperations, ...memberOperations] });
