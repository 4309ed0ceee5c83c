import { feature } from '../feature.ts';
import { siteLogOperations } from './site-log.routes.ts';

export const siteLogFeature = feature({ name: 'site-log', operations: siteLogOperations });
