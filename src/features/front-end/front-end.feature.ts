import { feature } from '../feature.ts';
import { frontEndOperations } from './front-end.routes.ts';

export const frontEndFeature = feature({ name: 'front-end', operations: frontEndOperations });
