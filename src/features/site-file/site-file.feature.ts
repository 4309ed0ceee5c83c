import { feature } from '../feature.ts';
import { siteFileOperations } from './site-file.routes.ts';

export const siteFileFeature = feature({ name: 'site-file', operations: siteFileOperations });
