import { feature } from '../feature.ts';
import { siteViewOperations } from './site-view.routes.ts';

export const siteViewFeature = feature({ name: 'site-view', operations: siteViewOperations });
