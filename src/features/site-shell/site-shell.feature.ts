import { feature } from '../feature.ts';
import { siteShellOperations } from './site-shell.routes.ts';

export const siteShellFeature = feature({ name: 'site-shell', operations: siteShellOperations });
