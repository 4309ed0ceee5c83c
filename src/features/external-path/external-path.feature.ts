import { feature } from '../feature.ts';
import { externalPathOperations } from './external-path.routes.ts';

export const externalPathFeature = feature({ name: 'external-path', operations: externalPathOperations });
