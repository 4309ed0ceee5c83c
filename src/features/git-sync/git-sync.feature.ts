import { feature } from '../feature.ts';
import { gitSyncOperations } from './git-sync.routes.ts';

export const gitSyncFeature = feature({ name: 'git-sync', operations: gitSyncOperations });
