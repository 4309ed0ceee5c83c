import { feature } from '../feature.ts';
import { siteLabelOperations } from './site-label.routes.ts';

export const siteLabelFeature = feature({ name: 'site-label', operations: siteLabelOperations });
