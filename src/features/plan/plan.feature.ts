import { feature } from '../feature.ts';
import { planOperations } from './plan.routes.ts';

export const planFeature = feature({ name: 'plan', operations: planOperations });
